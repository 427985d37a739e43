import { describeConsulta } from '../../../test/consulta.ts';

describeConsulta({ path: 'tax/opinion-cumplimiento', cost: 1, needs: 'ciec', body: (rfc) => ({ rfc }) });
