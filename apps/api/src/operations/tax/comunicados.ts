import { fechaField, rfcField } from '@acuse/contract';
import { addDays, calendarDay } from '@acuse/core';
import { aviso, camposDePagina, checkPeriodo, listOf, texto } from '@acuse/operation';
import { z } from 'zod';
import { askSat } from '../../consultas/ask-sat.ts';
import { consultarLista } from '../../consultas/consultar.ts';
import { defineOperation } from '../../operation.ts';

const DEFAULT_DAYS = 30;

export default defineOperation({
  summary: 'Comunicados oficiales del SAT',
  description:
    'Lista los comunicados del periodo. Sin desde se toman los 30 días anteriores a hoy; sin hasta, hasta hoy. Se usa la credencial guardada.',
  credential: 'api-key',
  accepts: 'ciec-o-efirma',
  needs:
    'El SAT publica los comunicados en el buzón tributario, que solo abre con la CIEC o la e.firma del contribuyente.',
  effect: 'asks',
  cost: 1,
  isPaginada: true,
  rfc: 'propio',
  body: z.object({
    rfc: rfcField,
    desde: fechaField.meta({ example: '2026-01-01' }).optional(),
    hasta: fechaField.optional(),
    ...camposDePagina,
  }),
  data: listOf(
    'ListaComunicados',
    z
      .object({
        id: texto('Identificador del comunicado.', 'C-2026-000123'),
        ...aviso,
        leido: z.boolean().meta({ description: 'Si ya se abrió en el portal.', example: false }),
      })
      .meta({ id: 'Comunicado' }),
  ),
  asks: ['listar-comunicados'],
  errors: ['SAT_NO_DISPONIBLE'],
  check: (body, now) => checkPeriodo(periodoDe(body, now), now),

  handle(body, contexto) {
    const { rfc } = body;
    const consulta = { consulta: 'listar-comunicados', rfc, ...periodoDe(body, contexto.now) } as const;
    return consultarLista(
      contexto,
      async (credencial, propio) => (await askSat(propio, consulta, credencial)).comunicados,
      ({ id, asunto, fecha, leido }) => ({ id, asunto, fecha, leido }),
    );
  },
});

function periodoDe({ desde, hasta }: { desde?: string | undefined; hasta?: string | undefined }, now: Date) {
  const hoy = calendarDay(now);
  return { desde: desde ?? addDays(hoy, -DEFAULT_DAYS), hasta: hasta ?? hoy };
}
