import { type FeatureApi, type OperationDeps, operationsWith, type PortsOf } from '@acuse/operation';
import { createSincronizaciones } from '@acuse/sincronizacion/db';
import { createRiesgo } from '../db/index.ts';
import { EVENTOS } from './eventos.ts';

const ports = { riesgo: createRiesgo, sincronizaciones: createSincronizaciones };

export const defineOperation = operationsWith<OperationDeps & PortsOf<typeof ports>>();

export const riesgoApi: FeatureApi = {
  operations: new URL('./operations', import.meta.url),
  tags: {
    riesgo: ['Contrapartes en listas', 'Con quién tiene CFDI un RFC, o una descarga, y está en una lista del SAT.'],
  },
  ports,
  eventos: EVENTOS,
};
