import { fechaField } from '@acuse/contract';
import { instante, itemsOf, limiteDePagina, siguiente, texto, total } from '@acuse/operation';
import { z } from 'zod';
import { formatLugar, LUGAR, parseLugar, RESULTADOS } from '../../../db.ts';
import { defineOperation } from '../../index.ts';

const MOST = 200;
const NORMAL = 50;
const EXAMPLE = '01936f5e-7c3a-7b1e-8f00-2a4b6c8d0e1f';

export default defineOperation({
  summary: 'Llamadas hechas con las API keys del RFC',
  description:
    'Las llamadas contestadas de los últimos 30 días, de la más nueva a la más vieja, hechas con esta API key u otra del mismo RFC: nunca su contenido. Aparecen en uno o dos segundos. El registro no detiene a ninguna llamada: si la base de datos falta por mucho tiempo o un proceso muere, algunas no quedan en él; los créditos salen de los movimientos de la cuenta, que no pierden ninguno. Una página a la vez: mande siguiente como cursor para la que sigue.',
  credential: 'api-key',
  effect: 'reads',
  cost: 0,
  rfc: 'ninguno',
  body: z
    .object({
      desde: fechaField.meta({ description: 'Solo las de este día o después.', example: '2026-01-01' }).optional(),
      hasta: fechaField.meta({ description: 'Solo las de este día o antes.', example: '2026-12-31' }).optional(),
      operacion: z
        .string({ error: 'debe ser un texto' })
        .regex(/^[a-z-]{1,40}\/[a-z-]{1,60}$/, { error: 'debe ser una operación, como tax/facturas' })
        .meta({ description: 'Solo las de esta operación.', example: 'tax/facturas' })
        .optional(),
      resultado: z
        .enum(RESULTADOS, { error: `debe ser uno de: ${RESULTADOS.join(', ')}` })
        .meta({
          id: 'ResultadoLlamada',
          description: 'EXITO: HTTP 200; RECHAZO: 4xx; FALLA: 5xx.',
          example: 'FALLA',
        })
        .optional(),
      limite: limiteDePagina(MOST, NORMAL),
      cursor: z
        .string({ error: 'debe ser un texto' })
        .regex(LUGAR, { error: 'debe ser el texto siguiente de otra página' })
        .meta({ description: 'El siguiente de la página anterior.', example: `1796083200000.${EXAMPLE}` })
        .optional(),
    })
    .meta({ id: 'PeticionLlamadas' }),
  data: z
    .object({
      total,
      items: itemsOf(
        z
          .object({
            llamada_en: instante('Cuándo llegó.'),
            operacion: texto('La operación, como grupo/accion.', 'tax/facturas'),
            http: z.int().meta({ description: 'Código HTTP de la respuesta.', example: 200 }),
            codigo: z.int().meta({ description: 'El cfdi_codigo de la respuesta.', example: 1 }),
            ms: z.int().min(0).meta({ description: 'Milisegundos hasta la respuesta.', example: 42 }),
            creditos: z.int().meta({ description: 'Créditos cobrados, menos los devueltos.', example: 1 }),
            request_id: texto('El X-Request-Id de la respuesta.', EXAMPLE),
            idempotency_key: z
              .string()
              .nullable()
              .meta({ description: 'La Idempotency-Key de la petición; null sin ella.', example: null }),
          })
          .meta({ id: 'Llamada', description: 'Una llamada contestada.' }),
      ),
      siguiente,
    })
    .meta({ id: 'ListaLlamadas' }),
  errors: [],

  check: ({ desde, hasta }) =>
    desde !== undefined && hasta !== undefined && desde > hasta
      ? { campo: 'desde', motivo: 'no puede ser posterior a hasta' }
      : null,

  async handle({ limite = NORMAL, cursor, ...filtro }, { deps, access }) {
    const lugar = { antes: parseLugar(cursor), limite: limite + 1 };
    const read = await deps.llamadas.page(access.contribuyenteId, filtro, lugar);
    const page = read.slice(0, limite);
    const last = read.length > limite ? page.at(-1) : undefined;
    return {
      total: page.length,
      items: page.map(({ en, opId: _, requestId, idempotencyKey, ...rest }) => ({
        llamada_en: en.toISOString(),
        ...rest,
        request_id: requestId,
        idempotency_key: idempotencyKey,
      })),
      siguiente: last === undefined ? null : formatLugar(last),
    };
  },
});
