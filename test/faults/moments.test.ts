import { expect, inject, it } from 'vitest';
import { brokenInvariants } from '../integration/fixtures/database.ts';
import { onEachDriver } from '../integration/fixtures/drivers.ts';
import { newEfirmaCaller } from '../integration/fixtures/efirma.ts';
import { askFor, type Pedido } from '../integration/fixtures/pedidos.ts';
import { atHost, type Held, type Pipe, startPipe } from '../integration/fixtures/pipe.ts';
import { LOOPS, STEPS, tellFailure } from '../integration/fixtures/procesos.ts';
import { askedOfSat, enviosOf, expectWhole } from '../integration/fixtures/resultado.ts';
import { urlAs } from '../integration/fixtures/roles.ts';
import { type Servicio, startServicio, waitFor, waitForEnd } from '../integration/fixtures/servicio.ts';
import { ownPostgres } from '../integration/fixtures/servidores.ts';
import { pedidoOf } from './clientes.ts';
import { createRandom, seed } from './random.ts';
import { sizeOf } from './sizes.ts';

type Server = 'database' | 'queue' | 'sat' | 'storage';
type Side = 'request' | 'reply';
type Moment = readonly [name: string, server: Server, text: string, side: Side, env?: Record<string, string>];

/**
 * Moments of a worker, each by a message to another server: before it (the message never arrives) or after it (the
 * server acts, and its answer is lost).
 */
const MOMENTS: readonly Moment[] = [
  ['before it takes a request', 'database', '/* claim */', 'request'],
  ['after it took a request', 'database', '/* claim */', 'reply'],
  ['before the intent to ask', 'database', '"SOLICITANDO"', 'request'],
  ['after the intent to ask', 'database', '"SOLICITANDO"', 'reply'],
  ['before it asks the SAT', 'sat', 'SolicitaDescarga', 'request'],
  ['after it asked the SAT', 'sat', 'SolicitaDescarga', 'reply'],
  ['before the folio is noted', 'database', '"SOLICITADA"', 'request'],
  ['after it looked', 'sat', 'VerificaSolicitudDescarga', 'reply'],
  ['before a package comes', 'sat', 'PeticionDescargaMasivaTerceros', 'request'],
  ['after a package came', 'sat', 'PeticionDescargaMasivaTerceros', 'reply'],
  ['before a package is stored', 'storage', '/sat/', 'request'],
  ['after a package was stored', 'storage', '/sat/', 'reply'],
  ['before the ZIP is stored', 'storage', 'paquete.zip', 'request'],
  ['after the ZIP was stored', 'storage', 'paquete.zip', 'reply'],
  ['before the end', 'database', "SET estado = 'TERMINADA'", 'request'],
  ['after the end', 'database', "SET estado = 'TERMINADA'", 'reply'],
  ['before wake-ups are noted', 'database', 'SET rung_at = now()', 'request', LOOPS],
  ['before wake-ups are sent', 'queue', 'wake_ups', 'request', LOOPS],
  ['after wake-ups were sent', 'queue', 'wake_ups', 'reply', LOOPS],
];

/** What happens to a process there. */
const ACTIONS = ['killed', 'stopped', 'cut off', 'left waiting'] as const;
type Action = (typeof ACTIONS)[number];

onEachDriver(`processes at nineteen moments (FAULTS_SEED=${seed})`, (queueUrl) => {
  it('killed, stopped, cut off or left waiting: every request ends with one charge and one ZIP', {
    timeout: 14_400_000,
  }, async (context) => {
    const azar = createRandom(seed);
    const { database } = await ownPostgres();
    const servicio = await startServicio({
      ...(queueUrl ? { queueUrl } : {}),
      database,
      simulador: { filas_por_paquete: 3 },
      // Few connections each: twenty workers share one server.
      apiEnv: { DATABASE_POOL: '5' },
      workerEnv: {
        LEASE_SECONDS: '4',
        RECONCILER_GRACE_SECONDS: '2',
        DATABASE_TIMEOUT_MS: '3000',
        DATABASE_POOL: '2',
        DESCARGAS_CONCURRENCY: '2',
      },
    });
    context.onTestFinished(() => servicio.close());
    try {
      const order = azar.shuffle(MOMENTS);
      for (let round = 0; round < sizeOf('rounds of moments'); round += 1) {
        const cells = order.map((moment, at): Cell => [moment, ACTIONS[(at + round) % ACTIONS.length] ?? 'killed']);
        const isLoops = ([[, , , , env]]: Cell) => env === LOOPS;
        const others = cells.filter((cell) => !isLoops(cell));
        const run = (struck: readonly Cell[], env: typeof LOOPS) =>
          strike(servicio, queueUrl ?? servicio.databaseUrl, struck, env);
        await withWorker(servicio, LOOPS, () => run(others, STEPS));
        // One at a time is active: each is struck alone, and another one goes on.
        for (const cell of cells.filter(isLoops)) await withWorker(servicio, STEPS, () => run([cell], LOOPS));
      }
    } catch (error) {
      console.error(error);
      await tellFailure(servicio, { task: { ...context.task, result: { state: 'fail' } } });
      throw error;
    }
  });
});

type Cell = readonly [moment: Moment, action: Action];
type Victim = Awaited<ReturnType<typeof startVictim>>;

/** A worker that meets its fate when its moment comes. */
async function startVictim(
  servicio: Servicio,
  queueUrl: string,
  [[name, server, text, side, env = STEPS], action]: Cell,
) {
  const pipes: Record<Server, Pipe> = {
    database: await startPipe(servicio.databaseUrl),
    queue: await startPipe(queueUrl),
    sat: await startPipe(servicio.simulador.url),
    storage: await startPipe(inject('s3').endpoint),
  };
  const through = (url: string, pipe: Pipe) => atHost(url, new URL(pipe.url).host);
  const worker = await servicio.startWorker({
    ...env,
    DATABASE_URL: through(urlAs(servicio.databaseUrl, 'worker'), pipes.database),
    QUEUE_URL: through(queueUrl, pipes.queue),
    SAT_BASE_URL: pipes.sat.url,
    S3_ENDPOINT: pipes.storage.url,
  });
  let held: Held | undefined;
  const caught = side === 'request' ? pipes[server].catchRequest(text) : pipes[server].catchReply(text);
  void caught.then((one) => {
    held = one;
    if (action === 'killed') worker.kill('SIGKILL');
    if (action === 'stopped') worker.kill('SIGSTOP');
    if (action === 'cut off') one.lose();
  });
  return {
    name: `${worker.name}, ${action} ${name}`,
    action,
    isStruck: () => held !== undefined,
    /** Lets it go on, with what it was sent or wanted to send. */
    goOn() {
      if (action === 'stopped') worker.kill('SIGCONT');
      if (action !== 'cut off') held?.deliver();
    },
    /** True when it ended as told. */
    stop: async () => action === 'killed' || worker.stop(),
    close: () => Promise.all(Object.values(pipes).map((pipe) => pipe.close())),
  };
}

/** Runs with one worker more, which ends as told. */
async function withWorker(servicio: Servicio, env: typeof LOOPS, run: () => Promise<void>): Promise<void> {
  const worker = await servicio.startWorker(env);
  await run();
  expect(await worker.stop()).toBe(true);
}

async function strike(servicio: Servicio, queueUrl: string, cells: readonly Cell[], env: typeof LOOPS): Promise<void> {
  const caller = await newEfirmaCaller(servicio, { saldo: 1_000 });
  const victims: Victim[] = [];
  try {
    victims.push(...(await Promise.all(cells.map((cell) => startVictim(servicio, queueUrl, cell)))));
    const toStrike = () => victims.filter(({ isStruck }) => !isStruck());
    const asked: [string, Pedido][] = [];
    await waitFor(async () => {
      if (toStrike().length === 0) return true;
      if ((await openOnes(servicio)) >= 2 * cells.length) return null;
      const pedido = pedidoOf(asked.length);
      asked.push([await askFor(caller, pedido), pedido]);
      return null;
    }, 240).catch((error: Error) => {
      throw new Error(`no moment came for ${toStrike().map(({ name }) => name)}: ${error.message}`);
    });

    const rescuer = await servicio.startWorker(env);
    // Those who wait for another server keep what they have in their hands; whatever else is open, another one ends.
    const waiting = victims.filter(({ action }) => action === 'left waiting').length;
    await waitFor(async () => (await openOnes(servicio)) <= waiting || null, 120);
    for (const victim of victims) victim.goOn();
    for (const [id] of asked) await waitForEnd(caller, id, 120);
    expect(await Promise.all(victims.map(async ({ name, stop }) => [name, await stop()]))).toEqual(
      victims.map(({ name }) => [name, true]),
    );
    for (const [id, pedido] of asked) await expectWhole(servicio, caller, id, pedido);
    expect(await brokenInvariants(servicio.db)).toEqual([]);

    const { sends, downloads } = askedOfSat(servicio, caller.rfc);
    const intents = (await Promise.all(asked.map(([id]) => enviosOf(servicio, id)))).reduce((sum, n) => sum + n, 0);
    expect(sends).toBeLessThanOrEqual(intents);
    expect([...downloads.values()].filter((times) => times > 2)).toEqual([]);
    expect(await rescuer.stop()).toBe(true);
  } finally {
    for (const victim of victims) await victim.close();
  }
}

async function openOnes({ db }: Servicio): Promise<number> {
  const { rowCount } = await db.pool.query("SELECT FROM solicitud WHERE estado = 'EN_PROCESO'");
  return rowCount ?? 0;
}
