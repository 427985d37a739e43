import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { rootCertificates } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { addDays } from '@acuse/core';
import { createClaims, createContribuyentes, createCuentas, createLibro, createLlaves, migrate } from '@acuse/db';
import { openRecords } from '@acuse/db/records';
import { buildPrograms, createDatabase, freePort, programEntry } from '@acuse/embedded';
import { createApiKeyHasher, generateApiKey, generateWorkerKeyPair, registroOf } from '@acuse/vault';
import { WITH_FEATURES } from '../integration/fixtures/features.ts';
import { cpuOf, startCpu } from './cpu.ts';
import { joinNumbers } from './join-runs.ts';
import { load } from './load.ts';
import { acceptBare } from './statement.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FLAGS = ['--conditions=acuse-source', '--import', 'tsx'];
const TAXPAYERS = 200;
/** Rounds of the API with the log of calls beside the one without. */
const ROUNDS = 10;
/** What the API without the log is in PostgreSQL. */
const SILENT = 'silencio';

interface Caller {
  readonly rfc: string;
  readonly key: string;
  day: number;
}

/** The database, for what the bench does there itself. */
const openDb = (url: string) => openRecords({ url, poolSize: 8, timeoutMs: 30_000, applicationName: 'bench' });

async function seed(databaseUrl: string, pepper: Buffer): Promise<Caller[]> {
  const db = openDb(databaseUrl);
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
    const key = generateApiKey('live');
    const llave = registroOf(hasher, key);
    await createLlaves(db).activate({ contribuyenteId: id, llave, actor: 'bench', ip: null });
    callers.push({ rfc, key: key.text, day: 0 });
  }
  await db.close();
  return callers;
}

const headersOf = (caller: Caller) => ({
  authorization: `Bearer ${caller.key}`,
  'content-type': 'application/json',
  'user-agent': 'acuse-bench/1',
});

/** Calls an operation once; gives the `data` of its answer. */
async function call(url: string, caller: Caller, path: string, body: object): Promise<Record<string, unknown>> {
  const response = await fetch(`${url}/api/v1/${path}`, {
    method: 'POST',
    headers: headersOf(caller),
    body: JSON.stringify({ rfc: caller.rfc, ...body }),
  });
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  const { data } = (await response.json()) as { data: Record<string, unknown> };
  return data;
}

async function storeCiec(url: string, callers: readonly Caller[]): Promise<void> {
  for (const caller of callers) {
    await call(url, caller, 'vault/rfc-registrar', {});
    await call(url, caller, 'vault/rfc-guardar', { ciec: 'Ciec567890123456' });
  }
}

/** Has each caller a finished solicitud; gives their ids. Nothing is stored: a signed URL is made without asking. */
async function finishOne(url: string, callers: readonly Caller[], databaseUrl: string): Promise<string[]> {
  const db = openDb(databaseUrl);
  const claims = createClaims(db, WITH_FEATURES);
  const ids: string[] = [];
  for (const caller of callers) {
    const asked = { tipo: 'recibidos', desde: '2025-06-01', hasta: '2025-06-30' };
    const id = String((await call(url, caller, 'tax/descarga-metadata', asked))['solicitud_id']);
    const claimed = await claims.claim({ solicitudId: id, gen: 1, queue: 'descargas', leaseSeconds: 60 });
    if (claimed === null) throw new Error('a new solicitud could not be claimed');
    const paquete = { objectKey: `${id}/paquete.zip`, bytes: 1, sha256: '0'.repeat(64), registros: 1 };
    await claims.finish(claimed, { ...paquete, confianza: 'confirmado' });
    ids.push(id);
  }
  await db.close();
  return ids;
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

interface Api {
  readonly api: ChildProcess;
  readonly url: string;
}

async function countLines(databaseUrl: string): Promise<number> {
  const db = openDb(databaseUrl);
  const { rows } = await db.pool.query<{ lines: number }>('SELECT count(*)::integer AS lines FROM llamada_hecha');
  await db.close();
  return rows[0]?.lines ?? 0;
}

/** Gives an URL of the same database, for a role of its own with every right. */
async function asRole(databaseUrl: string, role: string): Promise<string> {
  const db = openDb(databaseUrl);
  await db.pool.query(`CREATE ROLE ${role} SUPERUSER LOGIN PASSWORD '${role}'`);
  await db.close();
  const url = new URL(databaseUrl);
  url.username = role;
  url.password = role;
  return url.href;
}

/**
 * Loads two APIs at once, so that other work on the machine slows both, and measures each with its sessions in
 * PostgreSQL: answers, and milliseconds of processor an answer.
 */
async function besideEachOther(
  databaseUrl: string,
  apis: readonly (Api & { readonly role: string })[],
  run: (api: Api) => ReturnType<typeof load>,
): Promise<{ answers: number; cpuMs: number }[]> {
  const db = openDb(databaseUrl);
  const spentBy = async ({ api, role }: (typeof apis)[number]) => {
    const { rows } = await db.pool.query<{ pid: number }>('SELECT pid FROM pg_stat_activity WHERE usename = $1', [
      role,
    ]);
    const pids = [api.pid ?? 0, ...rows.map(({ pid }) => pid)];
    return new Map(await Promise.all(pids.map(async (pid) => [pid, await cpuOf(pid)] as const)));
  };
  const before = await Promise.all(apis.map(spentBy));
  const loads = await Promise.all(apis.map(run));
  // The log writes its last lines within a second.
  await sleep(1_200);
  const after = await Promise.all(apis.map(spentBy));
  await db.close();
  return loads.map(({ all }, at) => {
    const each = [...(after[at] ?? [])].map(([pid, ms]) => ms - (before[at]?.get(pid) ?? 0));
    return { answers: all, cpuMs: sum(each) / all };
  });
}

const byProcessor = (floorCost: Loaded, acuse: Loaded) => sum(floorCost.cpuMs) / sum(acuse.cpuMs);
const sum = (all: readonly number[]) => all.reduce((a, b) => a + b, 0);
const told = ({ perSecond, p50, p99, cpuMs }: Loaded) =>
  `${perSecond.toFixed(0)}/s (p50 ${p50} ms, p99 ${p99} ms; ${cpuMs.map((ms) => ms.toFixed(2)).join(' + ')} ms of processor here and in PostgreSQL)`;

/** Starts an API process of the built programs, with what `env` tells it, and gives it when it answers. */
async function startApi(programs: string, env: NodeJS.ProcessEnv): Promise<Api> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const api = fork(programEntry(programs, 'api'), [], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, ...env, API_PORT: String(port) },
  });
  for (;;) {
    const isUp = await fetch(`${url}/healthz`).then(
      (response) => response.ok,
      () => false,
    );
    if (isUp) return { api, url };
    if (api.exitCode !== null) throw new Error('the API did not start');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/**
 * Accepts a second through the real API, beside a bare route with one durable INSERT on the same database: one process;
 * then one on each core, beside `pgbench` with the statement of an acceptance, and how long an answer takes at half of
 * that load.
 */
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
  const programs = join(dir, 'programas');
  await buildPrograms(programs);
  const env = {
    LOG_LEVEL: 'error',
    DATABASE_URL: databaseUrl,
    DATABASE_POOL: '20',
    API_KEY_PEPPERS: `1:${pepper.toString('base64')}`,
    KEYRING: `k1:${randomBytes(32).toString('base64')}`,
    WORKER_PUBLIC_KEY: `w1:${generateWorkerKeyPair().publicKey}`,
    WORKER_PSK: `p1:${randomBytes(32).toString('base64')}`,
    EFIRMA_AUTORIDADES: authorities,
    RATE_LIMIT_RPS: '0',
    SESSION_KEYS: `s1:${randomBytes(32).toString('base64')}`,
    WEBHOOK_KEYS: `h1:${randomBytes(32).toString('base64')}`,
    S3_ENDPOINT: 'http://127.0.0.1:9',
    S3_ACCESS_KEY_ID: 'x',
    S3_SECRET_ACCESS_KEY: 'y',
  };
  const floor = fork(`${ROOT}test/bench/floor-server.ts`, [databaseUrl], {
    execArgv: FLAGS,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const apis: Api[] = [];
  try {
    const [{ port: floorPort }] = (await once(floor, 'message')) as [{ port: number }];
    const first = await startApi(programs, env);
    const silentUrl = await asRole(databaseUrl, SILENT);
    const silent = await startApi(programs, { ...env, DATABASE_URL: silentUrl, LLAMADAS_REGISTRO: 'false' });
    apis.push(first, silent);
    await storeCiec(first.url, callers);

    let turn = 0;
    const next = () => {
      const caller = callers[turn++ % callers.length];
      if (!caller) throw new Error('no caller');
      const day = caller.day++;
      const desde = addDays('2021-01-01', day % 1_500);
      const hasta = addDays(desde, Math.floor(day / 1_500));
      return { headers: headersOf(caller), body: JSON.stringify({ rfc: caller.rfc, tipo: 'recibidos', desde, hasta }) };
    };
    const loadOf = async ({ api, url }: Api, more: { connections?: number; rate?: number; seconds?: number } = {}) => {
      const result = await costOf(api, postgres, () =>
        load({ ...options, ...more, url: `${url}/api/v1/tax/descarga-metadata`, next }),
      );
      if (result.failed > 0) throw new Error(`${result.failed} acceptances failed`);
      return result;
    };
    const rounds = [];
    for (let round = 0; round < 2; round += 1) {
      const floorCost = await costOf(floor, postgres, () =>
        load({ ...options, url: `http://127.0.0.1:${floorPort}/piso`, next }),
      );
      rounds.push({ floorCost, acuse: await loadOf(first) });
    }
    for (const { floorCost, acuse } of rounds)
      console.log(
        `accept: ${told(acuse)} | floor, one durable INSERT: ${told(floorCost)} | ratio ${(acuse.perSecond / floorCost.perSecond).toFixed(2)}, by processor ${byProcessor(floorCost, acuse).toFixed(2)}`,
      );
    const best = Math.max(...rounds.map(({ floorCost, acuse }) => byProcessor(floorCost, acuse)));
    console.log(`accept: best of ${rounds.length} rounds ${best.toFixed(2)} of the floor by processor (aim 0.6)`);

    const both = [
      { ...first, role: new URL(databaseUrl).username },
      { ...silent, role: SILENT },
    ];
    const half = { seconds: Math.ceil(options.seconds / 2), connections: options.connections / 2 };
    const speeds: string[] = [];
    const costs: string[] = [];
    const linesBefore = await countLines(databaseUrl);
    let answers = 0;
    while (costs.length < ROUNDS) {
      const [logged, silenced] = await besideEachOther(databaseUrl, both, (api) => loadOf(api, half));
      if (!logged || !silenced) throw new Error('two APIs are measured');
      answers += logged.answers;
      speeds.push((logged.answers / silenced.answers).toFixed(3));
      costs.push((silenced.cpuMs / logged.cpuMs).toFixed(3));
    }
    apis.pop()?.api.kill();
    const lines = (await countLines(databaseUrl)) - linesBefore;
    if (lines < answers) throw new Error(`the log has ${lines} lines of ${answers} calls`);
    console.log(
      `accept: with the log of calls beside without it, ${ROUNDS} rounds: a second ${joinNumbers(speeds)} | by processor ${joinNumbers(costs)} (aim 0.99)`,
    );

    const ids = await finishOne(first.url, callers, databaseUrl);
    let at = 0;
    const paquete = await costOf(first.api, postgres, () =>
      load({
        ...options,
        url: `${first.url}/api/v1/descarga/paquete`,
        next: () => {
          const [caller, solicitud_id] = [callers[at % callers.length], ids[at % ids.length]];
          at += 1;
          if (!caller) throw new Error('no caller');
          return { headers: headersOf(caller), body: JSON.stringify({ rfc: caller.rfc, solicitud_id }) };
        },
      }),
    );
    if (paquete.failed > 0) throw new Error(`${paquete.failed} packages were not given`);
    console.log(`accept: descarga/paquete of finished ones: ${told(paquete)} (aim 1,500/s)`);

    const cores = availableParallelism();
    while (apis.length < cores) apis.push(await startApi(programs, env));
    const connections = Math.ceil(options.connections / cores);
    const together = await Promise.all(apis.map((api) => loadOf(api, { connections })));
    const perSecond = sum(together.map((one) => one.perSecond));
    const bare = await acceptBare(databaseUrl, dir, options);
    const beside = bare === null ? 'pgbench: not on this machine' : `pgbench with its statement: ${bare.toFixed(0)}/s`;
    const ratio = bare === null ? '' : ` | ratio ${(perSecond / bare).toFixed(2)} (aim 0.9)`;
    console.log(`accept: ${cores} API processes: ${perSecond.toFixed(0)}/s | ${beside}${ratio}`);
    const rate = Math.max(1, Math.round(perSecond / 2 / cores));
    const calm = await Promise.all(apis.map((api) => loadOf(api, { connections, rate })));
    const p99 = Math.max(...calm.map((one) => one.p99));
    const reached = sum(calm.map((one) => one.perSecond));
    console.log(
      `accept: ${cores} API processes at half of that, ${rate * cores}/s asked, ${reached.toFixed(0)}/s answered: p50 ${Math.max(...calm.map((one) => one.p50))} ms, p99 ${p99} ms from when each was due (aim 20)`,
    );
  } finally {
    for (const { api } of apis) api.kill();
    floor.kill();
    await rm(dir, { recursive: true, force: true });
  }
}
