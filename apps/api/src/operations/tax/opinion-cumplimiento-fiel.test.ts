import { describeConsulta } from '../../../test/consulta.ts';

describeConsulta({
  path: 'tax/opinion-cumplimiento-fiel',
  cost: 1,
  needs: 'efirma',
  body: (rfc) => ({ rfc }),
});
