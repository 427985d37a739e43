import { type FeatureApi, type OperationDeps, operationsWith, type PortsOf } from '@acuse/operation';
import { createAlmacenes, createSincronizaciones } from '../db/index.ts';
import { EVENTOS } from './eventos.ts';

const ports = { sincronizaciones: createSincronizaciones, almacenes: createAlmacenes };

export { needSincronizacion } from './fields.ts';

export type SincronizacionDeps = OperationDeps & PortsOf<typeof ports>;

export const defineOperation = operationsWith<SincronizacionDeps>();

export const sincronizacionApi: FeatureApi = {
  operations: new URL('./operations', import.meta.url),
  tags: {
    cfdi: ['CFDI conocidos', 'CFDI conocidos de los RFC que se mantienen al día.'],
    sincronizacion: ['RFC al día', 'Los CFDI de un RFC al día, y qué cambió de ellos.'],
  },
  ports,
  eventos: EVENTOS,
};
