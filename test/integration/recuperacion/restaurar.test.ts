import { randomBytes } from 'node:crypto';
import { delimiter, join } from 'node:path';
import { StaleEpoch } from '@acuse/core';
import { createLlaves, openDatabase } from '@acuse/db';
import { dropDatabase } from '@acuse/embedded';
import { expect, inject, it, onTestFinished } from 'vitest';
import { openShell, ordenesOf } from '../documentos/ordenes.ts';
import { acuse } from '../fixtures/cli.ts';
import { sqlOn } from '../fixtures/database.ts';
import { flowOnEachDriver } from '../fixtures/drivers.ts';
import { newEfirmaCaller } from '../fixtures/efirma.ts';
import { claimOf, writesOf } from '../fixtures/features.ts';
import { askFor, UN_DIA } from '../fixtures/pedidos.ts';
import { backUp, tools } from '../fixtures/respaldo.ts';
import { expectWhole } from '../fixtures/resultado.ts';
import { download, expectOk, useServicio, waitForEnd } from '../fixtures/servicio.ts';

const ordenes = ordenesOf('docs/operators/recovery.md').map(({ text }) => text.trim());
const orden = (start: string): string => {
  const found = ordenes.find((text) => text.startsWith(start));
  if (found === undefined) throw new Error(`docs/operators/recovery.md shows no ${start}`);
  return found;
};

/** Runs a command of the document for this database. */
async function runOrden(start: string, env: Record<string, string>, name = 'acuse_restaurada'): Promise<void> {
  const shell = openShell({ PATH: `${tools}${delimiter}${process.env['PATH']}`, ...env });
  try {
    const command = orden(start)
      .replaceAll('acuse_restaurada', name)
      .replaceAll('acuse.dump', join(env['DIR'] ?? '', 'acuse.dump'));
    expect(await shell.run(command)).toMatchObject({ code: 0 });
  } finally {
    await shell.close();
  }
}

flowOnEachDriver('a database that is restored from a backup', (queueUrl) => {
  const servicio = useServicio({ queueUrl });

  it.skipIf(tools === null)(
    'has what was there, ends once what was open, and knows nothing of what came after',
    { tags: ['slow'] },
    async () => {
      // 1. A package, an unclaimed request, an e.firma, a key: then the backup.
      const first = await servicio.startWorker();
      const [ana, beto] = [await servicio.newCiecCaller(), await newEfirmaCaller(servicio)];
      const lista = await askFor(ana);
      const { estado } = await waitForEnd(ana, lista);
      expect(estado).toBe('TERMINADA');
      const { sha256 } = await download(ana, lista);
      await first.stop();
      const enCurso = await askFor(ana, { ...UN_DIA, tipo: 'emitidos' });
      const env = { DATABASE_URL: servicio.databaseUrl, DIR: servicio.dir };
      await backUp(env.DATABASE_URL, join(env.DIR, 'acuse.dump'));

      // 2. What the backup does not know: the request ends, another one comes, a key is revoked.
      const second = await servicio.startWorker();
      await waitForEnd(ana, enCurso);
      const perdida = await askFor(ana, { ...UN_DIA, desde: '2025-05-13' });
      await waitForEnd(ana, perdida);
      await createLlaves(servicio.db).revoke({ apiKeyId: beto.apiKeyId, actor: 'prueba', ip: null });
      await second.stop();

      // 3. The database is lost, and restored as the document says.
      const name = `r_${randomBytes(6).toString('hex')}`;
      const NUEVA = servicio.databaseUrl.replace(/\/[^/?]+(?=\?|$)/, `/${name}`);
      await runOrden('psql', env, name);
      onTestFinished(() => dropDatabase(inject('postgresUrl'), name));
      await runOrden('pg_restore', { ...env, NUEVA }, name);
      const db = openDatabase({ url: NUEVA, poolSize: 4, timeoutMs: 10_000, applicationName: 'acuse-worker' });
      onTestFinished(() => db.close());
      const sql = sqlOn(db.pool);
      const [antes] = await sql`SELECT gen, epoch FROM solicitud WHERE id = ${enCurso}`;
      await expect(acuse({ DATABASE_URL: NUEVA }, 'recuperar')).rejects.toThrow('acuse-worker (1)');
      expect(await sql`SELECT gen, epoch FROM solicitud WHERE id = ${enCurso}`).toEqual([antes]);
      await db.pool.query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()',
      );
      expect(await acuse({ DATABASE_URL: NUEVA }, 'migrar')).toEqual([{ aplicadas: [] }]);
      const [hecho, reglas] = await acuse({ DATABASE_URL: NUEVA }, 'recuperar', '--con-conexiones');
      expect(hecho).toMatchObject({ solicitudes_en_curso: 1, sesiones_cerradas: 0 });
      expect(reglas).toEqual({ reglas: 'cumplidas' });

      // 4. The processes start over it, and each row of the document's table holds.
      const api = await servicio.startApi({ DATABASE_URL: NUEVA });
      await servicio.startWorker({ DATABASE_URL: NUEVA, QUEUE_URL: queueUrl ?? NUEVA });
      const restored: typeof servicio = Object.create(servicio, { db: { value: db }, sql: { value: sql } });
      const [ahora, otra] = [ana.at(api), beto.at(api)];
      await expectWhole(restored, ahora, enCurso, { ...UN_DIA, tipo: 'emitidos' });
      expect((await download(ahora, lista)).sha256).toBe(sha256);
      const unknown = await ahora.call('descarga/verificar', { solicitud_id: perdida });
      expect([unknown.status, unknown.body.cfdi_codigo]).toEqual([404, 2002]);
      await expectWhole(restored, ahora, await askFor(ahora, { ...UN_DIA, desde: '2025-05-13' }), {
        ...UN_DIA,
        desde: '2025-05-13',
      });
      const vigente = await expectOk(otra.call('vault/firma-estado', { rfc: otra.rfc }));
      expect(vigente).toMatchObject({ tiene_cer: true, tiene_key: false });
    },
  );

  it('leaves nothing to who held a solicitud before, and wakes it under a new generation', async () => {
    const { newCiecCaller, db, sql, databaseUrl } = servicio;
    const id = await askFor(await newCiecCaller());
    await sql`UPDATE outbox SET rung_at = now() WHERE solicitud_id = ${id}`;
    const claimed = await claimOf(db, id);
    await acuse({ DATABASE_URL: databaseUrl }, 'recuperar', '--con-conexiones');
    for (const write of writesOf(db, claimed)) await expect(write()).rejects.toThrow(StaleEpoch);
    const wakeUps = await sql`SELECT o.gen = s.gen AS same, o.gen > 1000000 AS new, o.rung_at, s.lease_until
      FROM outbox o JOIN solicitud s ON s.id = o.solicitud_id WHERE s.id = ${id}`;
    expect(wakeUps).toEqual([{ same: true, new: true, rung_at: null, lease_until: null }]);
  });

  it('is looked at by a rule for each promise of the ledger', async () => {
    const { newCiecCaller, sql, databaseUrl } = servicio;
    const caller = await newCiecCaller();
    const id = await askFor(caller);
    expect(await acuse({ DATABASE_URL: databaseUrl }, 'comprobar')).toEqual([{ reglas: 'cumplidas' }]);
    await sql`UPDATE cuenta SET saldo = saldo + 1 WHERE id = ${caller.cuentaId}`;
    await expect(acuse({ DATABASE_URL: databaseUrl }, 'comprobar')).rejects.toThrow('El libro no cuadra en 1 casos');
    await sql`UPDATE cuenta SET saldo = saldo - 1 WHERE id = ${caller.cuentaId}`;
    await sql`UPDATE solicitud SET estado = 'VENCIDA', terminada_en = now() WHERE id = ${id}`;
    await expect(acuse({ DATABASE_URL: databaseUrl }, 'comprobar')).rejects.toThrow('El libro no cuadra en 2 casos');
    await sql`ALTER TABLE solicitud DISABLE TRIGGER solicitud_terminada`;
    await sql`UPDATE solicitud SET estado = 'EN_PROCESO', terminada_en = NULL WHERE id = ${id}`;
    await sql`ALTER TABLE solicitud ENABLE TRIGGER solicitud_terminada`;
  });
});
