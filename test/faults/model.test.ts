import { randomUUID } from 'node:crypto';
import { type ClaimedSolicitud, StaleEpoch } from '@acuse/core';
import { createClaims, createLlaves, createSaldos, createSolicitudes, createSweeper } from '@acuse/db';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  acceptSolicitud,
  brokenInvariants,
  credit,
  newLlave,
  PAQUETE,
  saldoDe,
  seedTaxpayer,
  type Taxpayer,
  useDatabase,
} from '../integration/fixtures/database.ts';
import { seed } from './random.ts';
import { sizeOf } from './sizes.ts';

const t = useDatabase();

/** What should be, told by a few rules that know no SQL. */
interface Model {
  saldo: number;
  /** Keys made so far; the last one or none is active. */
  keys: number;
  isActive: boolean;
  pedidos: { key: number; day: number; estado: string; epoch: number; isHeld: boolean }[];
  calls: ('open' | 'kept' | 'given back')[];
}

interface Real {
  taxpayer: Taxpayer;
  ids: string[];
  /** Claims that workers believe to have, over or not. */
  claims: { at: number; epoch: number; claimed: ClaimedSolicitud }[];
  ops: string[];
}

const isOpen = (pedido: Model['pedidos'][number] | undefined) => pedido?.estado === 'EN_PROCESO';
const cancelOpen = (model: Model, of: (pedido: Model['pedidos'][number]) => boolean, estado: string) => {
  for (const pedido of model.pedidos)
    if (isOpen(pedido) && of(pedido)) {
      pedido.estado = estado;
      model.saldo += 1;
    }
};

/** A step: does it for real, and gives what it should have given beside what it gave. */
type Step = (model: Model, real: Real) => Promise<readonly [is: unknown, should: unknown]>;

/** A command that says of itself what it is in a run that failed, and that compares the credits after each step. */
const command = (name: string, step: Step): fc.AsyncCommand<Model, Real> => ({
  check: () => true,
  async run(model, real) {
    const [is, should] = await step(model, real);
    expect([name, is, await saldoDe(t, real.taxpayer)]).toEqual([name, should, model.saldo]);
  },
  toString: () => name,
});

const update = (id: string | undefined, change: string) =>
  t.db.pool.query(`UPDATE solicitud SET ${change} WHERE id = $1`, [id]);
const NOTHING = [undefined, undefined] as const;

const accept = (day: number) =>
  command(`accept day ${day}`, async (model, { taxpayer, ids }) => {
    const desde = `2025-01-0${1 + day}`;
    const accepted = await acceptSolicitud(t.db, taxpayer, { desde, hasta: desde });
    const isEqual = model.pedidos.some((each) => isOpen(each) && each.key === model.keys && each.day === day);
    const should = !model.isActive
      ? 'STALE_ACCESS'
      : isEqual
        ? 'DUPLICADA'
        : model.saldo < 1
          ? 'SALDO_INSUFICIENTE'
          : 'ACEPTADA';
    if (should === 'ACEPTADA') {
      model.saldo -= 1;
      model.pedidos.push({ key: model.keys, day, estado: 'EN_PROCESO', epoch: 0, isHeld: false });
    }
    if (accepted.resultado === 'ACEPTADA') ids.push(accepted.solicitudId);
    return [accepted.resultado, should];
  });

const claim = (n: number) =>
  command(`claim ${n}`, async (model, real) => {
    const at = n % Math.max(1, real.ids.length);
    const [id, pedido] = [real.ids[at], model.pedidos[at]];
    if (id === undefined || pedido === undefined) return NOTHING;
    const { rows } = await t.db.pool.query<{ gen: number }>(
      'UPDATE outbox SET rung_at = now() WHERE solicitud_id = $1 RETURNING gen',
      [id],
    );
    const gen = rows[0]?.gen ?? 1;
    const claimed = await createClaims(t.db).claim({ solicitudId: id, gen, queue: 'descargas', leaseSeconds: 60 });
    const isMine = isOpen(pedido) && !pedido.isHeld;
    if (isMine) {
      pedido.isHeld = true;
      pedido.epoch += 1;
    }
    if (claimed) real.claims.push({ at, epoch: pedido.epoch, claimed });
    return [claimed !== null, isMine];
  });

/** A write under a claim, current or stale. */
const write = (what: 'finish' | 'fail' | 'release', n: number) =>
  command(`${what} ${n}`, async (model, real) => {
    const held = real.claims[n % Math.max(1, real.claims.length)];
    const pedido = held && model.pedidos[held.at];
    if (!held || !pedido) return NOTHING;
    const claims = createClaims(t.db);
    const done = await {
      finish: () => claims.finish(held.claimed, PAQUETE),
      fail: () => claims.fail(held.claimed, { estado: 'RECHAZADA', motivo: 'SAT_ERROR' }),
      release: () => claims.release(held.claimed, {}, { queue: 'descargas', inSeconds: 0 }),
    }
      [what]()
      .then(
        () => true,
        (error: unknown) => {
          if (error instanceof StaleEpoch) return false;
          throw error;
        },
      );
    const isMine = isOpen(pedido) && pedido.epoch === held.epoch;
    if (isMine && what === 'finish') pedido.estado = 'TERMINADA';
    if (isMine && what === 'fail') cancelOpen(model, (each) => each === pedido, 'RECHAZADA');
    if (isMine && what === 'release') {
      pedido.isHeld = false;
      pedido.epoch += 1;
    }
    return [done, isMine];
  });

const other = {
  cancel: (n: number) =>
    command(`cancel ${n}`, async (model, { ids, taxpayer }) => {
      const pedido = model.pedidos[n % Math.max(1, ids.length)];
      const id = ids[n % Math.max(1, ids.length)];
      if (!pedido || id === undefined) return NOTHING;
      const done = await createSolicitudes(t.db).cancel(taxpayer.contribuyenteId, id);
      const should = ['EN_PROCESO', 'CANCELADA'].includes(pedido.estado) ? 'CANCELADA' : 'TERMINADA';
      cancelOpen(model, (each) => each === pedido, 'CANCELADA');
      return [done?.resultado, should];
    }),
  'die with': (n: number) =>
    command(`die with ${n}`, async (model, { ids }) => {
      const pedido = model.pedidos[n % Math.max(1, ids.length)];
      if (!pedido?.isHeld || !isOpen(pedido)) return NOTHING;
      await update(ids[n % ids.length], `lease_until = now() - interval '1 second'`);
      await createSweeper(t.db).wakeOverdue({ limit: 1_000, findLost: true });
      pedido.isHeld = false;
      return NOTHING;
    }),
  'pass the deadline of': (n: number) =>
    command(`pass the deadline of ${n}`, async (model, { ids }) => {
      const pedido = model.pedidos[n % Math.max(1, ids.length)];
      if (!pedido) return NOTHING;
      await update(ids[n % ids.length], `deadline_at = now() - interval '1 second'`);
      await createSweeper(t.db).expire(1_000);
      cancelOpen(model, (each) => each === pedido, 'VENCIDA');
      return NOTHING;
    }),
  credit: (n: number) =>
    command(`credit ${1 + n}`, async (model, { taxpayer }) => {
      await credit(t.db, taxpayer.cuentaId, 1 + n);
      model.saldo += 1 + n;
      return NOTHING;
    }),
  'revoke the key,': () =>
    command('revoke the key', async (model, { taxpayer }) => {
      if (!model.isActive) return NOTHING;
      await createLlaves(t.db).revoke({ apiKeyId: taxpayer.apiKeyId, actor: 'prueba', ip: null });
      model.isActive = false;
      cancelOpen(model, (each) => each.key === model.keys, 'ERROR');
      return NOTHING;
    }),
  'make a new key,': () =>
    command('make a new key', async (model, real) => {
      const llave = newLlave();
      const { contribuyenteId } = real.taxpayer;
      await createLlaves(t.db).activate({ contribuyenteId, llave, actor: 'prueba', ip: null });
      await t.db.pool.query('UPDATE api_key SET registrada_en = now() WHERE id = $1', [llave.id]);
      real.taxpayer = { ...real.taxpayer, apiKeyId: llave.id };
      model.keys += 1;
      model.isActive = true;
      return NOTHING;
    }),
  'charge a call,': () =>
    command('charge a call', async (model, { taxpayer: { cuentaId, contribuyenteId }, ops }) => {
      const opId = randomUUID();
      const operacion = 'tax/facturas';
      const cargo = { opId, cuentaId, contribuyenteId, operacion, plazoSegundos: 60 };
      await createSaldos(t.db).charge(cargo);
      if (model.saldo < 1) return NOTHING;
      model.saldo -= 1;
      model.calls.push('open');
      ops.push(opId);
      return NOTHING;
    }),
  'give back call': (n: number) =>
    command(`give back call ${n}`, async (model, { ops }) => {
      const at = n % Math.max(1, ops.length);
      const [opId, call] = [ops[at], model.calls[at]];
      if (opId === undefined || call === undefined) return NOTHING;
      await createSaldos(t.db).refund(opId, 'x');
      if (call !== 'given back') model.saldo += 1;
      model.calls[at] = 'given back';
      return NOTHING;
    }),
};

const at = fc.nat({ max: 9 });
const ALL = [
  ...[fc.nat({ max: 4 }).map(accept), fc.nat({ max: 4 }).map(accept), at.map(claim), at.map(claim)],
  ...(['finish', 'fail', 'release'] as const).map((what) => at.map((n) => write(what, n))),
  ...Object.values(other).map((make) => at.map(make)),
];

it(`keys, requests, claims, time, deaths and credits do what a model of ${ALL.length} rules does (FAULTS_SEED=${seed})`, {
  timeout: 14_400_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.commands(ALL, { maxCommands: 60, size: 'max' }), async (commands) => {
      const taxpayer = await seedTaxpayer(t.db, { saldo: 3 });
      const real: Real = { taxpayer, ids: [], claims: [], ops: [] };
      const model: Model = { saldo: 3, keys: 1, isActive: true, pedidos: [], calls: [] };
      await fc.asyncModelRun(() => ({ model, real }), commands);
      const { rows } = await t.db.pool.query<{ id: string; estado: string }>(
        'SELECT id, estado FROM solicitud WHERE cuenta_id = $1',
        [taxpayer.cuentaId],
      );
      const estados = new Map(rows.map(({ id, estado }) => [id, estado]));
      expect(real.ids.map((id) => estados.get(id))).toEqual(model.pedidos.map(({ estado }) => estado));
      expect(rows).toHaveLength(real.ids.length);
    }),
    { numRuns: sizeOf('runs of the model'), seed, endOnFailure: false },
  );
  expect(await brokenInvariants(t.db)).toEqual([]);
});
