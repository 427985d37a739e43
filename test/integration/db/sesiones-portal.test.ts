import { randomFillSync, randomUUID } from 'node:crypto';
import type { SesionesPortal } from '@acuse/core';
import { createSesionesPortal, releaseTurnsOfDead } from '@acuse/db';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { describeSesionesPortal } from '../../../packages/sat/src/portal/testing/conformidad-sesiones.ts';
import { testDatabase } from '../fixtures/database.ts';

type Almacen = Awaited<ReturnType<typeof open>>;

async function open() {
  const { db, close } = await testDatabase();
  return {
    db,
    sesiones: createSesionesPortal(db),
    async advance(ms: number) {
      const [before] = [`- ${Number(ms)} * interval '1 millisecond'`];
      await db.pool.query(`UPDATE sesion_portal SET usada_en = usada_en ${before}, abierta_en = abierta_en ${before}`);
      await db.pool.query(`UPDATE turno_acceso SET hasta = hasta ${before}, desde = desde ${before}`);
      await db.pool.query(`UPDATE rechazo_acceso SET creado_en = creado_en ${before}`);
    },
    close,
  };
}

describeSesionesPortal('in PostgreSQL', open);

describe('sessions in PostgreSQL share out the places of log-ins among the accounts', () => {
  let s: SesionesPortal;
  let almacen: Almacen;
  let serie = 0;
  beforeAll(async () => {
    almacen = await open();
    s = almacen.sesiones;
  });
  afterAll(() => almacen.close());

  const [uno, dos] = [randomUUID(), randomUUID()];
  const titular = (n: string) => ({ tipo: 'ciec', rfc: `${n}AA010101${String(serie).padStart(3, '0')}` }) as const;
  const ask = async (n: string, cuentaId: string, plazas: number) =>
    (await s.acquireTurn(titular(n), 60_000, { plazas, cuentaId })) !== null;
  const leave = async (n: string, cuentaId: string, plazas: number) => {
    const turno = await s.acquireTurn(titular(n), 60_000, { plazas, cuentaId });
    if (turno === null) throw new Error('no turn');
    return () => s.releaseTurn(titular(n), turno);
  };
  // What the other tests hold takes no place of these.
  beforeEach(async () => {
    serie += 1;
    await almacen.advance(10 * 60_000);
  });

  it('in the order of asking, and account by account', async () => {
    const first = await leave('A', uno, 1);
    for (const n of ['B', 'C']) {
      await almacen.advance(1_000);
      expect(await ask(n, uno, 1)).toBe(false);
    }
    await almacen.advance(1_000);
    for (const n of ['D', 'E']) expect(await ask(n, dos, 1)).toBe(false);
    await almacen.advance(1_000);
    await first();
    for (const [n, cuenta] of [
      ['B', uno],
      ['C', uno],
      ['E', dos],
    ] as const)
      expect(await ask(n, cuenta, 1)).toBe(false);
    const second = await leave('D', dos, 1);
    await almacen.advance(1_000);
    await second();
    expect([await ask('E', dos, 1), await ask('C', uno, 1)]).toEqual([false, false]);
    const third = await leave('B', uno, 1);
    await almacen.advance(1_000);
    await third();
    expect([await ask('C', uno, 1), await ask('E', dos, 1)]).toEqual([false, true]);
  });

  it('behind a place that is taken, another account comes before the second of the one that has it', async () => {
    await leave('A', uno, 2);
    const release = await leave('B', uno, 2);
    for (const n of ['C', 'D']) expect(await ask(n, uno, 2)).toBe(false);
    await almacen.advance(1_000);
    expect(await ask('E', dos, 2)).toBe(false);
    await release();
    expect([await ask('C', uno, 2), await ask('E', dos, 2)]).toEqual([false, true]);
  });

  it('leaves a fifth of them to the others when one account asks for all', async () => {
    const names = Array.from({ length: 20 }, (_, n) => String.fromCharCode(65 + n));
    const taken = [];
    for (const n of names) taken.push(await ask(n, uno, 20));
    expect(taken.filter(Boolean)).toHaveLength(16);
    expect(await ask('Z', dos, 20)).toBe(true);
  });

  it('does not wait for a caller that left', async () => {
    const release = await leave('A', uno, 1);
    expect(await ask('B', dos, 1)).toBe(false);
    await almacen.advance(6_000);
    expect(await ask('C', uno, 1)).toBe(false);
    await release();
    expect(await ask('C', uno, 1)).toBe(true);
  });

  it('gives the turn of one taxpayer to one process, with places left', async () => {
    expect(await ask('A', uno, 20)).toBe(true);
    expect(await ask('A', dos, 20)).toBe(false);
    expect(await ask('B', dos, 20)).toBe(true);
  });
});

describe('turns of processes that died on this host', () => {
  let almacen: Almacen;
  beforeAll(async () => {
    almacen = await open();
  });
  afterAll(() => almacen.close());

  it('end, and those of other hosts and of processes that run stay', async () => {
    const { db, sesiones } = almacen;
    const [running, gone] = [process.ppid, process.pid + 1];
    // Bytes of a token: 6 of the host, 4 of the process id, 2 that tell a process from another with its id.
    const holders: Record<string, (token: Buffer) => unknown> = {
      own: () => {},
      'another that runs': (token) => token.writeUInt32BE(running, 6),
      'one that is gone': (token) => token.writeUInt32BE(gone, 6),
      'an earlier one with this id': (token) => token.writeUInt16BE(token.readUInt16BE(10) ^ 1, 10),
      'one that is gone on another host': (token) => {
        token.writeUInt32BE(gone, 6);
        token.writeUInt16BE(token.readUInt16BE(0) ^ 1, 0);
      },
      'a version without process ids': (token) => randomFillSync(token),
    };
    for (const [rfc, change] of Object.entries(holders)) {
      const turno = await sesiones.acquireTurn({ rfc, tipo: 'ciec' }, 60_000);
      const token = Buffer.from(turno?.token ?? '', 'hex');
      change(token);
      await db.pool.query('UPDATE turno_acceso SET token = $2 WHERE rfc = $1', [rfc, token.toString('hex')]);
    }
    await releaseTurnsOfDead(db, (pid) => pid === running);
    const { rows } = await db.pool.query<{ rfc: string }>(
      'SELECT rfc FROM turno_acceso WHERE hasta <= now() ORDER BY rfc',
    );
    expect(rows.map(({ rfc }) => rfc)).toEqual(['an earlier one with this id', 'one that is gone']);
  });
});
