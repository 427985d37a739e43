import { randomBytes } from 'node:crypto';
import { addDays, calendarDay, type TipoDescarga } from '@acuse/core';
import { createSincronizaciones } from '@acuse/sincronizacion/db';
import { generateWorkerKeyPair, openSealer } from '@acuse/vault';
import { expect, it } from 'vitest';
import { newSubscriber, subscribe } from '../integration/almacen/subscriber.ts';
import { installClock, setClock } from '../integration/fixtures/clock.ts';
import { brokenInvariants, credit, useDatabase } from '../integration/fixtures/database.ts';
import { urlAs } from '../integration/fixtures/roles.ts';
import { createAuditor, createFollower, differences } from './anio/checks.ts';
import { startCrew } from './anio/crew.ts';
import { dataOf } from './anio/mirror.ts';
import { createSat, type Taxed } from './anio/sat.ts';
import { createTruth, startOf } from './anio/truth.ts';
import { createRandom, seed } from './random.ts';
import { sizeOf } from './sizes.ts';

const database = useDatabase({ timeoutMs: 60_000 });

const subscriptions = sizeOf('subscriptions over a year');
const [FIRST, LAST] = ['2026-01-01', '2026-12-31'];
const WORKERS = 3;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const quien = { actor: 'prueba', ip: null };

type Subscription = Awaited<ReturnType<typeof subscribeOne>>;

async function subscribeOne(n: number, azar: ReturnType<typeof createRandom>, ahora: Date, sealer: Sealer) {
  const tipos: TipoDescarga[] =
    azar.below(5) === 0 ? ['emitidos', 'recibidos'] : [azar.pick(['emitidos', 'recibidos'])];
  const desde = azar.below(4) === 0 ? '2025-01-01' : azar.pick(['2024-11-01', '2025-10-15', '2025-12-03', FIRST]);
  const frecuencia = azar.below(10) === 0 ? 'DIARIA' : 'SEMANAL';
  const expiraEn = new Date(ahora.getTime() + (40 + azar.below(350)) * DAY);
  const saldo = azar.below(5) === 0 ? 30 + azar.below(60) : 100_000;
  const ajustes = { tipos, desde, frecuencia, ahora } as const;
  const dueno = await newSubscriber(database, sealer, { ...ajustes, expiraEn, saldo });
  const rate = azar.pick([0.3, 1, 1, 3]);
  const truths = Object.fromEntries(
    tipos.map((tipo, at) => [
      tipo,
      createTruth({ seed: seed + 7 * n + at, rfc: dueno.rfc, tipo, desde, hasta: LAST, rate }),
    ]),
  );
  const [row] = await database.sql<{ almacenId: number }>`
    SELECT almacen_id AS "almacenId" FROM sincronizacion WHERE id = ${dueno.sincronizacionId}`;
  if (row === undefined) throw new Error('no store');
  const taxed: Taxed = { truths, revokedAfter: null, isCiecRefused: false };
  return {
    dueno,
    ajustes,
    taxed,
    almacenId: row.almacenId,
    auditor: createAuditor(database, row.almacenId),
    follower: createFollower(database, row.almacenId, azar),
    credits: saldo,
    /** Time at which a person resumes a paused subscription. */
    reviveAt: null as number | null,
  };
}
type Sealer = ReturnType<typeof openSealer>;

it(`${subscriptions} subscriptions over a year among outages and deaths: each store is the truth, and tells each change once (FAULTS_SEED=${seed})`, {
  timeout: 4 * HOUR,
}, async ({ onTestFinished }) => {
  const azar = createRandom(seed);
  let now = startOf(FIRST);
  await installClock(database, new Date(now));
  const [clock] = await database.sql<{ ahora: Date }>`SELECT now()::timestamptz AS ahora`;
  expect(clock?.ahora).toEqual(new Date(now));
  const [pair, psk] = [generateWorkerKeyPair(), randomBytes(32).toString('base64')];
  const sealer = openSealer(`w1:${pair.publicKey}`, `p1:${psk}`);
  const all: Subscription[] = [];
  const byRfc = new Map<string, Subscription>();
  const errors: string[] = [];
  const sat = createSat(azar, (rfc) => {
    const found = byRfc.get(rfc);
    if (!found) throw new Error(`the SAT was asked for ${rfc}, who subscribed to nothing`);
    return found.taxed;
  });
  let [isCalm, isQueueAway, cuts, born] = [false, false, 0, 0];
  const { db } = database;
  const sincronizaciones = createSincronizaciones(db);
  const crew = await startCrew(
    WORKERS,
    (name) => {
      born += 1;
      const keys = { workerKeys: `w1:${pair.privateKey}`, workerPsks: `p1:${psk}` };
      const databaseUrl = urlAs(database.url, 'worker');
      return { name, databaseUrl, seed: seed + born, faults: isCalm ? 0 : 4, deadlineHours: 72, ...keys };
    },
    {
      sat: async (of) => sat.answer(of),
      csv: ({ solicitudId }) => sat.csv(solicitudId),
      queue: async () => (isQueueAway ? 'AWAY' : !isCalm && azar.below(60) === 0 ? 'LOST' : 'THERE'),
      async merging({ name }) {
        const roll = isCalm ? 1_000 : azar.below(1_000);
        if (roll === 0) return 'DIE';
        if (roll < 15) {
          cuts += 1;
          await database.sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND application_name = ${`${name}-merge`}`;
        }
        return 'GO_ON';
      },
    },
    (text) => errors.push(text),
  );
  onTestFinished(async () => void (await crew.stop()));

  const tick = async (at: number) => {
    now = at;
    sat.setTime(now);
    await setClock(database, now);
    const following = all.filter(() => azar.below(25) === 0).map(({ follower }) => follower.poll(true));
    await Promise.all([crew.turn(now), ...following]);
    expect([errors, sat.violations]).toEqual([[], []]);
  };

  const give = async (one: Subscription, creditos: number) => {
    one.credits += creditos;
    await credit(db, one.dueno.cuentaId, creditos);
  };
  const consent = async (one: Subscription, days: number) => {
    const ahora = new Date(now);
    one.taxed.isCiecRefused = false;
    one.taxed.revokedAfter = null;
    await subscribe(database, one.dueno, sealer, { ...one.ajustes, ahora, expiraEn: new Date(now + days * DAY) });
  };

  /** What people do with their subscriptions in a day. */
  async function live(): Promise<void> {
    const paused = await database.sql<{ almacenId: number; motivo: string }>`
      SELECT almacen_id AS "almacenId", motivo FROM sincronizacion WHERE estado = 'PAUSADA'`;
    const motivos = new Map(paused.map(({ almacenId, motivo }) => [almacenId, motivo]));
    for (const one of all) {
      const motivo = motivos.get(one.almacenId);
      const { contribuyenteId } = one.dueno;
      if (motivo === undefined) {
        one.reviveAt = null;
        const roll = isCalm ? 1_000 : azar.below(1_000);
        if (roll === 0) await sincronizaciones.pause(contribuyenteId, quien);
        else if (roll === 1) {
          await sincronizaciones.revoke(contribuyenteId, quien);
          one.taxed.revokedAfter = crew.turns();
        } else if (roll === 2) one.taxed.isCiecRefused = true;
      } else if (one.reviveAt === null && !isCalm) one.reviveAt = now + (1 + azar.below(20)) * DAY;
      else if (isCalm || now >= (one.reviveAt ?? 0)) {
        if (motivo === 'SIN_SALDO') await give(one, isCalm ? 10_000 : 40 + azar.below(100));
        if (motivo !== 'PEDIDA' && motivo !== 'SIN_SALDO') await consent(one, 40 + azar.below(350));
        else if (!(await sincronizaciones.resume(contribuyenteId, quien))) await consent(one, 300);
      }
    }
  }

  const audit = async () => {
    for (const { auditor, follower } of all) await auditor.check(sat.answers, follower);
    expect(await brokenInvariants(db)).toEqual([]);
    const accounts = await database.sql<{
      cuenta: string;
      saldo: number;
      cargos: number;
      returned: number;
      asked: number;
      ended: number;
    }>`
      SELECT c.id AS cuenta, c.saldo::int AS saldo,
        (SELECT count(*)::int FROM movimiento m WHERE m.cuenta_id = c.id AND m.tipo = 'cargo') AS cargos,
        (SELECT count(*)::int FROM movimiento m WHERE m.cuenta_id = c.id AND m.tipo = 'reembolso') AS returned,
        (SELECT count(*)::int FROM solicitud s WHERE s.cuenta_id = c.id) AS asked,
        (SELECT count(*)::int FROM solicitud s WHERE s.cuenta_id = c.id AND s.estado <> 'EN_PROCESO'
          AND (s.estado <> 'TERMINADA' OR s.registros = 0
            OR EXISTS (SELECT FROM movimiento m WHERE m.op_id = s.id AND m.tipo = 'reembolso'))) AS ended
      FROM cuenta c`;
    const byCuenta = new Map(all.map((one) => [one.dueno.cuentaId, one]));
    for (const { cuenta, saldo, cargos, returned, asked, ended } of accounts) {
      const credits = byCuenta.get(cuenta)?.credits ?? 0;
      expect({ cuenta, cargos, returned, saldo }).toEqual({
        cuenta,
        cargos: asked,
        returned: ended,
        saldo: credits - asked + ended,
      });
    }
  };

  const countOpen = async () =>
    (await database.sql`SELECT FROM solicitud WHERE estado IN ('EN_PROCESO', 'ESPERA_EFIRMA')`).length;
  /** Readings of one kind of a store, and the next due times: they explain a missing CFDI. */
  const tellReadings = async (almacenId: number, tipo: string) => {
    const rows = await database.sql<{ row: string }>`
      SELECT to_jsonb(t)::text AS row FROM tramo t JOIN sincronizacion s ON s.id = t.sincronizacion_id
        WHERE s.almacen_id = ${almacenId} AND t.tipo = ${tipo}
      UNION ALL (SELECT to_jsonb(l)::text FROM lectura l WHERE l.almacen_id = ${almacenId} AND l.tipo = ${tipo} ORDER BY l.n DESC LIMIT 80)`;
    return rows.map(({ row }) => row).join('\n');
  };

  const started = performance.now();
  const joins = Array.from({ length: subscriptions }, (_, n) => addDays(FIRST, n === 0 ? 0 : azar.below(20))).sort();
  for (let day = FIRST; day < LAST; day = addDays(day, 1)) {
    isQueueAway = azar.below(40) === 0;
    if (azar.below(60) === 0) sat.goAway(startOf(day) + (8 + azar.below(90)) * HOUR);
    if (azar.below(12) === 0) crew.killAfter(azar.below(WORKERS), 1 + azar.below(30));
    now = startOf(day);
    await setClock(database, now);
    for (; joins[all.length] === day; ) {
      const one = await subscribeOne(
        all.length,
        createRandom(seed + 1_000_003 * (all.length + 1)),
        new Date(now),
        sealer,
      );
      all.push(one);
      byRfc.set(one.dueno.rfc, one);
    }
    await live();
    const times = Array.from({ length: 6 }, () => azar.below(DAY)).sort((a, b) => a - b);
    for (const at of times) await tick(startOf(day) + at);
    if (addDays(day, 1).endsWith('-01')) await audit();
  }

  // Nothing changes any more, nothing fails any more: everybody catches up.
  isCalm = true;
  isQueueAway = false;
  sat.calm();
  for (const one of all) {
    await consent(one, 380);
    await give(one, 10_000);
  }
  for (let jump = 0; jump < 4; jump += 1)
    for (let turn = 0; turn < 12; turn += 1) {
      await tick(now + (turn === 0 ? 31 * DAY : turn < 8 ? HOUR / 2 : 5 * HOUR));
      if (turn === 0) await live();
    }
  // What a worker that sleeps has in its hands is done once it wakes, or when its grace is over.
  for (let turn = 0; turn < 10 && (await countOpen()) > 0; turn += 1) await tick(now + 2 * 60_000);
  expect(await countOpen()).toBe(0);
  await audit();
  for (const { taxed, ajustes, auditor, almacenId } of all)
    for (const [tipo, truth] of Object.entries(taxed.truths)) {
      const { known } = auditor.mirrors[tipo as TipoDescarga];
      const present = new Map([...known].filter(([, { isAusente }]) => !isAusente));
      const rows = truth.rows(ajustes.desde, calendarDay(new Date(now)), now);
      const real = rows.map((fila) => {
        const canceladaEn = fila.cancelada ?? null;
        const data = dataOf(tipo === 'recibidos', fila);
        return [fila.uuid, { data, isVigente: canceladaEn === null, canceladaEn, isAusente: false }] as const;
      });
      const wrong = differences(present, new Map(real));
      expect(wrong, wrong.length === 0 ? '' : await tellReadings(almacenId, tipo)).toEqual([]);
    }

  const sum = (of: (one: Subscription) => number) => all.reduce((total, one) => total + of(one), 0);
  const readings = sum(({ auditor }) => auditor.counts().readings);
  const deaths = sum(({ follower }) => follower.deaths());
  const [ends] = await database.sql<{ n: string }>`
    SELECT json_object_agg(k, n)::text AS n FROM (SELECT estado || coalesce(' ' || motivo, '') AS k, count(*) AS n FROM solicitud GROUP BY 1) e`;
  console.log(
    `FAULTS_SEED=${seed}: ${subscriptions} subscriptions, ${Math.round((performance.now() - started) / 1_000)} s, ${readings} readings merged, ` +
      `${sum(({ auditor }) => auditor.counts().changes)} changes, ${crew.counts().deaths} workers killed, ${cuts} merges cut, ` +
      `${deaths} deaths of those who followed, ${JSON.stringify(sat.counts)}, ${ends?.n}`,
  );
  // A year in which little happened would prove little.
  expect([
    readings > 100 * subscriptions,
    crew.counts().deaths > 10,
    cuts > 0,
    sat.counts.lies > 0,
    sat.counts.lastLies > 0,
    deaths > 0,
  ]).toEqual(Array.from({ length: 6 }, () => true));
});
