import { randomUUID } from 'node:crypto';
import { createProgram, openDeps } from '@acuse/cli';
import { createPagos } from '@acuse/db';
import { uuidV7 } from '@acuse/runtime';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { seedTaxpayer, type TestDatabase, testDatabase } from '../fixtures/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

/** Runs a command as the operator would; gives the objects that it printed. */
async function run(...argv: string[]): Promise<Record<string, unknown>[]> {
  const lines: string[] = [];
  const print = (line: string) => lines.push(line);
  const deps = openDeps({ DATABASE_URL: database.url }, print);
  try {
    const program = createProgram(() => deps, print)
      .exitOverride()
      .configureOutput({ writeErr: () => {} });
    for (const command of program.commands)
      for (const each of [command, ...command.commands]) each.exitOverride().configureOutput({ writeErr: () => {} });
    await program.parseAsync(['node', 'acuse', ...argv]);
  } finally {
    await deps.close();
  }
  return lines.map((line) => JSON.parse(line));
}

async function transfer() {
  const { cuentaId } = await seedTaxpayer(database.db, { saldo: 0 });
  const referencia = `AC${randomUUID().slice(0, 8).toUpperCase()}`;
  const nuevo = { id: uuidV7(), cuentaId, usuarioId: null, clave: randomUUID(), referencia };
  const precio = { creditos: 100, subtotal: 9_900, iva: 1_584, total: 11_484, actor: 'prueba', ip: null };
  const pago = await createPagos(database.db).create({ ...nuevo, ...precio, proveedor: 'transferencia' }, 10);
  if (!pago) throw new Error('no payment');
  return pago;
}

test('lists what waits, with whose it is', async () => {
  const { id, referencia } = await transfer();
  const rows = await run('pagos', 'listar');
  expect(rows.find((row) => row['pago_id'] === id)).toMatchObject({
    referencia,
    creditos: 100,
    total_mxn: '114.84',
    estado: 'PENDIENTE',
    cuenta: 'Prueba',
    email: expect.stringContaining('@'),
  });
  const later = await run('pagos', 'listar', '--despues', id);
  expect(later.map((row) => row['pago_id'])).not.toContain(id);
});

test('confirms by the reference as it stands in a statement, once', async () => {
  const { referencia } = await transfer();
  expect(await run('pagos', 'confirmar', ` ${referencia.toLowerCase()}`)).toMatchObject([
    { estado: 'ACREDITADO', saldo: 100, abonado: true },
  ]);
  expect(await run('pagos', 'confirmar', referencia)).toMatchObject([{ saldo: 100, abonado: false }]);
  await expect(run('pagos', 'rechazar', referencia, '--motivo', 'tarde')).rejects.toThrow('ya estaba ACREDITADO');
});

test('refuses by id with a reason; a confirmation afterwards credits nothing and says what to do', async () => {
  const { id } = await transfer();
  expect(await run('pagos', 'rechazar', id, '--motivo', 'no llegó')).toMatchObject([
    { estado: 'RECHAZADO', motivo: 'no llegó', saldo: 0, rechazado: true },
  ]);
  await expect(run('pagos', 'confirmar', id)).rejects.toThrow('saldo agregar');
  const rows = await run('pagos', 'listar', '--estado', 'RECHAZADO');
  expect(rows.map((row) => row['pago_id'])).toContain(id);
});

test('names what it does not know', async () => {
  await expect(run('pagos', 'confirmar', uuidV7())).rejects.toThrow('No existe un pago');
  await expect(run('pagos', 'confirmar', 'ACNADA')).rejects.toThrow('No existe un pago');
  await expect(run('pagos', 'listar', '--despues', 'x')).rejects.toThrow('pago_id');
});
