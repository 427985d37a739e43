import { type FeatureApi, type OperationDeps, operationsWith, type PortsOf } from '@acuse/operation';
import { createLlamadas } from '../db.ts';
import { createRegistro } from '../registro.ts';
import type { LlamadasConfig } from '../settings.ts';

const ports = { llamadas: createLlamadas };

export const defineOperation = operationsWith<OperationDeps & PortsOf<typeof ports>>();

export const llamadasApi: FeatureApi<LlamadasConfig> = {
  operations: new URL('./operations', import.meta.url),
  tags: { llamadas: ['Llamadas', 'Lo que se llamó con las API keys del RFC, y cómo terminó.'] },
  ports,
  observe: ({ LLAMADAS_REGISTRO }, database, log) =>
    LLAMADAS_REGISTRO ? createRegistro(createLlamadas(database), log) : null,
};
