import { describeConsulta } from '../../../test/consulta.ts';

describeConsulta({
  path: 'tax/opinion-cumplimiento-publica',
  cost: 0,
  needs: null,
  body: (rfc) => ({ rfc }),
});
