import { type ClaimedSolicitud, StaleEpoch } from '@acuse/core';
import { createClaims, createLlaves, createSolicitudes, createSweeper } from '@acuse/db';
import { expect, it } from 'vitest';
import { brokenInvariants, newSolicitud, PAQUETE, saldoDe, seedTaxpayer, useDatabase } from '../fixtures/database.ts';
import { movimientosDe } from '../fixtures/pedidos.ts';

const t = useDatabase();

/** Every order in which each of several may take so many steps, each one's own in order: 90 for 2, 2 and 2. */
function ordersOf(left: readonly number[]): number[][] {
  if (left.every((n) => n === 0)) return [[]];
  return left.flatMap((n, actor) =>
    n === 0 ? [] : ordersOf(left.map((m, at) => (at === actor ? m - 1 : m))).map((rest) => [actor, ...rest]),
  );
}

/** Expected state of a solicitud after any order of steps. */
function createModel() {
  let [epoch, isHeld, estado] = [0, false, 'EN_PROCESO'];
  const isOpen = () => estado === 'EN_PROCESO';
  return {
    take() {
      if (!isOpen() || isHeld) return null;
      isHeld = true;
      epoch += 1;
      return epoch;
    },
    lapse() {
      isHeld = false;
    },
    /** Gives whether it ended now; a worker tells the epoch of its claim, null for none. */
    end(as: string, claim?: number | null) {
      if (!isOpen() || (claim !== undefined && claim !== epoch)) return false;
      estado = as;
      return true;
    },
    estado: () => estado,
  };
}

/** Whether the write was taken; false for who is no longer in charge. */
const isTaken = (write: Promise<unknown>): Promise<boolean> =>
  write.then(
    () => true,
    (error: unknown) => {
      if (error instanceof StaleEpoch) return false;
      throw error;
    },
  );

it.each([
  ['cancelled', 'CANCELADA'],
  ['revoked', 'ERROR'],
  ['past its deadline', 'VENCIDA'],
] as const)(
  'two workers, and a sweep before it is %s, in each of 90 orders: one end, one charge, one refund or none',
  async (_name, fin) => {
    const claims = createClaims(t.db);
    const sweeper = createSweeper(t.db);
    const orders = ordersOf([2, 2, 2]);
    expect(orders).toHaveLength(90);
    const ends = new Map<string, number>();

    for (const order of orders) {
      const taxpayer = await seedTaxpayer(t.db, { saldo: 1 });
      const id = await newSolicitud(t.db, taxpayer);
      const update = (change: string) => t.db.pool.query(`UPDATE solicitud SET ${change} WHERE id = $1`, [id]);
      const model = createModel();
      const held: { claimed: ClaimedSolicitud | null; epoch: number | null }[] = [];

      const take = async (worker: number) => {
        const [row] = await t.sql`UPDATE outbox SET rung_at = now() WHERE solicitud_id = ${id} RETURNING gen`;
        const gen = row?.['gen'] ?? 1;
        const claimed = await claims.claim({ solicitudId: id, gen, queue: 'descargas', leaseSeconds: 60 });
        const epoch = model.take();
        held[worker] = { claimed, epoch };
        return [claimed !== null, epoch !== null];
      };
      const write = async (worker: number, as: string) => {
        const { claimed, epoch } = held[worker] ?? { claimed: null, epoch: null };
        if (claimed === null) return [false, model.end(as, null)];
        const done = await isTaken(
          as === 'TERMINADA'
            ? claims.finish(claimed, PAQUETE)
            : claims.fail(claimed, { estado: 'RECHAZADA', motivo: 'SAT_ERROR' }),
        );
        return [done, model.end(as, epoch)];
      };
      const steps = [
        [() => take(0), () => write(0, 'TERMINADA')],
        [() => take(1), () => write(1, 'RECHAZADA')],
        [
          async () => {
            await update(`lease_until = now() - interval '1 second'`);
            await sweeper.wakeOverdue({ limit: 1_000, findLost: true });
            model.lapse();
            return [];
          },
          async () => {
            if (fin === 'CANCELADA') await createSolicitudes(t.db).cancel(taxpayer.contribuyenteId, id);
            else if (fin === 'ERROR')
              await createLlaves(t.db).revoke({ apiKeyId: taxpayer.apiKeyId, actor: 'prueba', ip: null });
            else {
              await update(`deadline_at = now() - interval '1 second'`);
              await sweeper.expire(1_000);
            }
            model.end(fin);
            return [];
          },
        ],
      ];

      for (const actor of order) {
        const [is, should] = (await steps[actor]?.shift()?.()) ?? [];
        expect([order, is]).toEqual([order, should]);
      }
      const rows = await t.sql<{ estado: string }>`SELECT estado FROM solicitud WHERE id = ${id}`;
      expect([order, rows[0]?.estado]).toEqual([order, model.estado()]);
      const isPaid = model.estado() === 'TERMINADA';
      expect(await movimientosDe(t, id)).toEqual(isPaid ? ['cargo -1'] : ['cargo -1', 'reembolso 1']);
      expect(await saldoDe(t, taxpayer)).toBe(isPaid ? 0 : 1);
      ends.set(model.estado(), (ends.get(model.estado()) ?? 0) + 1);
    }
    expect(await brokenInvariants(t.db)).toEqual([]);
    // Orders that all end alike would prove little.
    expect([...ends.keys()].sort()).toEqual(['RECHAZADA', 'TERMINADA', fin].sort());
  },
);
