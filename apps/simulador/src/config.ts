import { z } from 'zod';

const schema = z.object({
  SIMULADOR_HOST: z.string().default('127.0.0.1'),
  SIMULADOR_PORT: z.coerce.number().int().min(0).max(65_535).default(4500),
  SIMULADOR_DATA_DIR: z.string().min(1).optional(),
  SIMULADOR_SEMILLA: z.string().min(1).default('acuse'),
});

type Config = { host: string; port: number; dataDir: string | undefined; semilla: string };

/** Reads the environment; throws with every fault named. */
export function loadConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const result = schema.safeParse(env);
  if (!result.success) throw new Error(`Configuración inválida del simulador:\n${z.prettifyError(result.error)}`);
  const { SIMULADOR_HOST, SIMULADOR_PORT, SIMULADOR_DATA_DIR, SIMULADOR_SEMILLA } = result.data;
  return { host: SIMULADOR_HOST, port: SIMULADOR_PORT, dataDir: SIMULADOR_DATA_DIR, semilla: SIMULADOR_SEMILLA };
}
