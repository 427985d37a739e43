import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeConfig, loadConfig } from '@acuse/runtime';
import { afterAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { readSettings } from '../../packages/embedded/src/settings.ts';
import { apiEnv, filesOf, panelEnv, workerEnv } from '../../packages/embedded/src/stack-env.ts';
import { SECTIONS } from './env-example.ts';

const dir = mkdtempSync(join(tmpdir(), 'acuse-arranque-'));
afterAll(() => rmSync(dir, { recursive: true }));

/**
 * Texts of every kind that a setting takes; the first that it accepts and that is not what it has anyway is the one to
 * try.
 */
const TEXTS = [
  ...['7', '91', '400', '5000', '70', '3', '0.75', 'false', 'true', 'debug', 'avisar', 'cerrado', 'personas', '5-9'],
  ...['http://127.0.0.9:7000', 'postgres://u:p@127.0.0.9/otra', '10.1.0.0/16', 'relay,reaper', '3,9,27'],
  ...['100:50', '032180000118359719', '5 5 * * *', 'portal', 'parentbased_always_off', 'texto'],
  ...['smtp://127.0.0.9:25', 'avisos@acuse.example', 'saldo.bajo', 'sin', 'firmes=no'],
];
/** What a setting needs beside it. */
const BESIDE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  WORKER_PUBLIC_KEY: { WORKER_KEYS: 'w2:x' },
  WORKER_KEYS: { WORKER_PUBLIC_KEY: 'w2:x' },
  WORKER_PSK: { WORKER_PSKS: 'p2:x' },
  WORKER_PSKS: { WORKER_PSK: 'p2:x' },
  MANIFEST_KEYS: { MANIFEST_PUBLIC_KEYS: 'm2:x' },
  MANIFEST_PUBLIC_KEYS: { MANIFEST_KEYS: 'm2:x' },
  S3_FORCE_PATH_STYLE: { S3_ENDPOINT: 'http://127.0.0.9:7000' },
  SMTP_URL: { CORREO_DE: 'avisos@acuse.example', PANEL_PUBLIC_URL: 'http://127.0.0.9:7000' },
  CORREO_DE: { SMTP_URL: 'smtp://127.0.0.9:25', PANEL_PUBLIC_URL: 'http://127.0.0.9:7000' },
};
/** Those that `npm start` cannot follow at all. */
const REFUSED = ['SAT_BASE_URL', 'SAT_PRUEBAS_URL'];

const secrets = { carpeta: join(dir, 'secretos'), valores: {} };
const addresses = {
  databaseUrl: 'postgres://u:p@127.0.0.1/acuse',
  queueUrl: 'postgres://u:p@127.0.0.1/acuse',
  simuladorUrl: 'http://127.0.0.1:8090',
  s3: { endpoint: 'http://127.0.0.1:8333', bucket: 'acuse', accessKeyId: 'a', secretAccessKey: 'b' },
};
/** Every file of a secret, as the process would find it. */
const inPlace = (files: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(files).map(([name, path]) => {
      const plain = name.replace(/_FILE$/, '');
      const isUrl = plain.endsWith('_URL');
      return path.startsWith(secrets.carpeta) ? [plain, isUrl ? addresses.databaseUrl : 'k1:x'] : [name, path];
    }),
  );

/** The environment that `npm start` gives a process when it is started with `given` in its own, or in a file .env. */
function environmentOf(title: string, given: Readonly<Record<string, string>>, source: 'environment' | 'file') {
  const file = join(dir, '.env');
  const lines = Object.entries(source === 'file' ? given : { LOG_LEVEL: 'fatal' });
  writeFileSync(file, lines.map(([name, value]) => `${name}="${value}"`).join('\n'));
  const { env, ports } = readSettings(source === 'file' ? {} : { PATH: '/bin', ...given }, file);
  const autoridades = '/datos/simulador.pem';
  if (title.includes('api'))
    return apiEnv(addresses, inPlace(filesOf(secrets, 'api')), {
      port: ports.api ?? 8080,
      autoridades,
      given: env.api,
    });
  if (title.includes('worker'))
    return workerEnv(addresses, inPlace({ ...filesOf(secrets, 'webhooks'), ...filesOf(secrets, 'descargas') }), {
      healthPort: ports.health ?? 0,
      given: env.worker,
    });
  return panelEnv(addresses, inPlace(filesOf(secrets, 'panel')), {
    port: ports.panel ?? 8081,
    apiUrl: 'http://127.0.0.1:8080',
    autoridades,
    given: env.panel,
  });
}

describe.each(SECTIONS.filter(([title]) => !title.includes('cli')))(
  'npm start and the settings of %s',
  (title, schema) => {
    const settings = describeConfig(schema).filter(({ name }) => !REFUSED.includes(name));
    const usual = loadConfig(schema, environmentOf(title, {}, 'file')) as Readonly<Record<string, unknown>>;

    it.each(settings.map(({ name }) => name))('%s reaches it, from the environment and from .env', (name) => {
      const field = schema.shape[name] ?? z.never();
      const readable = TEXTS.filter((text) => z.safeParse(field, text).success);
      const text = readable.find((one) => String(z.parse(field, one)) !== String(usual[name]));
      expect(text, `no text of this test is another value of ${name}`).toBeDefined();
      const wanted = z.parse(field, text);
      for (const source of ['environment', 'file'] as const) {
        const env = environmentOf(title, { ...BESIDE[name], [name]: text ?? '' }, source);
        const config = loadConfig(schema, env) as Readonly<Record<string, unknown>>;
        // A list of who is trusted is added to what the stack itself needs.
        const isAdded = ['EFIRMA_AUTORIDADES', 'TRUSTED_PROXIES'].includes(name);
        expect(config[name]).toEqual(isAdded ? expect.arrayContaining(wanted as unknown[]) : wanted);
        if (isAdded) expect(config[name]).toEqual(expect.arrayContaining((usual[name] as unknown[]) ?? []));
      }
    });

    it.each(settings.filter(({ secret }) => secret).map(({ name }) => name))(
      '%s is also read from its file',
      (name) => {
        const path = join(dir, name);
        const url = name === 'SMTP_URL' ? 'smtp://u:p@127.0.0.9' : 'postgres://u:p@127.0.0.9/de-archivo';
        const value = name.endsWith('_URL') ? url : 'k9:de-archivo';
        writeFileSync(path, `${value}\n`);
        const env = environmentOf(title, { ...BESIDE[name], [`${name}_FILE`]: path }, 'environment');
        expect(loadConfig(schema, env)).toHaveProperty(name, value);
      },
    );
  },
);

describe('npm start refuses', () => {
  const refusal = (given: Readonly<Record<string, string>>) => {
    try {
      readSettings(given, join(dir, 'ninguno'));
    } catch (error) {
      return (error as Error).message;
    }
    return 'accepted';
  };

  it.each([
    [{ SAT_PRUEBAS_URL: 'http://127.0.0.1:1' }, 'SAT_PRUEBAS_URL: esta orden trae su propio', 'Quite este ajuste'],
    [{ SAT_BASE_URL: 'http://127.0.0.1:1' }, 'SAT_BASE_URL: esta orden trae su propio simulador', 'Quite este ajuste'],
    [{ CAPTCHA_RESOLVER: 'consola' }, 'CAPTCHA_RESOLVER: los procesos', 'Use personas'],
    [{ S3_FORCE_PATH_STYLE: 'false' }, 'S3_FORCE_PATH_STYLE: el almacén incluido', 'S3_ENDPOINT'],
    [{ WORKER_KEYS: 'w2:x' }, 'WORKER_PUBLIC_KEY: falta; es la pareja de WORKER_KEYS', 'Ponga ambas o ninguna'],
    [{ WORKER_PSK: 'p2:x' }, 'WORKER_PSKS: falta; es la pareja de WORKER_PSK', 'Ponga ambas o ninguna'],
    [{ DATABASE_URL: 'mysql://x' }, 'DATABASE_URL: debe ser una dirección', 'postgres://'],
    [{ API_PORT: 'ocho' }, 'API_PORT: debe ser un número', '65535'],
  ])('%j by its name, with reason and remedy', (given, reason, remedy) => {
    const message = refusal(given);
    expect(message).toContain(reason);
    expect(message).toContain(remedy);
  });

  it('nothing that is empty, nor a captcha service, nor a pair that is whole', () => {
    expect(refusal({ SAT_BASE_URL: '', WORKER_KEYS: '' })).toBe('accepted');
    expect(refusal({ CAPTCHA_RESOLVER: 'http', WORKER_PSK: 'a', WORKER_PSKS: 'a' })).toBe('accepted');
  });
});
