import { describeConsulta } from '../../../test/consulta.ts';

describeConsulta({
  path: 'tax/facturas',
  cost: 1,
  needs: 'ciec',
  body: (rfc) => ({ rfc, desde: '2026-01-01', hasta: '2026-01-31' }),
});
