import { fechaField } from '@acuse/contract';
import { addDays, calendarDay } from '@acuse/core';
import { camposDePagina, itemsOf, siguiente, texto } from '@acuse/operation';
import { z } from 'zod';
import { defineOperation } from '../../operation.ts';

const MAX_DIAS = 366;
const creditos = (description: string, example: number) => z.int().min(0).meta({ description, example });
const sumas = {
  llamadas: creditos('Llamadas que se cobraron.', 12),
  cargados: creditos('Créditos que se cobraron.', 12),
  reembolsados: creditos('Créditos que se devolvieron.', 1),
};

const primeroDelMes = (dia: string) => `${dia.slice(0, 7)}-01`;

export default defineOperation({
  summary: 'Créditos usados por día y operación',
  description: `Lo que la cuenta usó en un periodo, de a lo más ${MAX_DIAS} días del centro de México, y su saldo. Un crédito que se devuelve cuenta en el día en que se devolvió. Sin hasta, hasta hoy; sin desde, desde el primer día del mes de hasta.`,
  credential: 'api-key',
  effect: 'reads',
  cost: 0,
  isPaginada: true,
  rfc: 'ninguno',
  body: z
    .object({
      desde: fechaField.meta({ example: '2026-01-01' }).optional(),
      hasta: fechaField.optional(),
      ...camposDePagina,
    })
    .meta({ id: 'PeticionUso' }),
  data: z
    .object({
      saldo: z.int().meta({ description: 'Créditos que quedan.', example: 100 }),
      desde: fechaField.meta({ example: '2026-01-01' }),
      hasta: fechaField,
      ...sumas,
      items: itemsOf(
        z
          .object({
            dia: fechaField,
            operacion: texto(
              'La operación, como grupo/accion; sincronizacion: lo que se lee para mantener al día los RFC.',
              'tax/facturas',
            ),
            ...sumas,
          })
          .meta({ id: 'UsoDeUnDia' }),
      ),
      siguiente,
    })
    .meta({ id: 'Uso' }),
  errors: [],

  check({ desde, hasta }, now) {
    const hoy = calendarDay(now);
    const fin = hasta ?? hoy;
    const inicio = desde ?? primeroDelMes(fin);
    if (fin > hoy) return { campo: 'hasta', motivo: `no puede ser posterior a hoy (${hoy}, centro de México)` };
    if (inicio > fin) return { campo: 'desde', motivo: 'no puede ser posterior a hasta' };
    if (inicio < addDays(fin, 1 - MAX_DIAS))
      return { campo: 'desde', motivo: `el periodo no puede pasar de ${MAX_DIAS} días: pídalo por partes` };
    return null;
  },

  async handle(body, { deps, access, now }) {
    const hasta = body.hasta ?? calendarDay(now);
    const desde = body.desde ?? primeroDelMes(hasta);
    const dias = await deps.uso.byDay({ cuentaId: access.cuentaId, desde, hasta });
    const sum = (name: keyof typeof sumas) => dias.reduce((total, dia) => total + dia[name], 0);
    return {
      saldo: access.saldo,
      desde,
      hasta,
      llamadas: sum('llamadas'),
      cargados: sum('cargados'),
      reembolsados: sum('reembolsados'),
      items: dias,
      siguiente: null,
    };
  },
});
