import { describeConsulta } from '../../../test/consulta.ts';

describeConsulta({
  path: 'tax/facturas-fiel',
  cost: 1,
  needs: 'efirma',
  body: (rfc) => ({ rfc, desde: '2026-01-01', hasta: '2026-01-31' }),
});
