import type { Sat } from '@acuse/core';
import type { Shutdown } from '@acuse/runtime';
import { createPublico, createSat, createSatHttp, createSatSoap } from '@acuse/sat';
import type { ApiConfig } from './config.ts';

/** The tax authority as the settings say. */
export function openSat(config: ApiConfig, shutdown: Shutdown): Sat {
  const http = createSatHttp(config.SAT_BASE_URL === undefined ? {} : { baseUrl: config.SAT_BASE_URL });
  shutdown.phase('sat', () => http.close());
  return createSat({ soap: createSatSoap({ http }), publico: createPublico({ http }) });
}
