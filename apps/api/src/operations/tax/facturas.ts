import { facturasRecibidas } from '../../consultas/facturas.ts';
import { defineOperation } from '../../operation.ts';

export default defineOperation({
  ...facturasRecibidas,
  summary: 'Facturas recibidas',
  description:
    'Lista los CFDI que el RFC recibió en el periodo. La consulta se hace con la CIEC guardada; si el SAT no contesta con ella, con la e.firma si está guardada.',
  credential: 'ciec',
});
