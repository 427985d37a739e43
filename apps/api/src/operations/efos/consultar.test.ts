import { describeConsulta } from '../../../test/consulta.ts';

describeConsulta({ path: 'efos/consultar', cost: 0, needs: null, asks: [], body: (rfc) => ({ rfc }) });
