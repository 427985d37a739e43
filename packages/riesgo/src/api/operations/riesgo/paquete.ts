import { solicitudIdField } from '@acuse/contract';
import { contrapartesListadas, needPaquete, solicitudIdData } from '@acuse/operation';
import { z } from 'zod';
import { listadaFields, listadaOf, pageFields, paginaOf, readPage, sumas } from '../../fields.ts';
import { defineOperation } from '../../index.ts';

const listadaData = z
  .object({ ...listadaFields, cfdi: sumas.meta({ description: 'Los CFDI vigentes del paquete con ella.' }) })
  .meta({ id: 'ContraparteDePaquete', description: 'Una contraparte del paquete que está en una lista del SAT.' });

export default defineOperation({
  summary: 'Contrapartes de una descarga que están en una lista del SAT',
  description:
    'Quiénes le emitieron los CFDI recibidos de un paquete, o recibieron los emitidos, y estaban en una lista del SAT (69, 69-B, 69-B Bis, sellos sin efectos) cuando se armó: en cuál, con qué supuesto, y sus CFDI vigentes del paquete, de ingreso y de egreso, con los pesos. Quien está en dos listas viene dos veces. Cómo están hoy lo dice efos/consultar-lote; de un RFC que se mantiene al día, riesgo/proveedores.',
  credential: 'api-key',
  effect: 'reads',
  cost: 0,
  rfc: 'ninguno',
  body: z.object({ solicitud_id: solicitudIdField, ...pageFields }).meta({ id: 'PeticionRiesgoPaquete' }),
  data: z
    .object({ solicitud_id: solicitudIdData, contrapartes_listadas: contrapartesListadas, ...paginaOf(listadaData) })
    .meta({ id: 'RiesgoDePaquete' }),
  errors: [
    'SOLICITUD_NO_ENCONTRADA',
    'SOLICITUD_SIN_TERMINAR',
    'SOLICITUD_SIN_PAQUETE',
    'PAQUETE_DE_SINCRONIZACION',
    'PAQUETE_SIN_CRUZAR',
    'CRUCE_CADUCADO',
  ],

  async handle({ solicitud_id, ...pagina }, { deps, access, now, error }) {
    const solicitud = await deps.solicitudes.find(access.contribuyenteId, solicitud_id, access.apiKey.modo);
    if (solicitud === null) throw error('SOLICITUD_NO_ENCONTRADA');
    if (solicitud.hasOrigin) throw error('PAQUETE_DE_SINCRONIZACION');
    needPaquete(solicitud, now, error);
    const contadas = solicitud.contrapartesListadas;
    // An empty list would say that no counterparty is listed.
    if (contadas === null) throw error('PAQUETE_SIN_CRUZAR');
    const read = (de: Pick<Parameters<typeof deps.riesgo.listPaquete>[0], 'despuesDe' | 'limite'>) =>
      deps.riesgo.listPaquete({ ...de, solicitudId: solicitud.id });
    const leida = await readPage(pagina, read, ({ ingresos, egresos, ...listada }) => ({
      ...listadaOf(listada),
      cfdi: { ingresos, egresos },
    }));
    const isCut = leida.total === 0 && contadas.total > 0;
    if (isCut && (await read({ despuesDe: null, limite: 1 })).length === 0) throw error('CRUCE_CADUCADO');
    return { solicitud_id: solicitud.id, contrapartes_listadas: contadas, ...leida };
  },
});
