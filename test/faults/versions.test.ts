import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { brokenInvariants } from '../integration/fixtures/database.ts';
import { newEfirmaCaller } from '../integration/fixtures/efirma.ts';
import { askFor } from '../integration/fixtures/pedidos.ts';
import { LOOPS, STEPS, tellFailure } from '../integration/fixtures/procesos.ts';
import { expectWhole } from '../integration/fixtures/resultado.ts';
import { type Caller, startServicio } from '../integration/fixtures/servicio.ts';
import { buildVersion, olderVersion, updatedDatabase } from '../integration/fixtures/versiones.ts';
import { pedidoOf } from './clientes.ts';

const commit = await olderVersion();
if (commit === null) console.log('no older version is at hand: this checkout has no history before its schema');

describe.skipIf(commit === null)(
  `a version before this one (${commit}) on the schema of this one`,
  { timeout: 600_000 },
  () => {
    let dir: string;
    let older: string;
    beforeAll(async () => {
      dir = await mkdtemp(join(tmpdir(), 'acuse-version-'));
      older = await buildVersion(commit ?? '', dir);
    });
    afterAll(() => rm(dir, { recursive: true, force: true }));

    it.for([
      ['older APIs with workers of this version', 'api'],
      ['APIs of this version with older workers', 'worker'],
    ] as const)('%s: what either accepts, and begins, the other ends', async ([, which], context) => {
      const newer = inject('programs');
      const servicio = await startServicio({ database: await updatedDatabase(older), programs: { [which]: older } });
      try {
        const [loops, steps] = [await servicio.startWorker(LOOPS), await servicio.startWorker(STEPS)];
        const api = await servicio.startApiProcess();
        const callers: Caller[] = [await servicio.newCiecCaller(), await newEfirmaCaller(servicio)];
        const asked: (readonly [Caller, string, number])[] = [];
        // The API of this process is of this version: an older one reads what it stored, and the other way round.
        for (const [n, caller] of [...callers, ...callers].entries())
          asked.push([caller, await askFor(n < 2 ? caller.at(api) : caller, pedidoOf(n)), n]);
        // Processes of the other version take over in the middle.
        await steps.stop();
        const last = await servicio.startWorker(STEPS, which === 'worker' ? newer : older);
        for (const [caller, id, n] of asked) await expectWhole(servicio, caller.at(api), id, pedidoOf(n));
        expect(await brokenInvariants(servicio.db)).toEqual([]);
        for (const process of [loops, last, api])
          expect([process.name, await process.stop()]).toEqual([process.name, true]);
      } catch (error) {
        await tellFailure(servicio, { task: { ...context.task, result: { state: 'fail' } } });
        throw error;
      } finally {
        await servicio.close();
      }
    });
  },
);
