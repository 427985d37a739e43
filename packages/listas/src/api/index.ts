import { type FeatureApi, type OperationDeps, operationsWith, type PortsOf } from '@acuse/operation';
import { createListas } from '../db/index.ts';

export { adverso } from './fields.ts';

const ports = { listas: createListas };

export const defineOperation = operationsWith<OperationDeps & PortsOf<typeof ports>>();

export const listasApi: FeatureApi = {
  operations: new URL('./operations', import.meta.url),
  tags: { efos: ['Listas 69-B', 'Listas del artículo 69-B del Código Fiscal de la Federación.'] },
  ports,
};
