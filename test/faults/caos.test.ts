import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createProcessGroup, freePort, programEntry } from '@acuse/embedded';
import { silentLogger } from '@acuse/runtime';
import { expect, inject, it } from 'vitest';
import { brokenInvariants } from '../integration/fixtures/database.ts';
import { onEachDriver } from '../integration/fixtures/drivers.ts';
import { newEfirmaCaller } from '../integration/fixtures/efirma.ts';
import { readObjetos } from '../integration/fixtures/objetos.ts';
import { saldoDe, uuidsDelSat } from '../integration/fixtures/pedidos.ts';
import { startPipe } from '../integration/fixtures/pipe.ts';
import { tellFailure } from '../integration/fixtures/procesos.ts';
import { askedOfSat } from '../integration/fixtures/resultado.ts';
import { urlAs } from '../integration/fixtures/roles.ts';
import { ciecOf, type Servicio, startServicio, waitFor } from '../integration/fixtures/servicio.ts';
import { ownPostgres, ownRedis } from '../integration/fixtures/servidores.ts';
import { readZip } from '../integration/fixtures/zip.ts';
import { addCaller, type Persona, registrar } from '../integration/panel/fixtures/panel.ts';
import { type Cliente, createClientes, createVisitor } from './clientes.ts';
import { createFallas } from './fallas.ts';
import { type Needle, needlesOf, openSearch } from './needles.ts';
import { createRandom, seed } from './random.ts';
import { sizeOf } from './sizes.ts';

/** Clients of each of three kinds: with a CIEC, with an e.firma, and with a CIEC and a reader of the panel. */
const EACH = 9;
/** Requests in whose hands nothing of the others may be left. */
const QUIET = 200;

onEachDriver(`all operations among faults at random (FAULTS_SEED=${seed})`, (queueUrl) => {
  it('each ends with one charge and one ZIP, and no secret is left anywhere', {
    timeout: 14_400_000,
  }, async (context) => {
    const azar = createRandom(seed);
    const postgres = await ownPostgres();
    const redis = queueUrl === undefined ? null : await ownRedis();
    await redis?.start();
    const storage = await startPipe(inject('s3').endpoint);
    const env = { S3_ENDPOINT: storage.url };
    const servicio = await startServicio({
      ...(redis ? { queueUrl: redis.url } : {}),
      database: postgres.database,
      simulador: { filas_por_paquete: 3 },
      apiEnv: env,
      // Under load a wake-up may take a while, and giving up early costs work. A worker must end before it would be
      // killed, whatever its steps wait for.
      workerEnv: { ...env, RECONCILER_GRACE_SECONDS: '5', LEASE_SECONDS: '5', SHUTDOWN_SECONDS: '10' },
    });
    const logDir = join(servicio.dir, 'log');
    const group = createProcessGroup({ log: silentLogger, logDir });
    context.onTestFinished(async () => {
      await group.stop();
      await servicio.close();
      await storage.close();
      await redis?.close();
    });
    const panelPort = await freePort();
    const panelUrl = `http://127.0.0.1:${panelPort}`;
    const panelSecrets = `p1:${randomBytes(32).toString('base64')}`;
    let panels = 0;
    const startPanel = () => {
      panels += 1;
      return group.start({
        name: `panel-${panels}`,
        entry: programEntry(inject('programs'), 'panel'),
        readyUrl: `${panelUrl}/readyz`,
        env: {
          ...servicio.apiEnv,
          DATABASE_URL: urlAs(servicio.databaseUrl, 'panel'),
          PANEL_PORT: String(panelPort),
          PANEL_SECRETS: panelSecrets,
          API_PUBLIC_URL: servicio.api.url,
          ENTRADAS_IP: '100000',
          REGISTROS_IP: '100000',
        },
      });
    };
    try {
      const fallas = await createFallas({ servicio, postgres, redis, storage, azar, startPanel });
      const share = queueUrl === undefined ? 5 : 1;
      const total = Math.round(sizeOf('requests among faults') / share);
      const quota = Math.ceil(total / (3 * EACH));
      const saldo = 10 * quota;

      const clientes: Cliente[] = [];
      const needles: Needle[] = [];
      const add = (caller: Cliente['caller'], persona?: Persona): Cliente => {
        const of = { azar: createRandom(seed + clientes.length), pedidos: new Map(), cancelled: new Set<string>() };
        const cliente: Cliente = { caller, spent: 0, ...of, ...(persona && { visitor: createVisitor(persona) }) };
        clientes.push(cliente);
        const ciec = caller.efirma ? {} : { ciec: ciecOf(caller.rfc) };
        needles.push(...needlesOf({ ...caller, ...ciec }));
        return cliente;
      };
      for (let n = 0; n < EACH; n += 1) {
        add(await servicio.newCiecCaller({ saldo }));
        add(await newEfirmaCaller(servicio, { saldo }));
        const persona = await registrar(panelUrl, servicio.db, { saldo });
        add(await addCaller(servicio, persona), persona);
        needles.push({ name: `password of ${persona.email}`, forms: [persona.password] });
      }

      const { run, settled, repeated } = createClientes(servicio, fallas.apis);
      const startedAt = Date.now();
      let isAsked = false;
      const asked = Promise.all(clientes.map((cliente) => run(cliente, quota))).finally(() => {
        isAsked = true;
      });

      const strikes = azar.shuffle(
        fallas.names.flatMap((name) => Array.from({ length: Math.ceil(sizeOf(name) / share) }, () => name)),
      );
      // A download has about six events: the faults are spread over the work, whatever the speed of the machine.
      const events = Math.floor((total * 5) / strikes.length);
      let noted = 0;
      for (const name of strikes) {
        noted += Math.floor(events / 2) + azar.below(events);
        await progress(servicio, noted, async () => isAsked && (await openOnes(servicio)) === 0);
        await fallas.strike(name);
      }
      fallas.thaw();
      await asked;
      await waitFor(async () => (await openOnes(servicio)) === 0 || null, 240);
      await settled();
      const visitors = clientes.flatMap(({ visitor }) => visitor ?? []);
      const seen = visitors.reduce((sum, visitor) => sum + visitor.seen(), 0);
      console.log(
        `FAULTS_SEED=${seed}: ${Math.round((Date.now() - startedAt) / 1000)} s, ${clientes.length * quota} downloads, ` +
          `${clientes.reduce((sum, { spent }) => sum + spent, 0)} queries, ${seen} pages, ${repeated()} calls repeated, ` +
          `${strikes.length} faults`,
      );

      expect(visitors.flatMap((visitor) => visitor.unexpected)).toEqual([]);
      expect(fallas.fallen()).toEqual([]);
      await expectAllWhole(servicio, clientes, saldo);
      expectGentle(await sentBy(servicio), servicio, clientes);

      // The next client overwrites the memory of the one before.
      const next = add(await servicio.newCiecCaller({ saldo: QUIET }));
      await run(next, QUIET / 10);
      for (const { url = '' } of fallas.apis())
        for (let n = 0; n < QUIET; n += 1)
          await next.caller
            .at({ url })
            .call('vault/rfc-guardar', { rfc: next.caller.rfc, ciec: ciecOf(next.caller.rfc) });
      await waitFor(async () => (await openOnes(servicio)) === 0 || null, 240);
      expect(needles.length).toBeGreaterThanOrEqual(149);
      const search = await openSearch(needles.filter(({ name }) => !name.endsWith(next.caller.rfc)));
      const found = [
        ...(await search.inFiles(logDir, 'logs')),
        ...(await search.inFiles(postgres.dataDir, 'PostgreSQL')),
        ...(redis ? await search.inFiles(redis.dir, 'Redis') : []),
      ];
      for (const one of fallas.processes()) found.push(...(await search.inProcess(one.pid, one.name)));
      await search.close();
      // Bytes from a socket lie in memory of Node that cannot be wiped: reported, not demanded.
      const kept = found.filter((one) => one.startsWith('memory of api'));
      console.log(`${kept.length} of ${needles.length} needles are left in the memory of ${fallas.apis().length} APIs`);
      expect(found.filter((one) => !kept.includes(one))).toEqual([]);
      expect(await fallas.stop()).toBe(true);
    } catch (error) {
      console.error(error);
      await tellFailure(servicio, { task: { ...context.task, result: { state: 'fail' } } });
      throw error;
    }
  });
});

/** Waits until so many events were noted, or nothing is left to do. */
async function progress({ db }: Servicio, n: number, isOver: () => Promise<boolean>): Promise<void> {
  const look = async () => {
    const { rows } = await db.pool.query<{ n: number }>('SELECT max(id)::integer AS n FROM evento');
    return (rows[0]?.n ?? 0) >= n || (await isOver()) || null;
  };
  await waitFor(() => look().catch(() => null), 120);
}

async function openOnes(servicio: Servicio): Promise<number> {
  const { rowCount } = await servicio.db.pool.query(
    "SELECT FROM solicitud WHERE estado NOT IN ('TERMINADA', 'CANCELADA')",
  );
  return rowCount ?? 0;
}

/**
 * Checks that each accepted request is there once with its end and its rows, each package with its SHA-256, each
 * account with the credits that its answers left, and nothing else.
 */
async function expectAllWhole(servicio: Servicio, clientes: readonly Cliente[], saldo: number): Promise<void> {
  expect(await brokenInvariants(servicio.db)).toEqual([]);
  const { rows } = await servicio.db.pool.query<{
    id: string;
    estado: string;
    registros: number;
    confianza: string | null;
    sha256: string;
    bytes: number;
    object_key: string;
  }>('SELECT id, estado, registros::integer, confianza, sha256, bytes::integer, object_key FROM solicitud');
  const byId = new Map(rows.map((row) => [row.id, row]));
  const known = new Set(clientes.flatMap(({ pedidos }) => [...pedidos.keys()]));
  expect({ unknown: rows.filter(({ id }) => !known.has(id)), rows: rows.length }).toEqual({
    unknown: [],
    rows: known.size,
  });
  const zips = new Map([...(await readObjetos(servicio))].filter(([key]) => !key.includes('/sat/')));
  const wrong: unknown[] = [];
  for (const { caller, pedidos, cancelled, spent } of clientes) {
    let refunds = 0;
    for (const [id, pedido] of pedidos) {
      const row = byId.get(id);
      const uuids = uuidsDelSat(servicio, caller.rfc, pedido);
      if (row?.estado === 'CANCELADA' && cancelled.has(id)) {
        refunds += 1;
        continue;
      }
      const zip = zips.get(row?.object_key ?? '');
      const sha256 = zip && createHash('sha256').update(zip).digest('hex');
      const csv = zip && (await readZip(zip)).csv.map(({ uuid }) => uuid);
      if (row?.estado !== 'TERMINADA' || row.sha256 !== sha256 || String(csv) !== String(uuids))
        wrong.push({ id, ...row, found: sha256, rows: csv?.length, should: uuids.length });
      if (row?.registros === 0 && row.confianza === 'sin_confirmar') refunds += 1;
    }
    const left = await saldoDe(servicio, caller);
    const should = saldo - pedidos.size + refunds - spent;
    if (left !== should) wrong.push({ rfc: caller.rfc, left, should });
  }
  expect(wrong).toEqual([]);
  const ended = rows.filter(({ estado }) => estado === 'TERMINADA').length;
  // A cancellation that meets the end of an assembly leaves an object that no row names, until its retention.
  const named = new Set(rows.map(({ object_key }) => object_key));
  expect([...zips.keys()].filter((key) => named.has(key))).toHaveLength(ended);
}

/** Times that parts were sent, as our rows tell. */
async function sentBy({ db }: Servicio): Promise<number> {
  const { rows } = await db.pool.query<{ n: number }>('SELECT sum(envios)::integer AS n FROM parte');
  return rows[0]?.n ?? 0;
}

/**
 * Checks that the SAT got at most the requests in our rows. It gives a package twice: after two deaths the third call
 * is refused, and the package is not asked for again, except once after a death before the note.
 */
function expectGentle(envios: number, servicio: Servicio, clientes: readonly Cliente[]): void {
  const asked = clientes.map(({ caller }) => askedOfSat(servicio, caller.rfc));
  const sends = asked.reduce((sum, { sends }) => sum + sends, 0);
  const times = asked.flatMap(({ downloads }) => [...downloads.values()]);
  const refused = asked.flatMap(({ refusals }) => [...refusals.values()]);
  console.log(
    `${envios} intents, ${sends} requests at the SAT, ${times.filter((n) => n > 1).length} packages asked for again, ` +
      `${refused.length} refused, ${refused.filter((n) => n > 1).length} of them twice`,
  );
  expect(sends).toBeLessThanOrEqual(envios);
  expect(asked.flatMap(({ thirds }) => thirds)).toEqual([]);
  expect(refused.filter((n) => n > 2)).toEqual([]);
}
