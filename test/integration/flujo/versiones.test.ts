import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '@acuse/db';
import { expect, it, onTestFinished } from 'vitest';
import { brokenInvariants } from '../fixtures/database.ts';
import { askFor, UN_DIA } from '../fixtures/pedidos.ts';
import { LOOPS, STEPS } from '../fixtures/procesos.ts';
import { expectWhole } from '../fixtures/resultado.ts';
import { expectOk, startServicio } from '../fixtures/servicio.ts';
import { buildVersion, olderVersion, updatedDatabase } from '../fixtures/versiones.ts';

const commit = await olderVersion();

/** At random and at length: test/faults/versions.test.ts. */
it.skipIf(commit === null)(
  'an update in its order: the version before goes on with the new schema, beside new workers and then a new API',
  { tags: ['slow'] },
  async () => {
    const dir = await mkdtemp(join(tmpdir(), 'acuse-version-'));
    onTestFinished(() => rm(dir, { recursive: true, force: true }));
    const older = await buildVersion(commit ?? '', dir);
    const servicio = await startServicio({ database: await updatedDatabase(older), programs: { api: older } });
    onTestFinished(() => servicio.close());

    // 1. The schema is new, all processes are of the version before.
    const [loops, before] = [await servicio.startWorker(LOOPS, older), await servicio.startWorker(STEPS, older)];
    const api = await servicio.startApiProcess();
    const caller = await servicio.newCiecCaller({ saldo: 20 });
    const old = caller.at(api);
    const { rfc } = caller;
    const first = await askFor(old);
    await expectWhole(servicio, old, first, UN_DIA);
    const repeated = { 'Idempotency-Key': `antes-${rfc}` };
    const answered = await expectOk(old.call('usuario/datos-fiscales', { rfc }, repeated));
    const cancelled = await askFor(old, { ...UN_DIA, desde: '2022-01-01', hasta: '2025-05-12' });
    await expectOk(old.call('descarga/cancelar', { solicitud_id: cancelled }));
    const second = await askFor(old, { ...UN_DIA, tipo: 'emitidos' });

    // 2. The workers are replaced: they end what either of them began.
    await before.stop();
    await loops.stop();
    await servicio.startWorker(LOOPS, undefined);
    await servicio.startWorker(STEPS, undefined);
    await expectWhole(servicio, old, second, { ...UN_DIA, tipo: 'emitidos' });
    const third = await askFor(old, { ...UN_DIA, desde: '2025-05-13' });
    await expectWhole(servicio, old, third, { ...UN_DIA, desde: '2025-05-13' });

    // 3. The API is replaced: it knows everything stored, asked and answered before.
    expect(await expectOk(caller.call('usuario/datos-fiscales', { rfc }, repeated))).toEqual(answered);
    for (const id of [first, second, third])
      expect(await expectOk(caller.call('descarga/verificar', { solicitud_id: id }))).toMatchObject({
        estado: 'TERMINADA',
      });
    // 4. Once no process of the version before is left, the next run takes its rights away.
    await api.stop();
    expect(await migrate(servicio.databaseUrl)).toMatchObject({ aplicadas: [], anteriores: false });
    const fourth = await askFor(caller, { ...UN_DIA, tipo: 'emitidos', desde: '2025-05-13' });
    await expectWhole(servicio, caller, fourth, { ...UN_DIA, tipo: 'emitidos', desde: '2025-05-13' });
    expect(await brokenInvariants(servicio.db)).toEqual([]);
  },
);
