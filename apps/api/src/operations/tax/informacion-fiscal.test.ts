import { describeConsulta } from '../../../test/consulta.ts';

describeConsulta({ path: 'tax/informacion-fiscal', cost: 1, needs: 'ciec', body: (rfc) => ({ rfc }) });
