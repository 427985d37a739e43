import { fechaField } from '@acuse/contract';
import { checkEjercicio, estadoCfdi, importe, listOf, rfcDelSat, rfcYEjercicio, uuidData } from '@acuse/operation';
import { z } from 'zod';
import { askSat } from '../../consultas/ask-sat.ts';
import { consultarLista } from '../../consultas/consultar.ts';
import { listRetencionesSoap } from '../../consultas/retenciones-soap.ts';
import { defineOperation } from '../../operation.ts';

const retencion = z
  .object({
    uuid: uuidData('UUID del CFDI de retenciones.'),
    emisor_rfc: rfcDelSat('RFC de quien la emitió.', 'XIQB891116QE4'),
    receptor_rfc: rfcDelSat(
      'RFC de quien la recibió; null si es residente en el extranjero.',
      'ACU200101DB1',
    ).nullable(),
    total: importe,
    fecha: fechaField.meta({ example: '2025-03-31' }),
    estado: estadoCfdi,
    tipo: z
      .enum(['RECIBIDA', 'EMITIDA'])
      .meta({ id: 'TipoRetencion', description: 'Si el RFC la recibió o la emitió.', example: 'RECIBIDA' }),
  })
  .meta({ id: 'Retencion', description: 'Un CFDI de retenciones.' });

/** The SAT gives six years back from today: the sixth year is no longer whole. */
const ANIOS = 5;

export default defineOperation({
  summary: 'Retenciones registradas',
  description:
    'Lista los CFDI de retenciones del ejercicio, recibidos y emitidos. Con la CIEC se piden al portal; si no contesta, o sin CIEC, con la e.firma al servicio de descarga del SAT, que puede tardar más que la llamada: entonces se contesta 503/5041 sin costo y la siguiente llamada continúa.',
  credential: 'ciec',
  accepts: 'ciec-o-efirma',
  effect: 'asks',
  cost: 1,
  isPaginada: true,
  rfc: 'propio',
  body: rfcYEjercicio,
  data: listOf('ListaRetenciones', retencion),
  asks: ['listar-retenciones', 'solicitar-metadata', 'verificar-metadata', 'descargar-paquete'],
  errors: ['SAT_NO_DISPONIBLE', 'PERIODO_DEMASIADO_GRANDE'],
  check: ({ ejercicio }, now) => checkEjercicio(ejercicio, ANIOS, now),

  handle({ rfc, ejercicio }, contexto) {
    const consulta = { consulta: 'listar-retenciones', rfc, ejercicio } as const;
    return consultarLista(
      contexto,
      async (credencial, propio) =>
        credencial.tipo === 'efirma'
          ? listRetencionesSoap(propio, { rfc, ejercicio }, credencial)
          : (await askSat(propio, consulta, credencial)).retenciones,
      ({ uuid, tipo, emisorRfc, receptorRfc, total, fecha, estado }) => ({
        uuid,
        emisor_rfc: emisorRfc,
        receptor_rfc: receptorRfc,
        total,
        fecha,
        estado,
        tipo,
      }),
    );
  },
});
