import { describe, expect, it } from 'vitest';
import type { Answer, Caller } from '../fixtures/caller.ts';
import { brokenInvariants } from '../fixtures/database.ts';
import { duringTests } from '../fixtures/during-tests.ts';
import { noReplica, replicatedPostgres } from '../fixtures/replicado.ts';
import { startServicio, waitFor, waitForEnd } from '../fixtures/servicio.ts';

const CALLERS = 3;
/** Solicitudes that each caller gets accepted before the failover, and after it. */
const BEFORE = 4;
const AFTER = 2;

if (noReplica) console.warn(`Skipped: ${noReplica}`);

describe.skipIf(noReplica)('a failover of PostgreSQL to its synchronous replica', { tags: ['slow'] }, () => {
  const own = duringTests(async () => {
    const postgres = await replicatedPostgres();
    const servicio = await startServicio({ database: postgres.database, workerEnv: { LEASE_SECONDS: '5' } });
    return { postgres, servicio, close: () => servicio.close() };
  });

  it('loses nothing that was acknowledged, and callers see 503/5041 with Retry-After until it is over', async () => {
    const { servicio, postgres } = own;
    await Promise.all([servicio.startWorker(), servicio.startWorker()]);
    const callers = await Promise.all(Array.from({ length: CALLERS }, () => servicio.newCiecCaller()));
    const accepted: { caller: Caller; id: string }[] = [];
    const answers: Answer[] = [];
    let [quota, isOver] = [BEFORE, false];

    /** Asks for day after day, and for the state of the last one when the quota is full. */
    const load = async (caller: Caller) => {
      for (const mine: string[] = []; !isOver; ) {
        const dia = `2025-05-${10 + mine.length}`;
        const answer =
          mine.length < quota
            ? await caller.call('tax/descarga-metadata', { rfc: caller.rfc, tipo: 'recibidos', desde: dia, hasta: dia })
            : await caller.call('descarga/verificar', { solicitud_id: mine.at(-1) });
        answers.push(answer);
        const id = String(answer.body.data?.['solicitud_id']);
        if (answer.status !== 200 || mine.includes(id)) continue;
        mine.push(id);
        accepted.push({ caller, id });
      }
    };
    const loads = Promise.all(callers.map(load));
    const untilAccepted = (count: number) => waitFor(async () => (accepted.length >= count ? true : null));
    await untilAccepted(CALLERS * (BEFORE - 1));
    await postgres.failOver();
    quota += AFTER;
    await untilAccepted(CALLERS * (BEFORE + AFTER));
    isOver = true;
    await loads;

    const seen = answers.map(({ status, headers, body }) =>
      status === 200 ? '200' : `${status}/${body.cfdi_codigo} Retry-After ${headers.has('retry-after')}`,
    );
    expect(new Set(seen)).toEqual(new Set(['200', '503/5041 Retry-After true']));
    for (const { caller, id } of accepted)
      expect(await waitForEnd(caller, id, 120)).toMatchObject({ estado: 'TERMINADA' });
    expect(await brokenInvariants(servicio.db)).toEqual([]);
  });
});
