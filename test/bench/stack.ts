import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Formato } from '@acuse/contract';
import type { Contenido } from '@acuse/core';
import { createDatabase } from '@acuse/embedded';
import { silentLogger as log } from '@acuse/runtime';
import {
  type Call,
  createCaller,
  makeAccount,
  storeCiec,
  storeEfirma,
} from '../../packages/embedded/src/commands/account.ts';
import { type RunningStack, startStack } from '../../packages/embedded/src/stack.ts';
import type { Env } from '../../packages/embedded/src/stack-env.ts';
import type { Servers } from './cpu.ts';

/**
 * The whole service of the built programs before the simulated authority: API, and workers with the settings of
 * `npm start`, one with every role unless `workers` has settings of each; `s3` names an object store in place of its own.
 */
export async function openService({ postgres, redis }: Servers, s3: Env = {}, workers: readonly Env[] = [{}]) {
  const dataDir = await mkdtemp(join(tmpdir(), 'acuse-bench-'));
  const stack: RunningStack = await startStack({
    dataDir,
    log,
    logDir: join(dataDir, 'log'),
    databaseUrl: await createDatabase(postgres.url, `bench_${randomBytes(4).toString('hex')}`),
    ...(redis === null ? {} : { redisUrl: redis.url }),
    workers,
    env: { api: { RATE_LIMIT_RPS: '0', LOG_LEVEL: 'error', ...s3 }, worker: { LOG_LEVEL: 'error', ...s3 } },
  });
  const [worker] = stack.workers;
  if (worker === undefined) throw new Error('the service has no worker');
  const programs = [stack.api, ...stack.workers, stack.simulador];
  return {
    databaseUrl: stack.databaseUrl,
    programs,
    /** The programs and their database. */
    processes: [...programs, { name: 'postgres', pid: postgres.pid }],
    worker,
    /** A new account of this RFC, as a caller of the API, with this credential stored. */
    async newCaller(rfc: string, by: 'efirma' | 'ciec' = 'efirma'): Promise<Call> {
      const account = await makeAccount(stack, dataDir, rfc);
      const call = createCaller(stack.apiUrl, account.api_key);
      await call('vault/rfc-registrar', { rfc });
      await (by === 'ciec' ? storeCiec : storeEfirma)(call, account);
      return call;
    },
    async close() {
      await stack.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Asks every `everyMs` milliseconds until a solicitud has ended, and gives what `verificar` says then. */
export async function waitForEnd<T extends object = { readonly registros: number | null }>(
  call: Call,
  solicitud_id: string,
  everyMs = 100,
) {
  for (;;) {
    const data = await call<T & { estado: string; terminada_en: string | null }>('descarga/verificar', {
      solicitud_id,
    });
    if (data.terminada_en !== null) {
      if (data.estado !== 'TERMINADA') throw new Error(`a solicitud ended as ${data.estado}`);
      return data;
    }
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

/** Asks for a download; gives its id. */
export async function askFor(
  call: Call,
  rfc: string,
  desde: string,
  hasta: string,
  formato: Formato = 'csv',
  contenido: Contenido = 'metadata',
): Promise<string> {
  const pedido = { rfc, tipo: 'recibidos', desde, hasta, formato, contenido };
  return (await call<{ solicitud_id: string }>('tax/descarga-metadata', pedido)).solicitud_id;
}

/** The whole of a finished package, by its URL alone. */
export async function download(call: Call, solicitud_id: string): Promise<Buffer> {
  const { paquete_url } = await call<{ paquete_url: string }>('descarga/paquete', { solicitud_id });
  const response = await fetch(paquete_url);
  if (!response.ok) throw new Error(`the URL of a package answered ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}

/** The most memory that a process has had resident, in bytes; NaN where the system is not Linux. */
export async function peakBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) * 1_024;
}
