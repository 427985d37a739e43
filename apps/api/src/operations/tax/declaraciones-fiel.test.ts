import { describeConsulta } from '../../../test/consulta.ts';

describeConsulta({
  path: 'tax/declaraciones-fiel',
  cost: 1,
  needs: 'efirma',
  body: (rfc) => ({ rfc, ejercicio: 2025 }),
});
