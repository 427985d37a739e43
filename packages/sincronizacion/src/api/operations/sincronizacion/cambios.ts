import { fechaField, rfcField } from '@acuse/contract';
import { calendarDay } from '@acuse/core';
import { estadoCfdi, instante, itemsOf, limiteDePagina, texto, total } from '@acuse/operation';
import { z } from 'zod';
import { dueOn } from '../../../index.ts';
import { cfdiFields, datosDeCfdi } from '../../cfdi.ts';
import { cursorField, cursorOf, despuesDe, needSincronizacion } from '../../fields.ts';
import { defineOperation } from '../../index.ts';

const POR_PAGINA = 500;
const MAX = 5_000;

const cambioData = z
  .object({
    secuencia: z.int().min(1).meta({ description: 'Número del cambio: crece siempre.', example: 1532 }),
    cambio: z.enum(['nuevo', 'cancelado', 'vigente', 'corregido', 'ausente', 'presente']).meta({
      id: 'ClaseCambio',
      description:
        'nuevo: se vio por primera vez; cancelado; vigente: dejó de estar cancelado; corregido: el SAT da otros datos; ausente: el SAT ya no lo da; presente: lo vuelve a dar.',
      example: 'cancelado',
    }),
    notado_en: instante('Cuándo se notó.'),
    ...cfdiFields,
    estado: estadoCfdi.meta({ description: 'Su estado entonces.' }),
    fecha_cancelacion: cfdiFields.fecha_cancelacion.meta({
      description: 'Cuándo se canceló, según el SAT en ese cambio.',
    }),
  })
  .meta({ id: 'CambioCfdi', description: 'Algo que cambió de un CFDI.' });

export default defineOperation({
  summary: 'Qué cambió de los CFDI del RFC',
  description:
    'Los cambios que sincronizacion/crear va notando, en el orden en que se notaron, cada uno una sola vez. Guarde siguiente y mándelo como cursor la próxima vez: nunca se salta ni repite ninguno. Sin cursor empieza por el primero, o por el primero que se notó desde el día desde. Quien aplica todos, desde el primero, tiene lo que el SAT tiene.',
  credential: 'api-key',
  effect: 'reads',
  cost: 0,
  rfc: 'propio',
  body: z
    .object({
      rfc: rfcField,
      desde: fechaField
        .meta({
          description: 'Desde qué día se notaron, del centro de México. Con cursor no cuenta.',
          example: '2026-11-01',
        })
        .optional(),
      limite: limiteDePagina(MAX, POR_PAGINA),
      cursor: cursorField.optional(),
    })
    .meta({ id: 'PeticionCambios' }),
  data: z
    .object({
      total,
      items: itemsOf(cambioData),
      siguiente: texto('El cursor con el que se sigue, también cuando ahora no hay más.', '2a4b6c8d0e1f.1532'),
      faltan: z
        .int()
        .min(0)
        .meta({ description: 'Cambios que hay después de estos, a lo más; 0 si no hay.', example: 0 }),
    })
    .meta({ id: 'ListaCambios' }),
  errors: ['SINCRONIZACION_NO_ENCONTRADA', 'CAMPO_INVALIDO'],

  check({ desde }, now) {
    const hoy = calendarDay(now);
    return desde !== undefined && desde > hoy
      ? { campo: 'desde', motivo: `no puede ser posterior a hoy (${hoy}, centro de México)` }
      : null;
  },

  async handle({ limite = POR_PAGINA, desde, cursor }, { deps, access, error }) {
    const vista = await needSincronizacion({ deps, access }, error);
    const { almacenId } = vista;
    const despues =
      desde === undefined || cursor !== undefined
        ? despuesDe(vista, cursor)
        : await deps.almacenes.lastBefore({ almacenId, instante: dueOn(desde, 0) });
    if (despues === null) {
      const motivo = 'es de otra sincronización, que ya se borró: empiece sin cursor';
      throw error('CAMPO_INVALIDO', { campo: 'cursor', motivo });
    }
    const cambios = await deps.almacenes.cambios({ almacenId, despuesDe: despues, limite });
    const last = cambios.at(-1)?.n ?? despues;
    return {
      total: cambios.length,
      items: cambios.map(({ n, clase, notadoEn, ...cfdi }) => ({
        secuencia: Number(n),
        cambio: clase,
        notado_en: notadoEn.toISOString(),
        ...datosDeCfdi(cfdi),
      })),
      siguiente: cursorOf(vista, last),
      // Numbers may have gaps, after the restoring of a backup.
      faltan: cambios.length < limite || vista.cambios < last ? 0 : Number(vista.cambios - last),
    };
  },
});
