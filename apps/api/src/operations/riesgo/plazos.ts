import { fechaField, rfcField } from '@acuse/contract';
import { calendarDay } from '@acuse/core';
import { z } from 'zod';
import { limiteDePagina, siguiente, texto, total } from '../../fields.ts';
import { defineOperation } from '../../http/operation.ts';
import { contraparteCfdi } from '../../riesgo.ts';

const POR_PAGINA = 50;
const MAX = 200;
/** UUIDs that are given of each. */
const UUIDS = 20;

const plazoData = z
  .object({
    proveedor_rfc: texto('RFC del emisor que se publicó.', 'EKU9003173C9'),
    proveedor_nombre: texto('Su nombre; vacío si no se sabe.', 'ESCUELA KEMPER URGATE'),
    publicado_en: fechaField.meta({ description: 'El día de la publicación, como se anotó.', example: '2026-07-10' }),
    vence_en: fechaField.meta({ description: 'El último de los 30 días naturales.', example: '2026-08-09' }),
    dias_restantes: z
      .int()
      .meta({ description: 'Días que faltan para el último; 0 ese día, negativo después.', example: 12 }),
    origen: z
      .enum(['propio', 'operador'])
      .meta({ description: 'Quién lo anotó: usted, o el operador de la instalación para todos.', example: 'propio' }),
    nota: z.string().nullable().meta({ description: 'La que se anotó.', example: null }),
    cfdi: contraparteCfdi
      .nullable()
      .meta({ description: 'Los CFDI vigentes con él; null si el RFC no se mantiene al día.' }),
  })
  .meta({ id: 'Plazo49Bis', description: 'El plazo del artículo 49 Bis que corre por un emisor.' });

export default defineOperation({
  summary: 'Plazos del artículo 49 Bis',
  description:
    'Los 30 días naturales de quien recibió CFDI de un emisor que el SAT publicó por el artículo 49 Bis del CFF: hasta cuándo, cuántos días faltan, y los CFDI con sus pesos. Las fechas son las que anotó usted con riesgo/aviso-49bis, y las del operador si hay CFDI vigentes de ese emisor. Se cuenta desde el día siguiente al de la publicación, y un último día inhábil no se recorre.',
  credential: 'api-key',
  cost: 0,
  rfc: 'propio',
  body: z
    .object({
      rfc: rfcField,
      limite: limiteDePagina(MAX, POR_PAGINA),
      cursor: rfcField
        .meta({ description: 'El siguiente de la página anterior; sin él, la primera.', example: 'EKU9003173C9' })
        .optional(),
    })
    .meta({ id: 'PeticionPlazos' }),
  data: z.object({ total, items: z.array(plazoData), siguiente }).meta({ id: 'ListaPlazos' }),
  errors: [],

  async handle({ limite = POR_PAGINA, cursor = '' }, { deps, access }) {
    const { contribuyenteId } = access;
    const vista = await deps.sincronizaciones.find(contribuyenteId, access.apiKey.modo);
    const rows = await deps.plazos.list({
      ...{ contribuyenteId, almacenId: vista?.almacenId ?? null, despuesDe: cursor, limite, uuids: UUIDS },
      hoy: calendarDay(deps.now()),
    });
    return {
      total: rows.length,
      items: rows.map(({ rfc, nombre, publicadoEn, venceEn, quedan, isDelOperador, nota, cfdi }) => ({
        ...{ proveedor_rfc: rfc, proveedor_nombre: nombre, publicado_en: publicadoEn, vence_en: venceEn },
        dias_restantes: quedan,
        origen: isDelOperador ? ('operador' as const) : ('propio' as const),
        nota,
        cfdi: cfdi && { ...cfdi, uuids: [...cfdi.uuids] },
      })),
      siguiente: rows.length < limite ? null : (rows.at(-1)?.rfc ?? null),
    };
  },
});
