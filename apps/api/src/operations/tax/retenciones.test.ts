import { describeConsulta } from '../../../test/consulta.ts';

describeConsulta({
  path: 'tax/retenciones',
  cost: 1,
  needs: 'ciec',
  body: (rfc) => ({ rfc, ejercicio: 2025 }),
});
