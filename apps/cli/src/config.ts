import { loadConfig, secret, url } from '@acuse/runtime';
import { z } from 'zod';

/** What the operator's command line needs from the environment. The only place of this app where it is read. */
export const cliConfig = z.object({
  DATABASE_URL: url('Base de datos PostgreSQL.', { protocols: ['postgres', 'postgresql'], secret: true }),
  API_KEY_PEPPERS: secret(
    'Secretos con los que se guardan las API keys, versión:base64 separados por comas; el primero es el vigente.',
  ).optional(),
});

export type CliConfig = Readonly<z.output<typeof cliConfig>>;

/** Reads the environment; throws one `ConfigError` with all faults. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): CliConfig {
  return loadConfig(cliConfig, env);
}
