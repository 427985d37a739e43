import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROCESOS } from '@acuse/vault';
import { beforeEach, expect, it } from 'vitest';
import { runOrder, UNSEEN } from '../fixtures/cli.ts';
import { duringTests } from '../fixtures/during-tests.ts';

interface Secret {
  readonly metadata: Readonly<Record<string, unknown>> & { readonly name: string; readonly resourceVersion?: string };
  readonly data: Readonly<Record<string, string>>;
}

const TOKEN = 'una-cuenta-de-servicio';

/** The Secrets of one namespace, by the rules of Kubernetes' API: create, read, and replace what has not changed since. */
const cluster = duringTests(async () => {
  const secrets = new Map<string, Secret>();
  const written: string[] = [];
  let version = 0;
  const allowed = { names: null as readonly string[] | null };
  /** Reads of the operator's Secret that wait for one another, so that two orders begin with the same. */
  const together = { readers: [] as (() => void)[], expected: 0 };
  const server = createServer((request, response) => {
    const answer = (status: number, body: object = { kind: 'Status', status: 'Failure' }) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    void (async () => {
      let text = '';
      for await (const chunk of request.setEncoding('utf8')) text += chunk;
      const [, path = ''] = /^\/api\/v1\/namespaces\/fiscal\/secrets\/?(.*)$/.exec(request.url ?? '') ?? [
        null,
        undefined,
      ];
      if (request.headers.authorization !== `Bearer ${TOKEN}`) return answer(401);
      const body = text === '' ? null : (JSON.parse(text) as Secret);
      const name = request.method === 'POST' ? (body?.metadata.name ?? '') : path;
      if (allowed.names !== null && !allowed.names.includes(name)) return answer(403);
      const present = secrets.get(name);
      if (request.method === 'GET' && together.expected > 0 && name.endsWith('-operador'))
        await new Promise<void>((resolve) => {
          together.readers.push(resolve);
          if (together.readers.length === together.expected) for (const go of together.readers) go();
        });
      if (request.method === 'GET') return present ? answer(200, present) : answer(404);
      if (body === null) return answer(400);
      if (request.method === 'POST' && present) return answer(409);
      if (request.method === 'PUT' && body.metadata.resourceVersion !== present?.metadata.resourceVersion)
        return answer(409);
      version += 1;
      const next = { ...body, metadata: { ...body.metadata, uid: `de-${name}`, resourceVersion: `${version}` } };
      secrets.set(name, next);
      written.push(name);
      return answer(request.method === 'POST' ? 201 : 200, next);
    })();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const folder = await mkdtemp(join(tmpdir(), 'acuse-externos-'));
  return {
    secrets,
    written,
    allowed,
    together,
    folder,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
});

const OUTSIDE = {
  DATABASE_URL: 'postgres://dueno:una-contrasena-de-fuera@db.interno:5432/acuse',
  QUEUE_URL: 'rediss://:otra-contrasena-de-fuera@cola.interno:6379',
  S3_SECRET_ACCESS_KEY: 'secreto-del-almacen-de-fuera',
};
const putOutside = async (values: Readonly<Record<string, string>>) => {
  for (const [name, value] of Object.entries(values)) await writeFile(join(cluster.folder, name), `${value}\n`);
};

beforeEach(async () => {
  cluster.secrets.clear();
  cluster.written.length = 0;
  cluster.allowed.names = null;
  cluster.together.expected = 0;
  cluster.together.readers.length = 0;
  await rm(join(cluster.folder, 'CAPTCHA_TOKEN'), { force: true });
  await putOutside(OUTSIDE);
});

async function order(...args: string[]): Promise<Record<string, unknown>[]> {
  const own = { ...UNSEEN, cluster: async () => ({ url: cluster.url, token: TOKEN, namespace: 'fiscal' }) };
  const { rows, said } = await runOrder({ DATABASE_URL: 'postgres://nobody@127.0.0.1:9/x' }, args, own);
  expect(said).toBe('');
  return rows;
}
const make = (...more: string[]) => order('secretos', '--kubernetes', 'acuse', '--externos', cluster.folder, ...more);

/** What a Secret holds, as a pod would find it in files. */
const valuesOf = (name: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(cluster.secrets.get(`acuse-${name}`)?.data ?? {}).map(([key, value]) => [
      key,
      Buffer.from(value, 'base64').toString(),
    ]),
  );
const PROCESSES = ['api', 'panel', 'descargas', 'coordinador', 'ensambles', 'webhooks', 'migrar'] as const;

it('makes a Secret for each process with its own alone, and one with all of them for the operator', async () => {
  const [shown] = await make();
  expect(shown).toEqual({ kubernetes: 'acuse', escritos: ['operador', ...PROCESSES].map((name) => `acuse-${name}`) });
  expect([...cluster.secrets.keys()].sort()).toEqual(['operador', ...PROCESSES].map((name) => `acuse-${name}`).sort());
  const all = valuesOf('operador');
  for (const name of PROCESSES)
    expect([name, ...Object.keys(valuesOf(name)).sort()]).toEqual([name, ...[...PROCESOS[name]].sort()]);
  expect(all).toMatchObject(OUTSIDE);
  expect(valuesOf('migrar')['DATABASE_URL']).toBe(OUTSIDE.DATABASE_URL);
  // Another installation may have users on the same server: theirs are never ours.
  const users = [valuesOf('api'), valuesOf('panel'), valuesOf('descargas')].map(
    (each) => new URL(each['DATABASE_URL'] ?? ''),
  );
  expect(
    users.map(({ username, host, pathname }) => [username.replace(/_[0-9a-f]{6}$/, '_#'), host, pathname]),
  ).toEqual(['api', 'panel', 'worker'].map((rol) => [`acuse_entra_${rol}_#`, 'db.interno:5432', '/acuse']));
  expect(valuesOf('webhooks')['DATABASE_URL']).toBe(valuesOf('ensambles')['DATABASE_URL']);
  // Nothing that is printed is a secret.
  expect(Object.values(all).some((value) => JSON.stringify(shown).includes(value))).toBe(false);
});

it('keeps present values, adds missing ones, and passes on changes from outside', async () => {
  await make();
  const before = new Map(cluster.secrets);
  expect(await make()).toEqual([{ kubernetes: 'acuse', escritos: [] }]);
  expect(new Map(cluster.secrets)).toEqual(before);

  // A Secret of a version without webhooks, with a note of another owner.
  const operador = cluster.secrets.get('acuse-operador');
  const { WEBHOOK_KEYS: _, ...older } = operador?.data ?? {};
  if (operador) cluster.secrets.set('acuse-operador', { ...operador, data: { ...older, nota: 'bm90YQ==' } });
  cluster.secrets.delete('acuse-webhooks');
  const api = valuesOf('api');
  await putOutside({
    S3_SECRET_ACCESS_KEY: 'otro-secreto-del-almacen',
    DATABASE_URL: OUTSIDE.DATABASE_URL.replace('db.', 'db2.'),
  });
  await writeFile(join(cluster.folder, 'CAPTCHA_TOKEN'), 'Bearer de-captchas');
  await make();
  expect(valuesOf('operador')).toMatchObject({ nota: 'nota', WEBHOOK_KEYS: expect.stringMatching(/^h1:/) });
  expect(valuesOf('webhooks')['WEBHOOK_KEYS']).toBe(valuesOf('operador')['WEBHOOK_KEYS']);
  expect(valuesOf('api')).toEqual({
    ...api,
    WEBHOOK_KEYS: valuesOf('operador')['WEBHOOK_KEYS'],
    S3_SECRET_ACCESS_KEY: 'otro-secreto-del-almacen',
    CAPTCHA_TOKEN: 'Bearer de-captchas',
    DATABASE_URL: api['DATABASE_URL']?.replace('db.', 'db2.'),
  });
  expect(['panel', 'ensambles', 'webhooks'].filter((name) => 'CAPTCHA_TOKEN' in valuesOf(name))).toEqual([]);
});

it('gives the queue on PostgreSQL a database of its own, which stays the same', async () => {
  await rm(join(cluster.folder, 'QUEUE_URL'));
  await make('--cola-en-postgres');
  const { QUEUE_URL = '', ...rest } = valuesOf('descargas');
  const { username, pathname, host } = new URL(QUEUE_URL);
  expect([username, pathname, host]).toEqual([
    expect.stringMatching(/^acuse_cola_[0-9a-f]{6}$/),
    expect.stringMatching(/^\/acuse_cola_[0-9a-f]{6}$/),
    'db.interno:5432',
  ]);
  expect(valuesOf('migrar')['DATABASE_URL_COLA']).toBe(QUEUE_URL);
  expect([
    new URL(QUEUE_URL).password === new URL(rest['DATABASE_URL'] ?? '').password,
    'QUEUE_URL' in valuesOf('api'),
  ]).toEqual([false, false]);
  expect(await make('--cola-en-postgres')).toEqual([{ kubernetes: 'acuse', escritos: [] }]);
});

it('rotates a secret by its steps in the Secrets of those who read it', async () => {
  await make();
  cluster.written.length = 0;
  await order('secretos', 'rotar', 'KEYRING', '--kubernetes', 'acuse');
  expect(cluster.written).toEqual(['acuse-operador', 'acuse-api', 'acuse-panel']);
  expect(valuesOf('api')['KEYRING']).toMatch(/^k1:[^,]+,k2:[^,]+$/);
  await order('secretos', 'rotar', 'WORKER_KEYS', '--paso', 'agregar', '--kubernetes', 'acuse');
  await order('secretos', 'rotar', 'WORKER_KEYS', '--paso', 'usar', '--kubernetes', 'acuse');
  expect([valuesOf('api')['WORKER_PUBLIC_KEY'], valuesOf('descargas')['WORKER_KEYS']]).toEqual([
    expect.stringMatching(/^w2:/),
    expect.stringMatching(/^w2:[^,]+,w1:/),
  ]);
});

it('names missing outside values and missing rights of the pod, and then writes nothing', async () => {
  await rm(join(cluster.folder, 'QUEUE_URL'));
  await expect(make()).rejects.toThrow('Faltan en el Secret de fuera: QUEUE_URL.');
  await putOutside(OUTSIDE);
  cluster.allowed.names = ['acuse-api'];
  await expect(make()).rejects.toThrow(/HTTP 403 a GET del Secret acuse-operador.*cuenta de servicio/);
  expect(cluster.secrets.size).toBe(0);
  await expect(
    runOrder({ DATABASE_URL: 'postgres://nobody@127.0.0.1:9/x' }, ['secretos', '--kubernetes', 'acuse'], UNSEEN),
  ).rejects.toThrow('--kubernetes: esta orden no corre en un pod');
});

it('is finished by the same order after it was interrupted, and refuses a second one at the same time', async () => {
  cluster.allowed.names = ['acuse-operador', 'acuse-api'];
  await expect(make()).rejects.toThrow('HTTP 403');
  const made = valuesOf('operador');
  cluster.allowed.names = null;
  await make();
  expect(valuesOf('operador')).toEqual(made);
  expect(cluster.secrets.size).toBe(1 + PROCESSES.length);

  cluster.together.expected = 2;
  const both = await Promise.allSettled(
    ['KEYRING', 'SESSION_KEYS'].map((name) => order('secretos', 'rotar', name, '--kubernetes', 'acuse')),
  );
  const refused = both.flatMap((each) => (each.status === 'rejected' ? [String(each.reason)] : []));
  expect(refused).toEqual([expect.stringContaining('Otra orden está cambiando los secretos de acuse')]);
});
