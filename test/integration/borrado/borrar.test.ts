import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inventory } from '@acuse/borrado';
import { createProgram, openDeps } from '@acuse/cli';
import { createContribuyentes } from '@acuse/db';
import { createWebhooks } from '@acuse/webhooks/db';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { readRedis, readTablas } from '../fixtures/busqueda.ts';
import { acuse, UNSEEN } from '../fixtures/cli.ts';
import { seedTaxpayer } from '../fixtures/database.ts';
import { flowOnEachDriver } from '../fixtures/drivers.ts';
import { newEfirmaCaller } from '../fixtures/efirma.ts';
import { objetosDe } from '../fixtures/objetos.ts';
import { askFor, UN_DIA } from '../fixtures/pedidos.ts';
import { type Caller, expectOk, useServicio, waitForEnd } from '../fixtures/servicio.ts';

/** Another RFC of the same account, which stays. */
const OTRO = 'EKU9003173C9';

flowOnEachDriver('everything of a taxpayer', (queueUrl) => {
  const servicio = useServicio({ queueUrl });
  let ana: Caller;
  let beto: Caller;
  let terminada = '';
  let pagada = 0;

  const config = () => {
    const { endpoint, accessKeyId, secretAccessKey } = inject('s3');
    return {
      DATABASE_URL: servicio.databaseUrl,
      QUEUE_URL: queueUrl ?? servicio.databaseUrl,
      S3_ENDPOINT: endpoint,
      S3_ACCESS_KEY_ID: accessKeyId,
      S3_SECRET_ACCESS_KEY: secretAccessKey,
      S3_BUCKET: servicio.bucket,
      S3_REGION: 'us-east-1',
      S3_FORCE_PATH_STYLE: true,
    };
  };
  const borrar = (...args: string[]) => acuse(config(), 'contribuyente', 'borrar', ...args);
  /** Skips the minutes in which earlier work may still write. */
  const pass = () => servicio.sql`UPDATE borrado SET cerrado_en = cerrado_en - interval '10 minutes'`;
  /** Where the RFC stands, as text or as bytes in hexadecimal: by a search that is not the product's. */
  const placesOf = async (rfc: string) => {
    const forms = [rfc, Buffer.from(rfc).toString('hex')];
    const places = [...(await readTablas(servicio))].filter(([, text]) => forms.some((form) => text.includes(form)));
    const redis = queueUrl && (await readRedis(queueUrl)).includes(rfc) ? ['redis'] : [];
    return [...places.map(([table]) => table), ...redis].sort();
  };

  beforeAll(async () => {
    const worker = await servicio.startWorker();
    ana = await newEfirmaCaller(servicio);
    await expectOk(
      ana.call('vault/rfc-guardar', { rfc: ana.rfc, ciec: `Ciec${ana.rfc}`.padEnd(16, '0').slice(0, 16) }),
    );
    beto = await servicio.newCiecCaller({ rfc: ana.rfc });
    const { rfc, cuentaId } = ana;
    const autor = { actor: 'prueba', ip: null };
    await createContribuyentes(servicio.db).add({ cuentaId, rfc: OTRO, ...autor });
    for (const rfcs of [[rfc], [rfc, OTRO], []]) {
      const secreto = { id: crypto.randomUUID(), sobre: Buffer.from('sealed') };
      const campos = { url: 'https://erp.example/x', descripcion: '', eventos: ['solicitud.terminada' as const], rfcs };
      const created = await createWebhooks(servicio.db).create({
        id: crypto.randomUUID(),
        cuentaId,
        secreto,
        ...campos,
        ...autor,
      });
      expect(created).toBe('CREADO');
    }
    terminada = await askFor(ana);
    await waitForEnd(ana, terminada);
    await waitForEnd(beto, await askFor(beto));
    await expectOk(ana.call('tax/opinion-cumplimiento-fiel', { rfc }));
    await expectOk(ana.call('usuario/datos-fiscales', { rfc }, { 'Idempotency-Key': `de-${rfc}` }));
    await worker.stop();
    const abierta = await askFor(ana, { ...UN_DIA, desde: '2025-05-13', capsula: true });
    await servicio.sql`INSERT INTO capsula (solicitud_id, kid, sobre, folios, expira_en) VALUES (${abierta}, 'w1', ${Buffer.from('sealed')}, '{F}', now() + interval '1 day')`;
    await servicio.sql`UPDATE contribuyente SET nombre = 'Ana', id_cif = '12345678901' WHERE id = ${ana.contribuyenteId}`;
    const [row] = await servicio.sql<{ n: number }>`SELECT saldo AS n FROM cuenta WHERE id = ${cuentaId}`;
    pagada = Number(row?.n);
  });

  it('is shown before, without a change', async () => {
    // The log of calls is written within a second.
    await expect.poll(() => placesOf(ana.rfc), { timeout: 5_000 }).toContain('public.llamada_hecha');
    const before = await placesOf(ana.rfc);
    const [antes] = await borrar(ana.rfc, '--cuenta', ana.cuentaId, '--simular');
    expect(antes).toMatchObject({
      contribuyente_id: ana.contribuyenteId,
      filas: {
        solicitud: 2,
        capsula: 1,
        credencial: 3,
        documento: 1,
        webhook: 2,
        webhook_evento: 1,
        idempotencia: 1,
        contribuyente: 1,
      },
    });
    expect(await placesOf(ana.rfc)).toEqual(before);
    expect(before.length).toBeGreaterThan(5);
  });

  it('is deleted for the named taxpayer only, and not without the object store', async () => {
    await expect(borrar(ana.rfc)).rejects.toThrow('Diga de quién');
    await expect(borrar('XAXX010101000', '--cuenta', ana.cuentaId)).rejects.toThrow('no hay nada que borrar');
    const away = { ...config(), S3_ENDPOINT: 'http://127.0.0.1:1' };
    await expect(acuse(away, 'contribuyente', 'borrar', ana.rfc, '--cuenta', ana.cuentaId)).rejects.toThrow('almacén');
    expect((await ana.call('vault/estado', { rfc: ana.rfc })).status).toBe(200);
  });

  it('is closed at once, and the same order continues after an interruption', async () => {
    await servicio.sql`UPDATE solicitud SET terminada_en = terminada_en - interval '1 hour' WHERE id = ${terminada}`;
    const deps = openDeps(
      config(),
      () => {},
      () => {},
    );
    const openEraser = async () => ({
      ...(await deps.openEraser()),
      erase: () => Promise.reject(new Error('the storage went away')),
    });
    const program = createProgram(
      () => ({ ...deps, openEraser }),
      () => {},
      UNSEEN,
    );
    const order = program.parseAsync(['contribuyente', 'borrar', ana.rfc, '--cuenta', ana.cuentaId], { from: 'user' });
    await expect(order).rejects.toThrow('went away');
    await deps.close();

    expect((await ana.call('vault/estado', { rfc: ana.rfc })).body.cfdi_codigo).toBe(1002);
    const [row] = await servicio.sql<{ n: number }>`SELECT saldo AS n FROM cuenta WHERE id = ${ana.cuentaId}`;
    expect(Number(row?.n)).toBe(pagada + 1);
    const [left] =
      await servicio.sql`SELECT count(*)::int AS n FROM credencial WHERE contribuyente_id = ${ana.contribuyenteId}`;
    expect(left).toEqual({ n: 0 });
    expect(await servicio.sql`SELECT FROM capsula`).toEqual([]);
    expect((await objetosDe(servicio, terminada)).length).toBeGreaterThan(0);

    const [state, ...more] = await borrar(ana.rfc, '--cuenta', ana.cuentaId, '--no-esperar');
    expect([state, more]).toMatchObject([{ estado: 'CERRADO' }, []]);
    expect(await objetosDe(servicio, terminada)).toEqual([]);
  });

  it('that starts again meanwhile is closed again, and waited for again', async () => {
    await pass();
    const key = await servicio.newKey(ana);
    const [state] = await borrar(ana.rfc, '--cuenta', ana.cuentaId, '--no-esperar');
    expect(state).toMatchObject({ estado: 'CERRADO' });
    expect((await key.call('vault/estado', { rfc: ana.rfc })).body.cfdi_codigo).toBe(1002);
  });

  it('is looked for where nothing of it should be, and the order does not end while it is there', async () => {
    await pass();
    const planted = `INSERT INTO captcha_pendiente (id, imagen, vence_en) VALUES (gen_random_uuid(), convert_to('x' || $1, 'UTF8'), now() + interval '1 day')`;
    await servicio.db.pool.query(planted, [ana.rfc]);
    await servicio.db.pool.query('CREATE SCHEMA other; CREATE TABLE other.note (what jsonb)');
    await servicio.db.pool.query('INSERT INTO other.note VALUES (jsonb_build_object($1::text, 1))', [ana.rfc]);
    const order = borrar(ana.rfc, '--cuenta', ana.cuentaId);
    await expect(order).rejects.toThrow(/other\.note\.what \(1\), captcha_pendiente\.imagen \(1\)/);
    await servicio.db.pool.query('DROP SCHEMA other CASCADE; DELETE FROM captcha_pendiente');
  });

  it('is gone from every table, the queue and the bucket, and the report lists deleted and kept data', async () => {
    const { rfc, cuentaId, contribuyenteId } = ana;
    // Invoices of other taxpayers name the RFC and stay.
    await servicio.sql`WITH otro AS (INSERT INTO almacen (contribuyente_id) SELECT id FROM contribuyente WHERE rfc = ${OTRO} RETURNING id)
      INSERT INTO nombrado (almacen_id, rfc, nombre) SELECT id, ${rfc}, 'Ana' FROM otro`;
    const [informe] = await borrar(rfc, '--cuenta', cuentaId);
    const hallazgo = { tabla: 'nombrado', columna: 'rfc', filas: 1, motivo: expect.stringContaining('otra parte') };
    expect(informe).toMatchObject({ busqueda: { hallazgos: expect.arrayContaining([hallazgo]) } });
    await servicio.sql`DELETE FROM nombrado`;
    expect(informe).toMatchObject({
      contribuyente_id: contribuyenteId,
      numero: 1,
      anterior: null,
      borrado: {
        solicitud: 2,
        contribuyente: 1,
        documento: 1,
        idempotencia: 1,
        solicitudes_terminadas: 1,
        webhook_limpias: 2,
      },
      conservado: expect.arrayContaining([expect.objectContaining({ tabla: 'movimiento' })]),
      busqueda: { cola: queueUrl ? { redis_claves: expect.any(Number) } : 'en la base' },
    });
    expect(JSON.stringify(informe)).not.toContain(rfc);
    const left = await inventory(servicio.db, { rfc, cuentaId, contribuyenteId });
    const rows = Object.entries(left).filter(([, n]) => n > 0);
    expect(rows.map(([tabla]) => tabla).sort()).toEqual(['auditoria', 'movimiento']);
    // A search finds only the data of the other account about the same RFC.
    const own = await servicio.sql`SELECT cuenta_id::text AS cuenta FROM contribuyente WHERE rfc = ${rfc}
      UNION SELECT cuenta_id::text FROM solicitud WHERE rfc = ${rfc} UNION SELECT cuenta_id::text FROM webhook_evento WHERE rfc = ${rfc}`;
    expect(own).toEqual([{ cuenta: beto.cuentaId }]);
    const webhooks =
      await servicio.sql`SELECT rfcs, borrado_en IS NOT NULL AS gone FROM webhook WHERE cuenta_id = ${cuentaId} ORDER BY creado_en`;
    expect(webhooks).toEqual([
      { rfcs: [], gone: true },
      { rfcs: [OTRO], gone: false },
      { rfcs: [], gone: false },
    ]);
    expect((await beto.call('vault/estado', { rfc })).status).toBe(200);
    // The same order once more gives the same report.
    expect(await borrar(rfc, '--cuenta', cuentaId)).toEqual([informe]);
  });

  it('is gone for good with the last account that had it, for any search', async () => {
    const [, informe] = [null, (await closed(() => borrar(ana.rfc, '--todas-las-cuentas', '--no-esperar'))).at(-1)];
    expect(informe).toMatchObject({ numero: 2, contribuyente_id: beto.contribuyenteId });
    expect(await placesOf(ana.rfc)).toEqual([]);
    const de = async (...args: string[]) => (await acuse(config(), 'contribuyente', 'borrados', ...args)).length;
    expect([await de(), await de('--rfc', ana.rfc), await de('--rfc', OTRO)]).toEqual([2, 2, 0]);
  });

  /** Gives an order, lets the minutes pass and gives it again. */
  async function closed(order: () => Promise<Record<string, unknown>[]>) {
    await order();
    await pass();
    return order();
  }

  describe('that a backup brings back', () => {
    it('is deleted again by its report, and by no changed report', async () => {
      const file = join(servicio.dir, 'borrados.jsonl');
      const informes = await acuse(config(), 'contribuyente', 'borrados');
      await writeFile(file, `${informes.map((each) => JSON.stringify(each)).join('\n')}\n`);
      const { rfc, cuentaId, contribuyenteId } = ana;
      await servicio.sql`DELETE FROM borrado`;
      await servicio.sql`INSERT INTO contribuyente (id, cuenta_id, rfc) VALUES (${contribuyenteId}, ${cuentaId}, ${rfc})`;
      await servicio.sql`INSERT INTO credencial (id, contribuyente_id, api_key_id, tipo, kid, sobre)
        VALUES (gen_random_uuid(), ${contribuyenteId}, 'k', 'ciec', 'k1', '\\x00')`;
      const recuperar = (path: string) => acuse(config(), 'recuperar', '--con-conexiones', '--borrados', path);
      const changed = join(servicio.dir, 'cambiado.jsonl');
      await writeFile(changed, (await readFile(file, 'utf8')).replace('"solicitud":2', '"solicitud":1'));
      await expect(recuperar(changed)).rejects.toThrow('renglón 1: no es un informe de borrado, o alguien lo cambió');
      const shown = await recuperar(file);
      expect(shown).toContainEqual({ borrados_en_el_archivo: 2, borrados_otra_vez: 1 });
      expect(shown).toContainEqual(
        expect.objectContaining({ id: informes[0]?.['id'], contribuyente_id: contribuyenteId }),
      );
      expect(await placesOf(rfc)).toEqual([]);
    });

    it('is not taken for deleted where the chain of reports was tampered with', async () => {
      await servicio.sql`UPDATE borrado SET informe = replace(informe, '"credencial":1', '"credencial":2')`;
      await expect(acuse(config(), 'contribuyente', 'borrados')).rejects.toThrow('no es el que se escribió');
    });
  });

  // The queue has no part in it.
  it.skipIf(queueUrl !== undefined)(
    'of a hundred thousand requests is deleted in steps',
    { tags: ['slow'] },
    async () => {
      const { cuentaId, contribuyenteId, rfc, apiKeyId } = await seedTaxpayer(servicio.db, { saldo: 0 });
      for (let n = 0; n < 100_000; n += 10_000)
        await servicio.db.pool.query(
          `INSERT INTO solicitud (id, cuenta_id, contribuyente_id, api_key_id, rfc, tipo, desde, hasta, canal, estado, costo, deadline_at, creada_en, terminada_en, objetos_borrados_en)
         SELECT gen_random_uuid(), $1, $2, $3, $4, 'emitidos', '2025-01-01', '2025-01-31', 'portal', 'ERROR', 0, now(), now() - n * interval '1 minute', now() - interval '1 hour', now()
         FROM generate_series($5::int + 1, $5::int + 10000) n`,
          [cuentaId, contribuyenteId, apiKeyId, rfc, n],
        );
      await servicio.sql`INSERT INTO evento (solicitud_id, tipo) SELECT id, 'ACEPTADA' FROM solicitud WHERE contribuyente_id = ${contribuyenteId}`;
      const [informe] = (await closed(() => borrar(rfc, '--cuenta', cuentaId, '--no-esperar'))).slice(-1);
      expect(informe).toMatchObject({ borrado: { solicitud: 100_000, evento: 100_000 } });
      expect(await placesOf(rfc)).toEqual([]);
    },
  );
});
