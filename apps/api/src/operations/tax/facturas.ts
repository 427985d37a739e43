import { checkPeriodo } from '../../calendario.ts';
import { listFacturas } from '../../consultas/facturas.ts';
import { listaFacturas, rfcYPeriodo } from '../../data-fields.ts';
import { defineOperation } from '../../http/define-operation.ts';

export default defineOperation({
  summary: 'Facturas recibidas',
  description:
    'Lista los CFDI que el RFC recibió en el periodo. La consulta se hace con la CIEC guardada; si el SAT no contesta con ella, con la e.firma si está guardada.',
  credential: 'ciec',
  cost: 1,
  rfc: 'propio',
  body: rfcYPeriodo,
  data: listaFacturas,
  asks: ['listar-facturas'],
  errors: ['SAT_NO_DISPONIBLE', 'PERIODO_DEMASIADO_GRANDE'],
  check: checkPeriodo,

  handle: (body, contexto) => listFacturas(contexto, body),
});
