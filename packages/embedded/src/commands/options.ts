import { parseArgs } from 'node:util';
import type { StackOptions } from '../stack.ts';

export interface CommandOptions {
  /** The last line of the output is one JSON object for other programs. */
  readonly json: boolean;
  /** Redis as the queue; without it, the database is the queue. */
  readonly redisUrl?: string;
  /** Rows that the simulated authority has in the asked period; without it, the handful a day that it makes up. */
  readonly rows?: number;
  readonly credencial: 'ciec' | 'efirma';
  /** Taxpayer of the ready account; without it, one without surprises. */
  readonly rfc?: string;
}

/** Reads the arguments of `demo` and `start`. @throws an Error in Spanish for the operator. */
export function readOptions(args: readonly string[]): CommandOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      json: { type: 'boolean', default: false },
      redis: { type: 'string' },
      rows: { type: 'string' },
      credencial: { type: 'string', default: 'ciec' },
      rfc: { type: 'string' },
    },
  });
  const { json, redis, credencial } = values;
  if (redis !== undefined && !/^rediss?:\/\//.test(redis))
    throw new Error('--redis: debe ser redis://servidor:puerto');
  if (credencial !== 'ciec' && credencial !== 'efirma')
    throw new Error('--credencial: debe ser ciec o efirma');
  const rfc = values.rfc?.trim().toUpperCase();
  if (rfc !== undefined && !/^[A-ZÑ&]{3,4}\d{6}[A-Z\d]{3}$/.test(rfc))
    throw new Error('--rfc: debe ser un RFC de 12 o 13 caracteres');
  const rows = values.rows === undefined ? undefined : Number(values.rows);
  if (rows !== undefined && (!Number.isSafeInteger(rows) || rows < 0 || rows > 50_000_000))
    throw new Error('--rows: debe ser un número entero entre 0 y 50,000,000');
  return {
    json,
    credencial,
    ...(redis === undefined ? {} : { redisUrl: redis }),
    ...(rfc === undefined ? {} : { rfc }),
    ...(rows === undefined ? {} : { rows }),
  };
}

/** Servers to use in place of the embedded ones: `--redis`, or DATABASE_URL, QUEUE_URL and S3_ENDPOINT with its credentials in the environment. */
export function externalServers(
  { redisUrl }: CommandOptions,
  env: NodeJS.ProcessEnv = process.env,
): Pick<StackOptions, 'databaseUrl' | 'redisUrl' | 's3'> {
  const queueUrl = redisUrl ?? env['QUEUE_URL'];
  const { DATABASE_URL: databaseUrl, S3_ENDPOINT: endpoint } = env;
  return {
    ...(databaseUrl ? { databaseUrl } : {}),
    ...(queueUrl ? { redisUrl: queueUrl } : {}),
    ...(endpoint
      ? {
          s3: {
            endpoint,
            bucket: env['S3_BUCKET'] ?? 'acuse',
            accessKeyId: env['S3_ACCESS_KEY_ID'] ?? '',
            secretAccessKey: env['S3_SECRET_ACCESS_KEY'] ?? '',
          },
        }
      : {}),
  };
}
