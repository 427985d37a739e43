import { createContribuyentes, type Database } from '@acuse/db';
import { createLogger } from '@acuse/runtime';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { newRfc, type TestDatabase, testDatabase } from '../fixtures/database.ts';
import { writeLibro } from './fixtures/libro-largo.ts';
import { type Panel, startPanel } from './fixtures/panel.ts';

const FILAS = 5_000;
const CAIDA = 'the connection to the database was lost';

let database: TestDatabase;
let panel: Panel;
const lines: string[] = [];
/** Lots of the ledger that are read before the database goes away. */
let batches = Number.POSITIVE_INFINITY;

beforeAll(async () => {
  database = await testDatabase();
  const log = createLogger({ name: 'panel', destination: { write: (line: string) => lines.push(line) } });
  panel = await startPanel({ database, log, deps: { database: goingAway(database.db) } });
});
afterAll(async () => {
  await panel.close();
  await database.close();
});

/** The database, until as many lots of the ledger were read as may be. */
function goingAway(db: Database): Database {
  const pool = new Proxy(db.pool, {
    get(target, name) {
      if (name !== 'query') return Reflect.get(target, name, target);
      return (...input: Parameters<typeof target.query>) => {
        const text = JSON.stringify(input[0]);
        if (text.includes('FROM movimiento') && batches-- <= 0) return Promise.reject(new Error(CAIDA));
        return target.query(...input);
      };
    },
  });
  return { ...db, pool };
}

it('a file whose database goes away in the middle is cut off, and our log alone says why', async () => {
  const ana = await panel.registrar();
  const contribuyente = await createContribuyentes(database.db).add({
    ...{ cuentaId: ana.cuentaId, rfc: newRfc(), actor: 'prueba', ip: null },
  });
  await writeLibro(database.url, {
    ...{ cuentaId: ana.cuentaId, contribuyentes: [contribuyente.id], operaciones: ['tax/facturas'] },
    ...{ filas: FILAS, segundos: 20 },
  });
  const cookie = [...ana.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const path = '/saldo/movimientos.csv';
  const read = async () => (await fetch(`${panel.url}${path}`, { headers: { cookie } })).text();
  expect((await read()).split('\r\n')).toHaveLength(FILAS + 2);

  const consola = [vi.spyOn(console, 'error'), vi.spyOn(console, 'info')];
  lines.length = 0;
  batches = 1;
  await expect(read()).rejects.toThrow('terminated');
  const broken = lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 'error');
  expect(broken).toMatchObject([{ msg: 'an answer broke off', path, err: { message: CAIDA } }]);
  for (const spy of consola) expect(spy).not.toHaveBeenCalled();

  batches = Number.POSITIVE_INFINITY;
  expect((await read()).split('\r\n')).toHaveLength(FILAS + 2);
});
