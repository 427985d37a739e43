import { facturasRecibidas } from '../../consultas/facturas.ts';
import { defineOperation } from '../../operation.ts';

export default defineOperation({
  ...facturasRecibidas,
  summary: 'Facturas recibidas, con e.firma',
  description: 'Lista los CFDI que el RFC recibió en el periodo. La consulta se hace con la e.firma guardada.',
  credential: 'efirma',
});
