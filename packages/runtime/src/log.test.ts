import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createLogger, type LogFields, type Logger, scrubText, silentLogger } from './log.ts';

const SECRETS = {
  apiKey: 'acuse_live_01hzy3qv_9fK2mQ7sXw-PlantedApiKey_00',
  testKey: 'acuse_test_01hzy3qv_PlantedTestKey',
  ciec: 'PlantedCiec12345',
  password: 'Planted-Pass:w0rd!',
  token: 'PlantedToken.abc.def',
  pem: '-----BEGIN PRIVATE KEY-----\nPlantedPemLine\n-----END PRIVATE KEY-----',
  cer: Buffer.from('PlantedCertificate'.repeat(20)).toString('base64'),
};

function capture(act: (log: Logger) => void): string {
  const lines: string[] = [];
  act(createLogger({ name: 'test', level: 'trace', destination: { write: (line) => void lines.push(line) } }));
  return lines.join('');
}

function expectNoSecret(output: string): void {
  expect(output).not.toBe('');
  for (const [name, value] of Object.entries(SECRETS)) expect(output, name).not.toContain(value);
  expect(output).not.toMatch(/Planted/);
  for (const line of output.trim().split('\n')) expect(() => JSON.parse(line)).not.toThrow();
}

class Taxpayer {
  readonly rfc = 'EKU9003173C9';
  readonly clave = SECRETS.ciec;
}

class FailedRequest extends Error {
  readonly request = { body: `{"ciec":"${SECRETS.ciec}"}`, headers: { authorization: `Bearer ${SECRETS.apiKey}` } };
  readonly code = 'ECONNRESET';
}

function prismaFailure(): Error {
  const error = new Error(`Invalid invocation:\n{ data: { dato: "${SECRETS.ciec}" } }\n\nArgument \`rfc\` is missing.`);
  error.name = 'PrismaClientValidationError';
  return error;
}

const nestedCause = new Error('outer', {
  cause: new Error('middle', { cause: new FailedRequest(`bad key ${SECRETS.apiKey}`) }),
});

const planted: Record<string, LogFields> = {
  'named fields': {
    authorization: `Bearer ${SECRETS.apiKey}`,
    ciec: SECRETS.ciec,
    key: SECRETS.password,
    password: SECRETS.password,
    cer: SECRETS.cer,
    cookie: `sid=${SECRETS.token}`,
    token: SECRETS.token,
  },
  'names in every spelling': {
    apiKey: SECRETS.password,
    API_KEY: SECRETS.password,
    'x-api-key': SECRETS.password,
    'Set-Cookie': SECRETS.token,
    accessToken: SECRETS.token,
    keyPassword: SECRETS.password,
    contraseña: SECRETS.password,
    secretAccessKey: SECRETS.password,
  },
  'bytes and objects under a secret name': {
    key: Buffer.from(SECRETS.password),
    password: { value: SECRETS.password },
  },
  nested: { a: { b: [{ c: { ciec: SECRETS.ciec, list: [SECRETS.apiKey] } }] } },
  'an array of keys': { found: [SECRETS.apiKey, SECRETS.testKey] },
  'a key as the name of a field': { [SECRETS.apiKey]: 1 },
  'a body in JSON': { body: JSON.stringify({ rfc: 'X', ciec: SECRETS.ciec, password: SECRETS.password }) },
  'a body in JSON, escaped twice': {
    body: JSON.stringify(JSON.stringify({ ciec: SECRETS.ciec, token: SECRETS.token })),
  },
  'a form': { body: `rfc=X&ciec=${SECRETS.ciec}&otro=1` },
  'headers in a text': { dump: `Authorization: Bearer ${SECRETS.token}\r\nCookie: sid=${SECRETS.token}\r\n` },
  'the address of a database': { target: 'postgres://acuse:PlantedDbPass@db:5432/acuse' },
  'the address of sentinels': {
    target: 'redis+sentinel://u:PlantedRedisPass@uno:26379,dos:26379/m?sentinelPassword=PlantedRedisPass',
  },
  'a URL object': { target: new URL('redis://default:PlantedRedisPass@redis:6379') },
  'a signed address': { url: 'http://s3/b/k?X-Amz-Credential=PlantedId%2F2026&X-Amz-Signature=Planted0123' },
  'a PEM': { text: SECRETS.pem },
  'base64 of a certificate': { text: SECRETS.cer },
  bytes: { payload: Buffer.from(SECRETS.ciec), view: new TextEncoder().encode(SECRETS.ciec) },
  'an instance of a class': {
    taxpayer: new Taxpayer(),
    map: new Map([['x', SECRETS.ciec]]),
    set: new Set([SECRETS.ciec]),
  },
  'a toJSON that gives it away': { thing: { toJSON: () => SECRETS.ciec } },
  'an error with properties': { err: new FailedRequest('reset') },
  'an error message': { err: new Error(`ciec=${SECRETS.ciec} password: "${SECRETS.password}" ${SECRETS.apiKey}`) },
  'error.cause': { err: nestedCause },
  'error.cause as a plain object': { err: new Error('x', { cause: { ciec: SECRETS.ciec, note: SECRETS.apiKey } }) },
  'an aggregate': { err: new AggregateError([new FailedRequest(SECRETS.apiKey)], SECRETS.testKey) },
  'an error of Prisma': { err: prismaFailure() },
  'an error under another name': { failure: new FailedRequest(SECRETS.apiKey), list: [nestedCause] },
};

describe('the logger keeps secrets out', () => {
  test.each(Object.entries(planted))('of fields: %s', (_, fields) => {
    expectNoSecret(capture((log) => log.info(fields, 'planted')));
  });

  test.each(Object.entries(planted))('of child fields: %s', (_, fields) => {
    expectNoSecret(capture((log) => log.child(fields).child({ n: 1 }).warn('planted')));
  });

  test.each(Object.entries(planted))('in the context fields: %s', (_, fields) => {
    expectNoSecret(capture((log) => log.within(fields, () => log.child({ n: 1 }).warn('planted'))));
  });

  test('of the message', () => {
    expectNoSecret(
      capture((log) => log.error(`key ${SECRETS.apiKey}, ciec: ${SECRETS.ciec}, Bearer ${SECRETS.token}`)),
    );
    expectNoSecret(capture((log) => log.error({ n: 1 }, `password=${SECRETS.password}`)));
  });
});

test.skipIf(!existsSync('/dev/full'))(
  'a full disk costs lines, not the process, and whatever it was at goes on',
  () => {
    const script = `import { createLogger } from ${JSON.stringify(new URL('./log.ts', import.meta.url).href)};
    const log = createLogger({ name: 'x' });
    for (let n = 0; n < 1_000; n += 1) log.info({ n }, 'x'.repeat(1_000));
    setImmediate(() => process.stderr.write('still here'));`;
    const full = openSync('/dev/full', 'w');
    const args = ['--conditions=acuse-source', '--import', 'tsx', '--input-type=module', '-e', script];
    const { status, stderr } = spawnSync(process.execPath, args, { stdio: ['ignore', full, 'pipe'], encoding: 'utf8' });
    closeSync(full);
    expect([status, stderr]).toEqual([0, 'still here']);
  },
);

test('a hostile text does not hold the process up', () => {
  for (const unit of ['a', 'a_', 'key', 'key=', '"', 'acuse_', '-----BEGIN A', 'Bearer ', 'x://', '\\\\"']) {
    expect(scrubText(unit.repeat(20_000 / unit.length)).length).toBeGreaterThan(0);
  }
});

describe('the logger keeps the needed fields', () => {
  function fieldsOf(fields: LogFields): Record<string, unknown> {
    return JSON.parse(capture((log) => log.info(fields, 'hello')));
  }

  test('level, time, name, message and plain fields', () => {
    const entry = fieldsOf({
      solicitudId: 'abc',
      registros: 3,
      keyId: '01hzy3qv',
      parte: { de: 2 },
      cuando: new Date(0),
    });
    expect(entry).toMatchObject({
      level: 'info',
      name: 'test',
      msg: 'hello',
      solicitudId: 'abc',
      registros: 3,
      keyId: '01hzy3qv',
      parte: { de: 2 },
      cuando: '1970-01-01T00:00:00.000Z',
    });
    expect(entry['time']).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
  });

  test('codes, name, message, frames and causes of an error', () => {
    const { err } = fieldsOf({ err: nestedCause }) as { err: Record<string, unknown> };
    expect(err).toMatchObject({
      name: 'Error',
      message: 'outer',
      cause: { message: 'middle', cause: { code: 'ECONNRESET', message: 'bad key acuse_live_[oculto]' } },
    });
    expect(err['stack']).toMatch(/^\s+at .*log\.test\.ts/);
  });

  test('the type of a key, so that a leak can be told from a typing error', () => {
    expect(fieldsOf({ note: SECRETS.testKey })).toMatchObject({ note: 'acuse_test_[oculto]' });
  });

  test('survives circles, deep objects and objects that refuse to be read', () => {
    const circle: Record<string, unknown> = { n: 1 };
    circle['self'] = circle;
    const hostile = {
      get broken() {
        throw new Error('no');
      },
    };
    expect(fieldsOf({ circle })).toHaveProperty('circle.n', 1);
    expect(() => fieldsOf({ hostile })).not.toThrow();
  });

  test('the context fields, on the lines of every logger that writes meanwhile, and on no other', async () => {
    const lines: string[] = [];
    const log = createLogger({ name: 'x', destination: { write: (line) => void lines.push(line) } });
    const child = log.child({ part: 'child' });
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const first = log.within({ step: 1 }, async () => {
      await held;
      child.info('first');
      log.within({ inner: true }, () => log.info({ step: 'own' }, 'nested'));
    });
    log.within({ step: 2 }, () => child.info('second'));
    log.info('outside');
    release();
    await first;
    const seen = lines
      .map((line) => JSON.parse(line))
      .map(({ msg, step, inner, part }) => ({ msg, step, inner, part }));
    expect(seen).toEqual([
      { msg: 'second', step: 2, part: 'child' },
      { msg: 'outside' },
      { msg: 'first', step: 1, part: 'child' },
      { msg: 'nested', step: 'own', inner: true },
    ]);
  });

  test('levels below the chosen one and the silent logger write nothing', () => {
    const lines: string[] = [];
    const log = createLogger({ name: 'x', level: 'warn', destination: { write: (line) => void lines.push(line) } });
    log.info('no');
    silentLogger.fatal('no');
    log.warn('yes');
    expect(lines).toHaveLength(1);
  });
});
