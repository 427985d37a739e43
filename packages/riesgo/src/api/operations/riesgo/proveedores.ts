import { rfcField } from '@acuse/contract';
import { instante } from '@acuse/operation';
import { needSincronizacion } from '@acuse/sincronizacion/api';
import { z } from 'zod';
import { contraparteCfdi, listadaFields, listadaOf, pageFields, paginaOf, readPage } from '../../fields.ts';
import { defineOperation } from '../../index.ts';

/** UUIDs that are given of each. */
const UUIDS = 20;

const proveedorData = z
  .object({
    ...listadaFields,
    notado_en: instante('Cuándo notó Acuse que está en ella.'),
    cambio_en: instante('Cuándo se avisó de su supuesto por última vez.'),
    cfdi: contraparteCfdi,
  })
  .meta({ id: 'ProveedorListado', description: 'Una contraparte que está en una lista del SAT.' });

export default defineOperation({
  summary: 'Contrapartes que están en una lista del SAT',
  description:
    'Con quién tiene CFDI el RFC, de los que se mantienen al día con sincronizacion/crear, y está hoy en una lista del SAT: en cuál, con qué supuesto, desde cuándo, y los CFDI vigentes con sus pesos. Cuando alguien entra, cambia o sale avisa el webhook proveedor.listado. Las de una descarga las da riesgo/paquete.',
  credential: 'api-key',
  effect: 'reads',
  cost: 0,
  rfc: 'propio',
  body: z.object({ rfc: rfcField, ...pageFields }).meta({ id: 'PeticionProveedores' }),
  data: z.object(paginaOf(proveedorData)).meta({ id: 'ListaProveedores' }),
  errors: ['SINCRONIZACION_NO_ENCONTRADA'],

  async handle(pagina, { deps, access, error }) {
    const { almacenId } = await needSincronizacion({ deps, access }, error);
    return readPage(
      pagina,
      (de) => deps.riesgo.list({ ...de, almacenId, uuids: UUIDS }),
      ({ desde, cambiadaEn, cfdi, ...listada }) => ({
        ...listadaOf(listada),
        notado_en: desde.toISOString(),
        cambio_en: cambiadaEn.toISOString(),
        cfdi: { ...cfdi, uuids: [...cfdi.uuids] },
      }),
    );
  },
});
