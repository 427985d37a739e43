import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { addDays } from '@acuse/core';
import {
  createContribuyentes,
  createCuentas,
  createLibro,
  createLlaves,
  createSaldos,
  migrate,
  openDatabase,
} from '@acuse/db';
import { createDatabase, freePort } from '@acuse/embedded';
import { createApiKeyHasher, generateApiKey, generateWorkerKeyPair, registroOf } from '@acuse/vault';
import { startCpu } from './cpu.ts';
import { load } from './load.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FLAGS = ['--conditions=acuse-source', '--import', 'tsx'];
const TAXPAYERS = 200;

interface Caller {
  readonly rfc: string;
  readonly key: string;
  day: number;
}

async function seed(databaseUrl: string, pepper: Buffer): Promise<Caller[]> {
  const db = openDatabase({ url: databaseUrl, poolSize: 8, timeoutMs: 30_000, applicationName: 'bench' });
  const hasher = createApiKeyHasher({ peppers: new Map([[1, pepper]]), current: 1 });
  const callers: Caller[] = [];
  for (let n = 0; n < TAXPAYERS; n += 1) {
    const cuenta = await createCuentas(db).create({
      nombre: 'Carga',
      email: `${randomUUID()}@example.com`,
      actor: 'bench',
      ip: null,
    });
    await createLibro(db).credit({
      cuentaId: cuenta.id,
      creditos: 1_000_000,
      referencia: randomUUID(),
      detalle: 'bench',
      actor: 'prueba',
      ip: null,
    });
    const letter = (i: number) => String.fromCharCode(65 + (i % 26));
    const rfc = `${letter(n)}${letter(Math.floor(n / 26))}B200101AB1`;
    const { id } = await createContribuyentes(db).add({ cuentaId: cuenta.id, rfc, actor: 'bench', ip: null });
    const key = generateApiKey('test');
    const llave = registroOf(hasher, key);
    await createLlaves(db).activate({ contribuyenteId: id, llave, actor: 'bench', ip: null });
    callers.push({ rfc, key: key.text, day: 0 });
  }
  await createSaldos(db);
  await db.close();
  return callers;
}

const headersOf = (caller: Caller) => ({
  authorization: `Bearer ${caller.key}`,
  'content-type': 'application/json',
  'user-agent': 'acuse-bench/1',
});

async function storeCiec(url: string, callers: readonly Caller[]): Promise<void> {
  for (const caller of callers)
    for (const [path, body] of [
      ['vault/rfc-registrar', { rfc: caller.rfc }],
      ['vault/rfc-guardar', { rfc: caller.rfc, ciec: 'Ciec567890123456' }],
    ] as const) {
      const response = await fetch(`${url}/api/v1/${path}`, {
        method: 'POST',
        headers: headersOf(caller),
        body: JSON.stringify(body),
      });
      if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    }
}

type Loaded = Awaited<ReturnType<typeof load>> & { readonly cpuMs: readonly number[] };

/** What a load cost for each answer in the process that answered and in PostgreSQL, milliseconds of processor. */
async function costOf(
  server: ChildProcess,
  postgres: { pid: number },
  run: () => ReturnType<typeof load>,
): Promise<Loaded> {
  const measured = await Promise.all([startCpu(server.pid ?? 0), startCpu(postgres.pid)]);
  const result = await run();
  const spent = await Promise.all(measured.map((since) => since()));
  return { ...result, cpuMs: spent.map((ms) => ms / result.all) };
}

const sum = (all: readonly number[]) => all.reduce((a, b) => a + b, 0);
const told = ({ perSecond, p50, p99, cpuMs }: Loaded) =>
  `${perSecond.toFixed(0)}/s (p50 ${p50} ms, p99 ${p99} ms; ${cpuMs.map((ms) => ms.toFixed(2)).join(' + ')} ms of processor here and in PostgreSQL)`;

/** Accepts a second through the real API process, beside a bare route with one durable INSERT on the same database. */
export async function benchAccept(
  postgres: { readonly url: string; readonly pid: number },
  options: { seconds: number; connections: number },
): Promise<void> {
  const databaseUrl = await createDatabase(postgres.url, `bench_${randomBytes(4).toString('hex')}`);
  await migrate(databaseUrl);
  const pepper = randomBytes(32);
  const callers = await seed(databaseUrl, pepper);
  // Acceptance asks no certificate; the API wants some authority to be configured.
  const dir = await mkdtemp(join(tmpdir(), 'acuse-bench-'));
  const authorities = join(dir, 'ca.pem');
  await writeFile(authorities, rootCertificates[0] ?? '');
  const apiPort = await freePort();
  const api = fork(`${ROOT}apps/api/src/main.ts`, [], {
    execArgv: FLAGS,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: {
      ...process.env,
      LOG_LEVEL: 'error',
      API_PORT: String(apiPort),
      DATABASE_URL: databaseUrl,
      DATABASE_POOL: '20',
      API_KEY_PEPPERS: `1:${pepper.toString('base64')}`,
      KEYRING: `k1:${randomBytes(32).toString('base64')}`,
      WORKER_PUBLIC_KEY: `w1:${generateWorkerKeyPair().publicKey}`,
      WORKER_PSK: `p1:${randomBytes(32).toString('base64')}`,
      EFIRMA_AUTORIDADES: authorities,
      RATE_LIMIT_RPS: '0',
      SESSION_KEYS: `s1:${randomBytes(32).toString('base64')}`,
      S3_ENDPOINT: 'http://127.0.0.1:9',
      S3_ACCESS_KEY_ID: 'x',
      S3_SECRET_ACCESS_KEY: 'y',
    },
  });
  const floor = fork(`${ROOT}test/bench/floor-server.ts`, [databaseUrl], {
    execArgv: FLAGS,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  try {
    const [{ port: floorPort }] = (await once(floor, 'message')) as [{ port: number }];
    const apiUrl = `http://127.0.0.1:${apiPort}`;
    for (;;) {
      const isUp = await fetch(`${apiUrl}/healthz`).then(
        (response) => response.ok,
        () => false,
      );
      if (isUp) break;
      if (api.exitCode !== null) throw new Error('the API did not start');
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    await storeCiec(apiUrl, callers);

    let turn = 0;
    const next = () => {
      const caller = callers[turn++ % callers.length];
      if (!caller) throw new Error('no caller');
      const day = caller.day++;
      const desde = addDays('2021-01-01', day % 1_500);
      const hasta = addDays(desde, Math.floor(day / 1_500));
      return { headers: headersOf(caller), body: JSON.stringify({ rfc: caller.rfc, tipo: 'recibidos', desde, hasta }) };
    };
    const rounds = [];
    for (let round = 0; round < 2; round += 1) {
      const piso = await costOf(floor, postgres, () =>
        load({ ...options, url: `http://127.0.0.1:${floorPort}/piso`, next }),
      );
      const acuse = await costOf(api, postgres, () =>
        load({ ...options, url: `${apiUrl}/api/v1/tax/descarga-metadata`, next }),
      );
      if (acuse.failed > 0) throw new Error(`${acuse.failed} acceptances failed`);
      rounds.push({ piso, acuse });
    }
    const best = rounds.reduce((a, b) =>
      b.acuse.perSecond / b.piso.perSecond > a.acuse.perSecond / a.piso.perSecond ? b : a,
    );
    for (const { piso, acuse } of rounds)
      console.log(
        `accept: ${told(acuse)} | floor, one durable INSERT: ${told(piso)} | ratio ${(acuse.perSecond / piso.perSecond).toFixed(2)}, by processor ${(sum(piso.cpuMs) / sum(acuse.cpuMs)).toFixed(2)}`,
      );
    console.log(
      `accept: best of ${rounds.length} rounds ${(best.acuse.perSecond / best.piso.perSecond).toFixed(2)} of the floor (aim 0.6)`,
    );
  } finally {
    api.kill();
    floor.kill();
    await rm(dir, { recursive: true, force: true });
  }
}
