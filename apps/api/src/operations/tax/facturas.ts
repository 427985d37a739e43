import { checkPeriodo } from '../../calendario.ts';
import { factura, listOf, rfcYPeriodo } from '../../data-fields.ts';
import { defineOperation } from '../../http/define-operation.ts';
import { sinCanal } from '../../sin-canal.ts';

export default defineOperation({
  summary: 'Facturas recibidas',
  description: 'Lista los CFDI que el RFC recibió en el periodo. La consulta se hace con la CIEC guardada.',
  credential: 'ciec',
  cost: 1,
  rfc: 'propio',
  body: rfcYPeriodo,
  data: listOf(factura),
  errors: ['SAT_NO_DISPONIBLE'],
  check: checkPeriodo,
  handle: sinCanal,
});
