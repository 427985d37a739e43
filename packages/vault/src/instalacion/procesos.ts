import { randomBytes } from 'node:crypto';
import { generateWorkerKeyPair } from '../sealing/worker-keys.ts';

/**
 * What each process of an installation is given to keep, by the names of its settings, and what the servers beside them
 * read.
 */
export const PROCESOS = {
  api: [
    'API_KEY_PEPPERS',
    'KEYRING',
    'WORKER_PUBLIC_KEY',
    'WORKER_PSK',
    'SESSION_KEYS',
    'DATABASE_URL',
    'S3_SECRET_ACCESS_KEY',
  ],
  panel: [
    ...['API_KEY_PEPPERS', 'KEYRING', 'WORKER_PUBLIC_KEY', 'WORKER_PSK', 'PANEL_SECRETS'],
    ...['DATABASE_URL', 'QUEUE_URL', 'S3_SECRET_ACCESS_KEY'],
  ],
  descargas: ['WORKER_KEYS', 'WORKER_PSKS', 'SESSION_KEYS', 'DATABASE_URL', 'QUEUE_URL', 'S3_SECRET_ACCESS_KEY'],
  ensambles: ['DATABASE_URL', 'QUEUE_URL', 'S3_SECRET_ACCESS_KEY'],
  migrar: ['DATABASE_URL'],
  postgres: ['POSTGRES_PASSWORD'],
  redis: ['REDIS_PASSWORD', 'redis.conf'],
  s3: ['s3.json'],
} as const;

/** Has everything: who rotates the secrets writes those of all others. */
export const OPERADOR = 'operador';

/** What the API, the panel and the workers need to share and to keep, named like their settings. */
export function newSecretos(): Record<string, string> {
  const clave = () => randomBytes(32).toString('base64');
  const pair = generateWorkerKeyPair();
  const psk = clave();
  return {
    API_KEY_PEPPERS: `1:${clave()}`,
    KEYRING: `k1:${clave()}`,
    WORKER_PUBLIC_KEY: `w1:${pair.publicKey}`,
    WORKER_PSK: `p1:${psk}`,
    WORKER_KEYS: `w1:${pair.privateKey}`,
    WORKER_PSKS: `p1:${psk}`,
    SESSION_KEYS: `s1:${clave()}`,
    PANEL_SECRETS: `p1:${clave()}`,
  };
}

/** Passwords of the servers that `docker-compose.yml` starts, and the settings that contain them. */
export function newServidores(): Record<string, string> {
  const [postgres, redis, s3] = Array.from({ length: 3 }, () => randomBytes(24).toString('base64url'));
  const identity = {
    name: 'acuse',
    credentials: [{ accessKey: 'acuse', secretKey: s3 }],
    actions: ['Admin', 'Read', 'Write', 'List', 'Tagging'],
  };
  return {
    POSTGRES_PASSWORD: `${postgres}`,
    DATABASE_URL: `postgres://acuse:${postgres}@postgres:5432/acuse`,
    REDIS_PASSWORD: `${redis}`,
    'redis.conf': `requirepass ${redis}\n`,
    QUEUE_URL: `redis://:${redis}@redis:6379`,
    S3_SECRET_ACCESS_KEY: `${s3}`,
    's3.json': JSON.stringify({ identities: [identity] }),
  };
}
