import { setTimeout as sleep } from 'node:timers/promises';
import { type ClaimedSolicitud, type Claims, noCheckpoint, type WakeUp, wipeCredencial } from '@acuse/core';
import { createClaims, createHeartbeats, createOutbox, createSweeper, openDatabase } from '@acuse/db';
import { createMetrics } from '@acuse/metrics';
import { type Logger, silentLogger } from '@acuse/runtime';
import { consentimientoDeOrigen, createAlmacenes, createTramos } from '@acuse/sincronizacion/db';
import { openOpener } from '@acuse/vault';
import { createRunner } from '../../../apps/worker/src/steps.ts';
import { createTurns } from '../../../packages/sincronizacion/src/worker.ts';
import { createRandom } from '../random.ts';
import type { FromWorker, Question, Questions, ToWorker, WorkerSettings } from './protocol.ts';

/**
 * A worker of the simulated year, in a process of its own that may be killed at any moment: the product's turns of
 * subscriptions, relay, steps and reconciler on its database, as the user that workers log in as. SAT, storage and the
 * decision what fails are the world's, which is its parent.
 */
const settings = JSON.parse(process.argv[2] ?? '') as WorkerSettings;
const { name, databaseUrl, seed, faults, workerKeys, workerPsks, deadlineHours } = settings;
const azar = createRandom(seed);
const [CONCURRENCY, GRACE_SECONDS, LEASE_SECONDS] = [8, 60, 30];

const send = (message: FromWorker) => void process.send?.(message);
const waiting = new Map<number, (is: unknown) => void>();
let asked = 0;
function ask<Q extends Question>(what: Q, of: Questions[Q]['of']): Promise<Questions[Q]['is']> {
  asked += 1;
  const id = asked;
  send({ kind: 'question', id, what, of });
  return new Promise((resolve) => waiting.set(id, resolve as (is: unknown) => void));
}

class Struck extends Error {}

/** A call that was struck, or a connection that the world cut: all else that fails is a defect. */
function isExpected(error: unknown): boolean {
  if (error instanceof Struck) return true;
  const text = String(error);
  if (/terminat|Connection|ECONN|EPIPE|premature close|queue away|not queryable/i.test(text)) return true;
  return error instanceof Error && error.cause !== undefined && isExpected(error.cause);
}
const told = (error: unknown) => {
  if (isExpected(error)) return;
  send({ kind: 'error', text: error instanceof Error ? `${error.stack} ${String(error.cause ?? '')}` : String(error) });
};
const log: Logger = {
  ...silentLogger,
  error: (fields: unknown) => {
    if (typeof fields === 'object' && fields !== null && 'err' in fields) told(fields.err);
  },
  child: () => log,
};

/** The same functions; some calls fail, before their effect or after it. */
function unreliable<T extends object>(all: T): T {
  return new Proxy(all, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key);
      if (typeof member !== 'function') return member;
      return async (...args: unknown[]) => {
        if (azar.below(1_000) < faults) throw new Struck(`${String(key)} did not come through`);
        const done: unknown = await Reflect.apply(member, target, args);
        if (azar.below(1_000) < faults) throw new Struck(`nobody heard of ${String(key)}`);
        return done;
      };
    },
  });
}

const database = openDatabase({ url: databaseUrl, poolSize: 6, timeoutMs: 30_000, applicationName: name });
const opener = openOpener(workerKeys, workerPsks);
const claims: Claims = unreliable(createClaims(database, { claimParts: [consentimientoDeOrigen] }));
const outbox = createOutbox(database);
const sweeper = createSweeper(database);
const heartbeats = createHeartbeats(database);
const almacenes = createAlmacenes(database);
let [now, turn, readings] = [0, 0, 0];

async function* readCsv(solicitudId: string): AsyncGenerator<Buffer> {
  const csv = Buffer.from(await ask('csv', { solicitudId }));
  const half = azar.below(csv.length + 1);
  yield csv.subarray(0, half);
  if ((await ask('merging', { name })) === 'DIE') process.kill(process.pid, 'SIGKILL');
  yield csv.subarray(half);
}

const turns = createTurns(
  {
    tramos: unreliable(createTramos(database)),
    almacenes: unreliable({
      removeRows: almacenes.removeRows,
      merge: async (...args: Parameters<typeof almacenes.merge>) => {
        readings += 1;
        if (azar.below(400) === 0) await ask('sleep', {});
        return almacenes.merge(...args);
      },
    }),
    paquetes: { readCsv: (solicitudId) => readCsv(solicitudId) },
    log,
    now: () => new Date(now),
    isCharged: () => true,
    wake: () => {},
  },
  { everyMs: 1_000, concurrency: CONCURRENCY, aLaVez: 3, deadlineHours },
);

/** A step of a reading: what the SAT says ends it or lets it wait. */
async function run(claimed: ClaimedSolicitud): Promise<void> {
  const { sellada, origenId, rfc, tipo, desde, hasta, id, cuentaId } = claimed;
  if (claimed.now >= claimed.deadlineAt) return claims.fail(claimed, { estado: 'VENCIDA', motivo: 'PLAZO_AGOTADO' });
  if (!sellada || origenId === null)
    return claims.fail(claimed, { estado: 'ERROR', motivo: 'CREDENCIAL_NO_DISPONIBLE' });
  const { sobre, expiraEn } = sellada;
  wipeCredencial(opener.open(sobre, { solicitudId: origenId, cuenta: cuentaId, rfc, tipo: 'ciec', expiraEn }));
  const since = turn;
  if (azar.below(400) === 0) await ask('sleep', {});
  const said = await ask('sat', { rfc, tipo, desde, hasta, solicitudId: id, since });
  switch (said.resultado) {
    case 'LISTA': {
      const confianza = said.registros > 0 ? 'confirmado' : 'sin_confirmar';
      await claims.finish(claimed, { objectKey: id, bytes: 1, sha256: 'a', registros: said.registros, confianza });
      return;
    }
    case 'ESPERA':
      return claims.release(claimed, {}, { queue: 'descargas', inSeconds: said.segundos });
    case 'SAT_RECHAZADA':
      return claims.fail(claimed, { estado: 'RECHAZADA', motivo: said.resultado });
    default:
      return claims.fail(claimed, { estado: 'ERROR', motivo: said.resultado });
  }
}

const runner = createRunner(
  {
    claims,
    log,
    metrics: createMetrics('worker').metrics,
    checkpoint: noCheckpoint,
    leaseSeconds: LEASE_SECONDS,
    retrySeconds: 15,
    freed: () => {},
  },
  { queue: 'descargas', run },
);

/** The queue: what it has is nowhere else, and gone with the process. */
const held: WakeUp[] = [];
const never = new AbortController().signal;

/** Whatever fails is tried again in a later turn: the database remembers it. */
async function unless(work: () => Promise<unknown>): Promise<void> {
  await work().catch(told);
}

async function drain(): Promise<number> {
  const { delivered } = await outbox.drain({ graceSeconds: GRACE_SECONDS }, async (wakeUps) => {
    const queue = await ask('queue', {});
    if (queue === 'AWAY') throw new Error('queue away');
    if (queue === 'THERE') held.push(...wakeUps);
  });
  return delivered;
}

async function work(): Promise<void> {
  await unless(() => heartbeats.beat({ proceso: `${name}:descargas`, rol: 'descargas', consumed: true, slots: 40 }));
  await unless(() => sweeper.wakeOverdue({ limit: 500, findLost: true }));
  await unless(() => sweeper.expire(500));
  await unless(() => turns.clean());
  for (let isMore = true; isMore; ) {
    isMore = false;
    await unless(async () => {
      while (await turns.work(never)) isMore = true;
    });
    await unless(async () => {
      isMore = (await drain()) > 0 || isMore;
    });
    while (held.length > 0) {
      isMore = true;
      await Promise.all(held.splice(0, 16).map((wakeUp) => unless(() => runner.answer(wakeUp, never))));
    }
  }
}

process.on('message', async (message: ToWorker) => {
  if (message.kind === 'answer') {
    waiting.get(message.id)?.(message.is);
    waiting.delete(message.id);
    return;
  }
  turn = message.n;
  now = message.now;
  await work();
  send({ kind: 'idle', readings });
});
process.on('disconnect', () => process.exit(0));
// Nothing else may keep it alive, and nothing else may end it.
void (async () => {
  for (;;) await sleep(60_000);
})();
send({ kind: 'ready' });
