import { checkPeriodo } from '../../calendario.ts';
import { listFacturas } from '../../consultas/facturas.ts';
import { listaFacturas, rfcYPeriodo } from '../../data-fields.ts';
import { defineOperation } from '../../http/define-operation.ts';

export default defineOperation({
  summary: 'Facturas recibidas, con e.firma',
  description: 'Lista los CFDI que el RFC recibió en el periodo. La consulta se hace con la e.firma guardada.',
  credential: 'efirma',
  cost: 1,
  rfc: 'propio',
  body: rfcYPeriodo,
  data: listaFacturas,
  asks: ['listar-facturas'],
  errors: ['SAT_NO_DISPONIBLE', 'PERIODO_DEMASIADO_GRANDE'],
  check: checkPeriodo,

  handle: (body, contexto) => listFacturas(contexto, body),
});
