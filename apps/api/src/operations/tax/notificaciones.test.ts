import { describeConsulta } from '../../../test/consulta.ts';

describeConsulta({ path: 'tax/notificaciones', cost: 1, needs: 'any', body: (rfc) => ({ rfc }) });
