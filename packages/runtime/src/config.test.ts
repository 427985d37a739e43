import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import * as z from 'zod';
import {
  bool,
  ConfigError,
  choice,
  decimal,
  describeConfig,
  durationMs,
  durationSeconds,
  envExample,
  integer,
  list,
  loadConfig,
  port,
  secret,
  text,
  url,
} from './config.ts';
import { proxyFields, queueFields } from './shared-fields.ts';

const schema = z.object({
  PORT: port('Puerto HTTP.').default(8080),
  DATABASE_URL: url('Dirección de PostgreSQL.', { protocols: ['postgres', 'postgresql'], secret: true }),
  LEASE_SECONDS: durationSeconds('Vida de un arriendo.', { min: 1 }).default(30),
  POLL_MS: durationMs('Espera del relevo.').default(500),
  RATIO: decimal('Proporción.', { min: 0, max: 1 }).default(0.5),
  MAX_PARTS: integer('Partes como máximo.', { max: 10 }).default(4),
  ROLES: list('Tareas de este proceso.').default(['descargas']),
  SANDBOX: bool('Modo de pruebas.').default(false),
  LEVEL: choice(['info', 'debug'], 'Detalle del registro.').default('info'),
  NAME: text('Nombre.').optional(),
  PEPPER: secret('Pimienta de las claves.', { minLength: 16 }),
});

const valid = { DATABASE_URL: 'postgres://u:p@localhost/acuse', PEPPER: 'a-long-enough-pepper' };

function faultsOf(env: Record<string, string | undefined>): readonly string[] {
  try {
    loadConfig(schema, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

describe('loadConfig', () => {
  let dir = '';
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'acuse-config-'));
  });
  afterAll(() => rmSync(dir, { recursive: true }));

  test('gives the defaults, frozen, and leaves out what it does not know', () => {
    const config = loadConfig(schema, { ...valid, HOME: '/root' });
    expect(config).toEqual({
      ...valid,
      PORT: 8080,
      LEASE_SECONDS: 30,
      POLL_MS: 500,
      RATIO: 0.5,
      MAX_PARTS: 4,
      ROLES: ['descargas'],
      SANDBOX: false,
      LEVEL: 'info',
    });
    expect(Object.isFrozen(config)).toBe(true);
  });

  test('reads every kind of field', () => {
    const config = loadConfig(schema, {
      ...valid,
      PORT: '0',
      LEASE_SECONDS: ' 45 ',
      RATIO: '0.25',
      ROLES: 'descargas, relevo,,',
      SANDBOX: 'Sí',
      LEVEL: 'debug',
      NAME: ' uno ',
    });
    expect(config).toMatchObject({
      PORT: 0,
      LEASE_SECONDS: 45,
      RATIO: 0.25,
      SANDBOX: true,
      LEVEL: 'debug',
      NAME: 'uno',
    });
    expect(config.ROLES).toEqual(['descargas', 'relevo']);
  });

  test('an empty variable counts as not set', () => {
    expect(loadConfig(schema, { ...valid, PORT: '', NAME: '' })).not.toHaveProperty('NAME');
    expect(faultsOf({ ...valid, PEPPER: '' })).toEqual(['PEPPER: falta (Pimienta de las claves.)']);
  });

  test('reports all faults together, in Spanish, without any value', () => {
    const faults = faultsOf({
      PORT: '70000',
      DATABASE_URL: 'mysql://root:SUPERSECRETO@db/x',
      LEASE_SECONDS: '0',
      RATIO: '2',
      MAX_PARTS: '4.5',
      SANDBOX: 'quizas',
      LEVEL: 'gritos',
      PEPPER: 'corta-XYZ',
    });
    expect(faults).toEqual([
      'PORT: debe ser un número entero desde 0 hasta 65535',
      'DATABASE_URL: debe ser una dirección completa que empiece con postgres:// o postgresql://',
      'LEASE_SECONDS: debe ser un número entero desde 1',
      'RATIO: debe ser un número desde 0 hasta 1',
      'MAX_PARTS: debe ser un número entero desde 0 hasta 10',
      'SANDBOX: debe ser true o false',
      'LEVEL: debe ser una de: info, debug',
      'PEPPER: debe tener al menos 16 caracteres',
    ]);
    const { message } = new ConfigError(faults);
    expect(message).toContain('La configuración tiene 8 errores:');
    expect(message).not.toMatch(/SUPERSECRETO|XYZ/);
  });

  test('takes an address of several hosts as libpq writes it', () => {
    const read = (hosts: string) =>
      loadConfig(schema, { ...valid, DATABASE_URL: `postgres://u:p@${hosts}/acuse?target_session_attrs=read-write` });
    const address = new URL(read('a:5433,b').DATABASE_URL);
    expect([address.host, address.pathname, Object.fromEntries(address.searchParams)]).toEqual([
      'a:5433',
      '/acuse',
      { target_session_attrs: 'read-write', host: 'a,b', port: '5433,5432' },
    ]);
    expect(() => read('a:x,b')).toThrow('DATABASE_URL: debe ser una dirección completa');
  });

  test('refuses the address of PgBouncer where LISTEN is used', () => {
    const queue = z.object({ QUEUE_URL: queueFields.QUEUE_URL });
    const at = (url: string) => () => loadConfig(queue, { QUEUE_URL: url });
    expect(at('postgres://u:p@pool:6432/cola?pgbouncer=true')).toThrow(
      'QUEUE_URL: debe ser la dirección de PostgreSQL mismo',
    );
    expect(at('postgres://u:p@db:5432/cola')()).toEqual({ QUEUE_URL: 'postgres://u:p@db:5432/cola' });
  });

  test('reads NAME_FILE, dropping its final line break', () => {
    const file = join(dir, 'pepper');
    writeFileSync(file, 'pepper-from-a-file \n');
    expect(loadConfig(schema, { DATABASE_URL: valid.DATABASE_URL, PEPPER_FILE: file }).PEPPER).toBe(
      'pepper-from-a-file ',
    );
  });

  test('refuses a variable that is set twice, and a file that cannot be read', () => {
    expect(faultsOf({ ...valid, PEPPER_FILE: join(dir, 'pepper') })).toEqual([
      'PEPPER: está puesta dos veces, directamente y como PEPPER_FILE; deje solo una',
    ]);
    expect(faultsOf({ DATABASE_URL: valid.DATABASE_URL, PEPPER_FILE: join(dir, 'none') })).toEqual([
      'PEPPER: no se pudo leer el archivo que indica PEPPER_FILE (ENOENT)',
    ]);
  });

  test('refuses an empty file even for a setting with a default: naming a file means giving a value', () => {
    const file = join(dir, 'empty');
    for (const content of ['', '\n', ' \r\n']) {
      writeFileSync(file, content);
      expect(faultsOf({ ...valid, PEPPER: undefined, PEPPER_FILE: file, PORT_FILE: file })).toEqual([
        'PORT: el archivo que indica PORT_FILE está vacío; escriba en él el valor, o quite PORT_FILE',
        'PEPPER: el archivo que indica PEPPER_FILE está vacío; escriba en él el valor, o quite PEPPER_FILE',
      ]);
    }
  });

  test('reads each secret of a process from a file as it reads it from the environment, whatever ends its lines', () => {
    const secrets = describeConfig(schema).filter((entry) => entry.secret);
    expect(secrets.map(({ name }) => name)).toEqual(['DATABASE_URL', 'PEPPER']);
    for (const end of ['', '\n', '\r\n']) {
      const env = Object.fromEntries(
        secrets.map(({ name }) => {
          writeFileSync(join(dir, name), `${valid[name as keyof typeof valid]}${end}`);
          return [`${name}_FILE`, join(dir, name)];
        }),
      );
      expect(loadConfig(schema, env)).toEqual(loadConfig(schema, valid));
    }
  });

  test('a duration whose name does not tell the unit is a mistake of the schema', () => {
    expect(() => loadConfig(z.object({ LEASE: durationSeconds('x').default(1) }), {})).toThrow(/must end in _SECONDS/);
  });
});

const shown = z.object({
  PORT: port('Puerto HTTP.').default(8080),
  ROLES: list('Tareas.').default(['a', 'b']),
  NAME: text('Nombre.').optional(),
  PEPPER: secret('Pimienta.'),
});

test('describes each variable: description, default as text, required, secret', () => {
  expect(describeConfig(shown)).toEqual([
    { name: 'PORT', description: 'Puerto HTTP.', required: false, secret: false, default: '8080' },
    { name: 'ROLES', description: 'Tareas.', required: false, secret: false, default: 'a,b' },
    { name: 'NAME', description: 'Nombre.', required: false, secret: false, default: null },
    { name: 'PEPPER', description: 'Pimienta.', required: true, secret: true, default: null },
  ]);
});

test('a description given by .describe() after the builder counts too', () => {
  const [entry] = describeConfig(z.object({ PORT: port('viejo').default(1).describe('nuevo') }));
  expect(entry).toMatchObject({ description: 'nuevo', default: '1' });
});

test('what a field becomes after it was described takes nothing of its description away', () => {
  const doubled = list('Números.').transform((values) => values.map((value) => 2 * Number(value)));
  const entries = describeConfig(
    z.object({ WITH: doubled.prefault('1,2'), WITHOUT: doubled.optional(), AGAIN: doubled.refine(Boolean) }),
  );
  expect(entries.map((entry) => [entry.description, entry.default])).toEqual([
    ['Números.', '1,2'],
    ['Números.', null],
    ['Números.', null],
  ]);
});

test('a default that cannot be written as it is read is a mistake of the shown', () => {
  const shown = z.object({ PRICES: list('x').default([{ price: 1 }] as never) });
  expect(() => describeConfig(shown)).toThrow(/PRICES.*prefault/);
});

test('writes the lines of an .env.example', () => {
  expect(envExample(describeConfig(shown))).toBe(`# Puerto HTTP.
# Opcional.
#PORT=8080

# Tareas.
# Opcional.
#ROLES=a,b

# Nombre.
# Opcional.
#NAME=

# Pimienta.
# Obligatoria. Secreta: también se lee del archivo que indique PEPPER_FILE.
PEPPER=
`);
});

const proxied = z.object(proxyFields);

it('trusts no proxy unless some are named, as blocks or single addresses', () => {
  expect(loadConfig(proxied, {})).toEqual({ TRUSTED_PROXIES: [] });
  expect(loadConfig(proxied, { TRUSTED_PROXIES: '10.0.0.0/8, ::1' })).toEqual({
    TRUSTED_PROXIES: ['10.0.0.0/8', '::1'],
  });
});

it.each(['proxy', '10.0.0.0/8,proxy', '0x7f.1', '0x7f.1/8', '2130706433', '10.0.0.0/33'])(
  'refuses %s, which is read in more than one way or in none',
  (text) => {
    expect(() => loadConfig(proxied, { TRUSTED_PROXIES: text })).toThrow('TRUSTED_PROXIES');
  },
);
