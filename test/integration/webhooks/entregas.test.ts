import { createBoveda, createClaims, createLlaves, createRetention, createSolicitudes } from '@acuse/db';
import { createWebhooks } from '@acuse/webhooks/db';
import { afterAll, afterEach, expect, it } from 'vitest';
import { acceptSolicitud, newSolicitud, PAQUETE, seedTaxpayer, useDatabase } from '../fixtures/database.ts';
import { claimOf } from '../fixtures/features.ts';
import { waitFor } from '../fixtures/wait-for.ts';
import { createEmisor, expireAll, newVencidas } from './fixtures/destinos.ts';
import { type Recibido, startReceptor } from './fixtures/receptor.ts';

const t = useDatabase();
const autor = { actor: 'prueba', ip: null };
const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});
afterAll(async () => {
  // Bodies, answers and log hold no credential.
  const { rows } = await t.db.pool.query(`SELECT string_agg(v::text, '') AS all FROM webhook_evento v`);
  expect(String(rows[0]?.all)).not.toMatch(/sealed|ciec":|whsec_/i);
});

const kept = <T extends { close(): Promise<unknown> }>(opened: T): T => {
  open.push(opened);
  return opened;
};
const emisorOf = () => kept(createEmisor(t));
const receptorOf = async (answer?: Parameters<typeof startReceptor>[0]) => kept(await startReceptor(answer));
const tipos = (recibidos: readonly Recibido[]) => recibidos.map(({ type }) => type).sort();
/** The delivery of a message for trying. */
async function pingOf(cuentaId: string, id: string): Promise<string> {
  const prueba = await createWebhooks(t.db).ping({ cuentaId }, id);
  if (prueba === null || prueba === 'PRUEBAS_DEMASIADAS') throw new Error(String(prueba));
  return prueba.entrega;
}
const all = (recibidos: readonly Recibido[], n: number) =>
  waitFor(async () => (recibidos.length >= n ? recibidos : null));
const estados = async (webhookId: string) =>
  (
    await t.sql<{ estado: string; intentos: number }>`
      SELECT estado, intentos FROM webhook_entrega WHERE webhook_id = ${webhookId} ORDER BY secuencia`
  ).map(({ estado, intentos }) => [estado, intentos]);

it('tells each endpoint what it asked for, of its account and its RFCs alone, signed, with what verificar answers', async () => {
  const emisor = emisorOf();
  const [a, otro] = [await seedTaxpayer(t.db, { saldo: 100 }), await seedTaxpayer(t.db, { saldo: 100 })];
  const [todo, deRfc, deOtro, fallidas] = [
    await receptorOf(),
    await receptorOf(),
    await receptorOf(),
    await receptorOf(),
  ];
  const w = await emisor.newWebhook(a.cuentaId, todo.url);
  todo.trust(w.secreto);
  const own = await emisor.newWebhook(a.cuentaId, deRfc.url, { rfcs: [a.rfc] });
  deRfc.trust(own.secreto);
  deOtro.trust((await emisor.newWebhook(otro.cuentaId, deOtro.url)).secreto);
  fallidas.trust((await emisor.newWebhook(a.cuentaId, fallidas.url, { eventos: ['solicitud.fallida'] })).secreto);

  const ids: string[] = [];
  for (const [n, canal] of (['portal', 'portal', 'soap'] as const).entries())
    ids.push(await newSolicitud(t.db, a, { desde: `2025-0${n + 1}-01`, hasta: `2025-0${n + 1}-28`, canal }));
  const [terminada = '', fallida = '', espera = ''] = ids;
  const claims = createClaims(t.db);
  await claims.finish(await claimOf(t.db, terminada), PAQUETE);
  await claims.fail(await claimOf(t.db, fallida), { estado: 'RECHAZADA', motivo: 'SAT_RECHAZADA' });
  await claims.awaitEfirma(await claimOf(t.db, espera));
  await emisor.startWorker();

  await all(todo.recibidos, 3);
  expect(tipos(todo.recibidos)).toEqual(['solicitud.espera_efirma', 'solicitud.fallida', 'solicitud.terminada']);
  expect(tipos(await all(deRfc.recibidos, 3))).toEqual(tipos(todo.recibidos));
  expect(tipos(await all(fallidas.recibidos, 1))).toEqual(['solicitud.fallida']);
  for (const { recibidos } of [todo, deRfc, fallidas]) for (const each of recibidos) expect(each.isFirmado).toBe(true);
  const fin = todo.recibidos.find(({ type }) => type === 'solicitud.terminada');
  const vista = await createSolicitudes(t.db).find(a.contribuyenteId, terminada);
  expect(fin?.data).toEqual({
    rfc: a.rfc,
    solicitud_id: terminada,
    estado: 'TERMINADA',
    tipo: 'recibidos',
    desde: '2025-01-01',
    hasta: '2025-01-28',
    formato: 'csv',
    filtros: null,
    contenido: 'metadata',
    tablas: false,
    xml: null,
    completo_hacia: null,
    modo: 'test',
    registros: 1,
    progreso: 1,
    intentos: 0,
    motivo: null,
    confianza: 'confirmado',
    reembolsada: false,
    ultima_consulta: null,
    proxima_consulta: null,
    retrasada: false,
    contrapartes_listadas: null,
    creada_en: vista?.creadaEn.toISOString(),
    terminada_en: vista?.terminadaEn?.toISOString(),
  });
  const data = (type: string) => todo.recibidos.find((each) => each.type === type)?.data;
  expect(data('solicitud.fallida')).toMatchObject({
    solicitud_id: fallida,
    estado: 'RECHAZADA',
    motivo: 'SAT_RECHAZADA',
    reembolsada: true,
  });
  expect(data('solicitud.espera_efirma')).toMatchObject({ estado: 'ESPERA_EFIRMA', terminada_en: null });
  expect(todo.recibidos.map(({ secuencia }) => secuencia).sort()).toEqual([1, 2, 3]);

  // The same key of the other account, and an RFC that the filter leaves out.
  const b = await seedTaxpayer(t.db);
  await t.sql`UPDATE contribuyente SET cuenta_id = ${a.cuentaId} WHERE id = ${b.contribuyenteId}`;
  const deB = await newSolicitud(t.db, { ...b, cuentaId: a.cuentaId });
  await claims.fail(await claimOf(t.db, deB), { estado: 'ERROR', motivo: 'SAT_ERROR' });
  expect((await all(todo.recibidos, 4))[3]?.data).toMatchObject({ rfc: b.rfc });
  await all(fallidas.recibidos, 2);
  expect(deRfc.recibidos).toHaveLength(3);
  expect(deOtro.recibidos).toEqual([]);
});

it('tells of a refused credential, a low balance, a certificate near its end and an old key, once each', async () => {
  const emisor = emisorOf();
  const receptor = await receptorOf();
  const a = await seedTaxpayer(t.db, { saldo: 12 });
  const w = await emisor.newWebhook(a.cuentaId, receptor.url, { rfcs: [a.rfc] });
  receptor.trust(w.secreto);
  const boveda = createBoveda(t.db);
  const guardada = {
    contribuyenteId: a.contribuyenteId,
    apiKeyId: a.apiKeyId,
    kid: 'k1',
    sobre: Buffer.from('sealed'),
  };
  const venceEn = new Date(Date.now() + 20 * 86_400_000);
  const ciec = { ...guardada, id: crypto.randomUUID(), tipo: 'ciec' as const };
  await boveda.store(ciec, '127.0.0.1');
  const cer = {
    ...guardada,
    id: crypto.randomUUID(),
    tipo: 'efirma_cer' as const,
    noSerie: '1',
    vigenteHasta: venceEn,
  };
  await boveda.store(cer, '127.0.0.1');
  await t.sql`UPDATE api_key SET creada_en = now() - interval '85 days' WHERE id = ${a.apiKeyId}`;
  const creadaEn = await t.sql<{ en: Date }>`SELECT creada_en AS en FROM api_key WHERE id = ${a.apiKeyId}`;
  await emisor.startWorker();
  await all(receptor.recibidos, 2);
  await boveda.refuse(a.contribuyenteId, ciec.id, 'portal');
  await all(receptor.recibidos, 3);
  // 12 - 3 is below the ten of the installation; a refund above it and another charge below it tell of it again.
  const charge = async (by: number) => t.sql`UPDATE cuenta SET saldo = saldo - ${by} WHERE id = ${a.cuentaId}`;
  await charge(3);
  await all(receptor.recibidos, 4);
  await charge(-3);
  await waitFor(async () => {
    const rows = await t.sql`SELECT FROM webhook_aviso WHERE webhook_id = ${w.id} AND clave = 'saldo.bajo'`;
    return rows.length === 0 || null;
  });
  await charge(4);
  const recibidos = await all(receptor.recibidos, 5);
  expect(recibidos.map(({ type, data }) => [type, data]).sort()).toEqual(
    [
      ['credencial.por_vencer', { rfc: a.rfc, modo: 'test', credencial: 'efirma', vence_en: venceEn.toISOString() }],
      ['credencial.rechazada', { rfc: a.rfc, modo: 'test', credencial: 'ciec', canal: 'portal' }],
      [
        'llave.por_rotar',
        {
          rfc: a.rfc,
          modo: 'test',
          creada_en: creadaEn[0]?.en.toISOString(),
          rotar_antes_de: new Date(Number(creadaEn[0]?.en) + 90 * 86_400_000).toISOString(),
        },
      ],
      ['saldo.bajo', { saldo: 9, umbral: 10 }],
      ['saldo.bajo', { saldo: 8, umbral: 10 }],
    ].sort(),
  );
  expect(recibidos.every(({ isFirmado }) => isFirmado)).toBe(true);
  await charge(-4);
});

it('what is undone is told to nobody, and takes no number', async () => {
  const a = await seedTaxpayer(t.db);
  const { id } = await emisorOf().newWebhook(a.cuentaId, 'http://127.0.0.1:9/');
  await newVencidas(t.db, a, 1);
  const client = await t.db.pool.connect();
  try {
    await client.query('BEGIN');
    const END = `UPDATE solicitud SET estado = 'ERROR', motivo = 'SAT_ERROR', terminada_en = now() WHERE cuenta_id = $1`;
    await client.query(END, [a.cuentaId]);
    const { rowCount } = await client.query('SELECT FROM webhook_entrega WHERE webhook_id = $1', [id]);
    expect(rowCount).toBe(1);
    await client.query('ROLLBACK');
  } finally {
    client.release();
  }
  expect(await t.sql`SELECT FROM webhook_evento WHERE cuenta_id = ${a.cuentaId}`).toEqual([]);
  await expireAll(t.db);
  const [entrega] = await createWebhooks(t.db).entregas({ cuentaId: a.cuentaId }, id, { limite: 10 });
  expect(entrega).toMatchObject({ tipo: 'solicitud.fallida', secuencia: 1 });
});

it('tries again after an error, notes each try, and gives a message up after the last; resending brings it', async () => {
  const emisor = emisorOf();
  let isUp = false;
  const receptor = await receptorOf(({ secuencia }) => (isUp || secuencia === 1 ? 200 : 503));
  const a = await seedTaxpayer(t.db);
  const w = await emisor.newWebhook(a.cuentaId, receptor.url);
  receptor.trust(w.secreto);
  await newVencidas(t.db, a, 2);
  await expireAll(t.db);
  await emisor.startWorker({ WEBHOOK_REINTENTOS_SECONDS: '0.1,0.1,0.2' });
  await waitFor(async () => ((await estados(w.id)).some(([estado]) => estado === 'FALLIDA') ? true : null));
  expect(await estados(w.id)).toEqual([
    ['ENTREGADA', 1],
    ['FALLIDA', 4],
  ]);
  const webhooks = createWebhooks(t.db);
  const alcance = { cuentaId: a.cuentaId };
  const [fallida] = await webhooks.entregas(alcance, w.id, { limite: 1 });
  const detalle = await webhooks.entrega(alcance, fallida?.id ?? '');
  expect(detalle?.hechos.map(({ status, error, respuesta }) => [status, error, respuesta])).toEqual(
    Array(4).fill([503, null, 'no 503']),
  );
  expect(new Set(receptor.recibidos.filter(({ secuencia }) => secuencia === 2).map(({ body }) => body)).size).toBe(1);

  isUp = true;
  const otra = await seedTaxpayer(t.db);
  expect(await webhooks.resend({ cuentaId: otra.cuentaId }, fallida?.id ?? '')).toBe(false);
  expect(await webhooks.resend(alcance, fallida?.id ?? '')).toBe(true);
  await waitFor(async () => ((await estados(w.id)).every(([estado]) => estado === 'ENTREGADA') ? true : null));
  expect(new Set(receptor.recibidos.map(({ id }) => id)).size).toBe(2);
});

it('what cannot be signed is noted as such, is held against nobody, and goes when there is another secret', async () => {
  const emisor = emisorOf();
  const receptor = await receptorOf();
  const a = await seedTaxpayer(t.db);
  const alcance = { cuentaId: a.cuentaId };
  const w = await emisor.newWebhook(a.cuentaId, receptor.url);
  await t.sql`UPDATE webhook_secreto SET sobre = '\\x00' WHERE webhook_id = ${w.id}`;
  await t.sql`UPDATE webhook SET fallando_desde = now() - interval '4 days', fallos_seguidos = 19 WHERE id = ${w.id}`;
  const webhooks = createWebhooks(t.db);
  const id = await pingOf(a.cuentaId, w.id);
  await emisor.startWorker();
  const failed = await waitFor(async () => {
    const entrega = await webhooks.entrega(alcance, id);
    return (entrega?.intentos ?? 0) >= 2 ? entrega : null;
  });
  expect(failed.ultimo).toMatchObject({ status: null, error: 'SECRETO_ILEGIBLE' });
  expect(await webhooks.find(alcance, w.id)).toMatchObject({ estado: 'ACTIVO' });
  expect(receptor.recibidos).toEqual([]);
  receptor.trust((await emisor.rotate(a.cuentaId, w.id, 0)).secreto);
  await webhooks.resend(alcance, id);
  const [recibido] = await all(receptor.recibidos, 1);
  expect(recibido).toMatchObject({ type: 'prueba', isFirmado: true });
});

it('keeps for whoever reads them what is for nobody, and asks nobody', async () => {
  const emisor = emisorOf();
  const a = await seedTaxpayer(t.db);
  const { id } = await emisor.newWebhook(a.cuentaId, 'acuse:escuchar', { rfcs: [a.rfc] });
  await newVencidas(t.db, a, 2);
  await expireAll(t.db);
  await emisor.startWorker();
  await waitFor(async () => ((await estados(id)).every(([estado]) => estado === 'ENTREGADA') ? true : null));
  const kept = await createWebhooks(t.db).entregas({ cuentaId: a.cuentaId, rfc: a.rfc }, id, { limite: 10 });
  expect(kept.map(({ secuencia, ultimo }) => [secuencia, ultimo?.status, ultimo?.error])).toEqual([
    [2, null, null],
    [1, null, null],
  ]);
  for (const { cuerpo } of kept)
    expect(JSON.parse(cuerpo ?? '')).toMatchObject({ type: 'solicitud.fallida', data: { rfc: a.rfc } });
});

it('switches an endpoint off at 410 and after days of failures, and waits for what Retry-After asks', async () => {
  const emisor = emisorOf();
  const a = await seedTaxpayer(t.db);
  const [gone, muerto, busy] = [
    await receptorOf(() => 410),
    await receptorOf(() => 500),
    await receptorOf(() => (response) => response.writeHead(429, { 'retry-after': '600' }).end()),
  ];
  const ids = [];
  for (const { url } of [gone, muerto, busy]) ids.push((await emisor.newWebhook(a.cuentaId, url)).id);
  const [unoId = '', dosId = '', tresId = ''] = ids;
  await t.sql`UPDATE webhook SET fallando_desde = now() - interval '4 days', fallos_seguidos = 19 WHERE id = ${dosId}`;
  await newVencidas(t.db, a, 2);
  await expireAll(t.db);
  await emisor.startWorker({ WEBHOOKS_POR_DESTINO: '1' });
  const find = (id: string) => createWebhooks(t.db).find({ cuentaId: a.cuentaId }, id);
  await waitFor(async () => ((await find(unoId))?.estado === 'APAGADO' ? true : null));
  expect(await find(unoId)).toMatchObject({ motivo: 'CONTESTO_410', pendientes: 1 });
  await waitFor(async () => ((await find(dosId))?.estado === 'APAGADO' ? true : null));
  expect(await find(dosId)).toMatchObject({ motivo: 'FALLA_DIAS' });
  await waitFor(async () => (busy.recibidos.length === 1 ? true : null));
  const espera = await waitFor(async () => {
    const rows = await t.sql<{ s: number }>`
      SELECT extract(epoch FROM espera_hasta - now())::float8 AS s FROM webhook WHERE id = ${tresId}`;
    return rows[0]?.s ?? null;
  });
  // No longer than the longest interval of these settings.
  expect(espera).toBeLessThanOrEqual(1);
  expect(gone.recibidos).toHaveLength(1);

  // What waited goes on when it is switched on, from the first try.
  await createWebhooks(t.db).update({ cuentaId: a.cuentaId }, unoId, { estado: 'ACTIVO', ...autor });
  await waitFor(async () => (gone.recibidos.length >= 2 ? true : null));
});

it('brings an event by its notification, long before the loop looks', async () => {
  const [emisor, receptor, a] = [emisorOf(), await receptorOf(), await seedTaxpayer(t.db)];
  const { id } = await emisor.newWebhook(a.cuentaId, receptor.url);
  await emisor.startWorker({ WEBHOOKS_INTERVAL_MS: '600000' });
  for (const n of [1, 2]) {
    await pingOf(a.cuentaId, id);
    await all(receptor.recibidos, n);
  }
});

it('signs with both secrets while the earlier one is valid', async () => {
  const emisor = emisorOf();
  const a = await seedTaxpayer(t.db);
  const [antes, despues] = [await receptorOf(), await receptorOf()];
  const w = await emisor.newWebhook(a.cuentaId, antes.url);
  antes.trust(w.secreto);
  despues.trust((await emisor.rotate(a.cuentaId, w.id, 3_600)).secreto);
  await newVencidas(t.db, a, 1);
  await expireAll(t.db);
  await emisor.startWorker();
  const [primero] = await all(antes.recibidos, 1);
  expect(String(primero?.headers['webhook-signature']).split(' ')).toHaveLength(2);
  expect(primero?.isFirmado).toBe(true);
  await createWebhooks(t.db).update({ cuentaId: a.cuentaId }, w.id, { url: despues.url, ...autor });
  await createWebhooks(t.db).ping({ cuentaId: a.cuentaId }, w.id);
  const [segundo] = await all(despues.recibidos, 1);
  expect(segundo).toMatchObject({ type: 'prueba', isFirmado: true });
});

it('a receiver that never answers holds up nobody else', async () => {
  const emisor = emisorOf();
  const [a, b] = [await seedTaxpayer(t.db, { saldo: 300 }), await seedTaxpayer(t.db, { saldo: 300 })];
  const mute = await receptorOf(() => () => {});
  const running = await receptorOf();
  await emisor.newWebhook(a.cuentaId, mute.url);
  running.trust((await emisor.newWebhook(b.cuentaId, running.url)).secreto);
  await newVencidas(t.db, a, 200);
  await expireAll(t.db);
  await emisor.startWorker({ WEBHOOKS_CONCURRENCY: '8', WEBHOOKS_POR_DESTINO: '4', WEBHOOK_TIMEOUT_MS: '15000' });
  await all(mute.recibidos, 4);
  await newVencidas(t.db, b, 40);
  await expireAll(t.db);
  // Long before the first of the dumb one's is given up.
  await all(running.recibidos, 40);
  expect(mute.recibidos).toHaveLength(4);
});

it('an account that revokes its key while much is open tells of each end', async () => {
  const emisor = emisorOf();
  const a = await seedTaxpayer(t.db, { saldo: 1_000 });
  const receptor = await receptorOf();
  await emisor.newWebhook(a.cuentaId, receptor.url);
  await newVencidas(t.db, a, 500);
  await t.sql`UPDATE solicitud SET deadline_at = now() + interval '1 hour' WHERE cuenta_id = ${a.cuentaId}`;
  await createLlaves(t.db).revoke({ apiKeyId: a.apiKeyId, ...autor });
  const rows = await t.sql<{ n: number; distintas: number }>`
    SELECT count(*)::int AS n, count(DISTINCT e.secuencia)::int AS distintas FROM webhook_entrega e JOIN webhook w ON w.id = e.webhook_id
    WHERE w.cuenta_id = ${a.cuentaId}`;
  expect(rows).toEqual([{ n: 500, distintas: 500 }]);
});

it('what was told long ago goes with its deliveries and tries, and a secret with its last day', async () => {
  const emisor = emisorOf();
  const a = await seedTaxpayer(t.db);
  const w = await emisor.newWebhook(a.cuentaId, 'http://127.0.0.1:9/');
  const [vieja, nueva] = [await pingOf(a.cuentaId, w.id), await pingOf(a.cuentaId, w.id)];
  await t.sql`INSERT INTO webhook_intento (entrega_id, ms, status) VALUES (${vieja}, 1, 500)`;
  await t.sql`UPDATE webhook_evento v SET creado_en = now() - interval '91 days' FROM webhook_entrega e WHERE e.id = ${vieja} AND v.id = e.evento_id`;
  await emisor.rotate(a.cuentaId, w.id, 3_600);
  await t.sql`UPDATE webhook_secreto SET vence_en = now() - interval '1 second' WHERE webhook_id = ${w.id} AND vence_en IS NOT NULL`;
  await createRetention(t.db).prune({ traceDays: 90, auditDays: 400, limit: 100 });
  expect(await t.sql`SELECT id FROM webhook_entrega WHERE webhook_id = ${w.id}`).toEqual([{ id: nueva }]);
  expect(await t.sql`SELECT FROM webhook_intento WHERE entrega_id = ${vieja}`).toEqual([]);
  expect(await t.sql`SELECT FROM webhook_secreto WHERE webhook_id = ${w.id}`).toHaveLength(1);
});

it('what is cancelled by its owner, and an account without endpoints, leave no event', async () => {
  const a = await seedTaxpayer(t.db);
  const accepted = await acceptSolicitud(t.db, a);
  if (accepted.resultado !== 'ACEPTADA') throw new Error(accepted.resultado);
  await createSolicitudes(t.db).cancel(a.contribuyenteId, accepted.solicitudId);
  await newVencidas(t.db, a, 1);
  await expireAll(t.db);
  expect(await t.sql`SELECT FROM webhook_evento WHERE cuenta_id = ${a.cuentaId}`).toEqual([]);
});
