import { randomUUID } from 'node:crypto';
import {
  createContribuyentes,
  createLibro,
  createSaldos,
  createSolicitudes,
  createUso,
  type MovimientoVista,
  type TipoMovimiento,
} from '@acuse/db';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  acceptSolicitud,
  brokenInvariants,
  credit,
  newRfc,
  saldoDe,
  seedTaxpayer,
  useDatabase,
} from '../fixtures/database.ts';

const database = useDatabase();

const read = async (cuentaId: string) => createLibro(database.db).page({ cuentaId, filtro: {}, limite: 100_000 });

/** Every balance follows from the one before it. */
function expectChain(rows: readonly MovimientoVista[], saldo: number) {
  expect(rows[0]?.saldo ?? 0).toBe(saldo);
  for (const [at, row] of rows.entries()) expect(row.saldo - row.importe).toBe(rows[at + 1]?.saldo ?? 0);
}

test('whatever happens at once, every balance of the ledger follows from the last and ends in that of the account', async () => {
  const step = fc.oneof(
    fc.record({ tipo: fc.constant('compra' as const), creditos: fc.integer({ min: 1, max: 5 }) }),
    fc.record({ tipo: fc.constant('cargo' as const), importe: fc.integer({ min: 1, max: 4 }) }),
    fc.record({ tipo: fc.constant('cargo-y-reembolso' as const), importe: fc.integer({ min: 1, max: 4 }) }),
    fc.record({ tipo: fc.constant('solicitud' as const) }),
  );
  await database.sql`INSERT INTO operacion (path, costo) SELECT 'prueba/' || n, n FROM generate_series(1, 4) n`;
  const cuentas = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(step, { maxLength: 8 }), { maxLength: 4 }), async (rounds) => {
      const taxpayer = await seedTaxpayer(database.db, { saldo: 3 });
      const { cuentaId, contribuyenteId } = taxpayer;
      cuentas.add(cuentaId);
      const saldos = createSaldos(database.db);
      for (const round of rounds)
        await Promise.all(
          round.map(async (one) => {
            const opId = randomUUID();
            if (one.tipo === 'compra') {
              await credit(database.db, cuentaId, one.creditos, opId);
            } else if (one.tipo === 'solicitud') {
              await acceptSolicitud(database.db, taxpayer);
            } else {
              const operacion = `prueba/${one.importe}`;
              await saldos.charge({ opId, cuentaId, contribuyenteId, operacion, plazoSegundos: 60 });
              if (one.tipo === 'cargo-y-reembolso') await saldos.refund(opId, 'x');
            }
          }),
        );
      const rows = await read(cuentaId);
      expectChain(rows, await saldoDe(database, taxpayer));
      for (const [at, row] of rows.entries()) {
        const older = rows[at + 1];
        if (older) expect(BigInt(row.id)).toBeGreaterThan(BigInt(older.id));
        if (older) expect(row.creadoEn.getTime()).toBeGreaterThanOrEqual(older.creadoEn.getTime());
      }
      const sums =
        await database.sql`SELECT coalesce(sum(importe), 0)::integer AS importe, coalesce(sum(movimientos), 0)::integer AS movimientos
         FROM uso_dia WHERE cuenta_id = ${cuentaId}`;
      expect(sums[0]).toEqual({ importe: await saldoDe(database, taxpayer), movimientos: rows.length });
    }),
    { numRuns: 25 },
  );
  expect((await brokenInvariants(database.db)).filter(({ id }) => cuentas.has(id))).toEqual([]);
});

test('a refund is a row of its own that names the call and the solicitud of its charge', async () => {
  const taxpayer = await seedTaxpayer(database.db, { saldo: 2 });
  const accepted = await acceptSolicitud(database.db, taxpayer);
  if (accepted.resultado !== 'ACEPTADA') throw new Error(accepted.resultado);
  const { solicitudId } = accepted;
  await createSolicitudes(database.db).cancel(taxpayer.contribuyenteId, solicitudId);
  const rows = await read(taxpayer.cuentaId);
  const common = { opId: solicitudId, solicitudId, rfc: taxpayer.rfc, operacion: 'tax/descarga-metadata' };
  expect(rows).toMatchObject([
    { ...common, tipo: 'reembolso', importe: 1, saldo: 2, detalle: 'CANCELADA_POR_EL_CLIENTE' },
    { ...common, tipo: 'cargo', importe: -1, saldo: 1 },
    { tipo: 'compra', importe: 2, saldo: 2, operacion: null, rfc: null },
  ]);
});

test('filters by time, RFC, operation and kind, page by page to both sides, equal what is filtered from the whole', async () => {
  const taxpayer = await seedTaxpayer(database.db, { saldo: 500 });
  const { cuentaId } = taxpayer;
  const other = await createContribuyentes(database.db).add({ cuentaId, rfc: newRfc(), actor: 'prueba', ip: null });
  const stranger = await seedTaxpayer(database.db, { saldo: 5 });
  const saldos = createSaldos(database.db);
  const operaciones = ['tax/facturas', 'tax/retenciones', 'usuario/datos-fiscales'];
  for (let n = 0; n < 60; n += 1) {
    const opId = randomUUID();
    const contribuyenteId = n % 3 === 0 ? other.id : taxpayer.contribuyenteId;
    const operacion = operaciones[n % 2 === 0 ? 0 : n % 3] ?? '';
    await saldos.charge({ opId, cuentaId, contribuyenteId, operacion, plazoSegundos: 60 });
    if (n % 5 === 0) await saldos.refund(opId, 'x');
  }
  const all = await read(cuentaId);
  const at = (n: number) => all[n]?.creadoEn ?? new Date(0);
  const libro = createLibro(database.db);
  await fc.assert(
    fc.asyncProperty(
      fc.record(
        {
          desde: fc.constantFrom(at(50), at(20)),
          hasta: fc.constantFrom(at(2), at(10)),
          rfc: fc.constantFrom(taxpayer.rfc, other.rfc, stranger.rfc, 'ZZZ010101ZZ1'),
          operacion: fc.constantFrom(...operaciones),
          tipo: fc.constantFrom<TipoMovimiento>('cargo', 'reembolso', 'compra', 'ajuste'),
        },
        { requiredKeys: [] },
      ),
      fc.integer({ min: 1, max: 30 }),
      async (filtro, limite) => {
        const expected = all.filter(
          (row) =>
            (!filtro.desde || row.creadoEn >= filtro.desde) &&
            (!filtro.hasta || row.creadoEn < filtro.hasta) &&
            (!filtro.rfc || row.rfc === filtro.rfc) &&
            (!filtro.operacion || row.operacion === filtro.operacion) &&
            (!filtro.tipo || row.tipo === filtro.tipo),
        );
        const paged: MovimientoVista[] = [];
        for (;;) {
          const antes = paged.at(-1);
          const page = await libro.page({ cuentaId, filtro, limite, ...(antes ? { antes } : {}) });
          if (page.length === 0) break;
          const [newest] = page;
          if (newest && paged.length > 0) {
            const back = await libro.pageBack({ cuentaId, filtro, despues: newest, limite });
            expect(back).toEqual(paged.slice(-limite));
          }
          paged.push(...page);
        }
        expect(paged).toEqual(expected);
        const exported: MovimientoVista[] = [];
        for await (const lot of libro.all({ cuentaId, filtro, batch: limite })) exported.push(...lot);
        expect(exported).toEqual([...expected].reverse());
      },
    ),
    { numRuns: 40 },
  );
});

test('usage by day and month is what the ledger sums up to, by days of central Mexico', async () => {
  const { cuentaId, contribuyenteId } = await seedTaxpayer(database.db, { saldo: 50 });
  const insert = (tipo: string, importe: number, en: string, operacion: string | null = null) =>
    database.sql`INSERT INTO movimiento (cuenta_id, contribuyente_id, op_id, tipo, importe, operacion, creado_en) VALUES (${cuentaId}, ${contribuyenteId}, ${randomUUID()}, ${tipo}, ${importe}, ${operacion}, ${en})`;
  // Midnight of central Mexico is 06:00 UTC.
  await insert('cargo', -1, '2031-03-01T05:59:59.999Z', 'tax/facturas');
  await insert('cargo', -2, '2031-03-01T06:00:00.000Z', 'tax/facturas');
  await insert('cargo', -1, '2031-03-01T12:00:00.000Z', 'tax/facturas');
  await insert('reembolso', 1, '2031-03-02T12:00:00.000Z', 'tax/facturas');
  await insert('cargo', -1, '2031-03-02T13:00:00.000Z', 'tax/retenciones');
  await insert('ajuste', 5, '2031-03-02T14:00:00.000Z');
  const uso = createUso(database.db);
  expect(await uso.byDay({ cuentaId, desde: '2031-02-28', hasta: '2031-03-02' })).toEqual([
    { dia: '2031-02-28', operacion: 'tax/facturas', llamadas: 1, cargados: 1, reembolsados: 0 },
    { dia: '2031-03-01', operacion: 'tax/facturas', llamadas: 2, cargados: 3, reembolsados: 0 },
    { dia: '2031-03-02', operacion: 'tax/facturas', llamadas: 0, cargados: 0, reembolsados: 1 },
    { dia: '2031-03-02', operacion: 'tax/retenciones', llamadas: 1, cargados: 1, reembolsados: 0 },
  ]);
  expect(await uso.byDay({ cuentaId, desde: '2031-03-02', hasta: '2031-03-02' })).toHaveLength(2);
  expect(await uso.byMonth({ cuentaId, desde: '2031-01-01' })).toEqual([
    { mes: '2031-03', compras: 0, cargos: 4, reembolsos: 1, ajustes: 5, llamadas: 3 },
    { mes: '2031-02', compras: 0, cargos: 1, reembolsos: 0, ajustes: 0, llamadas: 1 },
  ]);
  expect(await uso.operaciones(cuentaId)).toEqual(['tax/facturas', 'tax/retenciones']);
});
