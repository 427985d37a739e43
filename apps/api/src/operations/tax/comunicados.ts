import { fechaField, rfcField } from '@acuse/contract';
import { z } from 'zod';
import { checkPeriodo, diasAntes, hoyEnMexico } from '../../calendario.ts';
import { aviso, listOf, texto } from '../../data-fields.ts';
import { defineOperation } from '../../http/define-operation.ts';
import { sinCanal } from '../../sin-canal.ts';

const DEFAULT_DAYS = 30;

export default defineOperation({
  summary: 'Comunicados oficiales del SAT',
  description:
    'Lista los comunicados del periodo. Sin desde se toman los 30 días anteriores a hoy; sin hasta, hasta hoy. Se usa la credencial guardada.',
  credential: 'api-key',
  accepts: 'ciec-o-efirma',
  cost: 1,
  rfc: 'propio',
  body: z.object({ rfc: rfcField, desde: fechaField.optional(), hasta: fechaField.optional() }),
  data: listOf(z.object({ id: texto('Identificador del comunicado.', 'C-2026-000123'), ...aviso })),
  errors: ['SAT_NO_DISPONIBLE'],
  check({ desde, hasta }, now) {
    const hoy = hoyEnMexico(now);
    return checkPeriodo({ desde: desde ?? diasAntes(hoy, DEFAULT_DAYS), hasta: hasta ?? hoy }, now);
  },
  handle: sinCanal,
});
