import { type IncomingMessage, request } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createLibro, type Records } from '@acuse/db';
import { streamCsv } from '@acuse/page/csv';
import { createLogger } from '@acuse/runtime';
import { beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { COLUMNAS } from '../../../apps/panel/src/pages/saldo/libro-csv.ts';
import { writeLibro } from './fixtures/libro-largo.ts';
import { addRfc, cookieOf, type Panel, type Persona, usePanel } from './fixtures/panel.ts';

/** Rows of the long ledger: a million when everything is proven. */
const LARGO = inject('isThorough') ? 1_000_000 : 100_000;
const FILAS_CSV = 100_000;

setFlagsFromString('--expose-gc');
/** Collects garbage, so that the measurement shows held memory. */
const collect = runInNewContext('gc') as () => void;

const panel = usePanel();
/** A user whose ledger has that many rows, of two taxpayers. */
async function newOwner(filas: number, at: Panel = panel): Promise<Persona> {
  const persona = await at.registrar();
  const contribuyentes = [await addRfc(panel.db, persona), await addRfc(panel.db, persona)].map(({ id }) => id);
  const operaciones = ['tax/facturas', 'tax/retenciones', 'usuario/datos-fiscales', 'descarga/consulta-cfdi'];
  const { cuentaId } = persona;
  await writeLibro(panel.databaseUrl, { cuentaId, contribuyentes, operaciones, filas, segundos: 20 });
  return persona;
}

describe('a long ledger', { tags: ['slow'] }, () => {
  let ana: Persona;
  beforeAll(async () => {
    ana = await newOwner(LARGO);
  }, 600_000);

  it('exports 100,000 rows to a reader who stops without reading ahead, and whole once he goes on', async () => {
    let read = 0;
    const libro = createLibro({
      pool: new Proxy(panel.db.pool, {
        get(target, name) {
          if (name !== 'query') return Reflect.get(target, name);
          return async (query: Parameters<typeof target.query>[0]) => {
            const result = await target.query(query);
            read += result.rows.length;
            return result;
          };
        },
      }),
    });
    const batch = 2_000;
    const reader = streamCsv(COLUMNAS, libro.all({ cuentaId: ana.cuentaId, filtro: {}, batch }), {
      withBom: false,
    }).getReader();
    let lines = -1;
    while (lines < FILAS_CSV - 1) {
      const { value, done } = await reader.read();
      if (done) break;
      lines += Buffer.from(value).reduce((count, byte) => count + (byte === 10 ? 1 : 0), 0);
      // The lot that is being read, and one that waits: never more, however long the ledger.
      expect(read).toBeLessThanOrEqual(lines + 1 + 2 * batch);
    }
    expect(lines).toBeGreaterThanOrEqual(FILAS_CSV - 1);
    await reader.cancel();
    const before = read;
    expect((await reader.read()).done).toBe(true);
    expect(read).toBe(before);
  });

  it('sends the whole ledger over HTTP with the memory of a few lots, and goes on with other pages meanwhile', async () => {
    const cookie = cookieOf(ana);
    let bytes = 0;
    let lines = -1;
    let others = 0;
    const samples: number[] = [];
    const sample = () => {
      collect();
      const { heapUsed, arrayBuffers } = process.memoryUsage();
      samples.push(heapUsed + arrayBuffers);
    };
    await ana.get('/saldo/movimientos');
    sample();
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      request(`${panel.url}/saldo/movimientos.csv`, { headers: { cookie } }, resolve).on('error', reject).end();
    });
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      for (const byte of chunk) if (byte === 10) lines += 1;
      if (lines < others * (LARGO / 10)) continue;
      others += 1;
      expect((await ana.get('/saldo/movimientos')).status).toBe(200);
      sample();
    }
    expect(lines).toBe(LARGO);
    expect(others).toBeGreaterThanOrEqual(10);
    expect(bytes).toBeGreaterThan(LARGO * 100);
    const [start = 0] = samples;
    expect(Math.max(...samples) - start).toBeLessThan(bytes / 2);
  });
});

const CAIDA = 'the connection to the database was lost';
/** Lots of the ledger that are read before the database goes away. */
let batches = Number.POSITIVE_INFINITY;

/** The database, until as many lots of the ledger were read as may be. */
function goingAway(db: Records): Records {
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

it('cuts off a file whose database goes away in the middle, and our log alone says why', async () => {
  const filas = 5_000;
  const lines: string[] = [];
  const log = createLogger({ name: 'panel', destination: { write: (line: string) => lines.push(line) } });
  const other = await panel.another({ log, deps: { database: goingAway(panel.db) } });
  const persona = await newOwner(filas, other);
  const path = '/saldo/movimientos.csv';
  const read = async () => (await fetch(other.url + path, { headers: { cookie: cookieOf(persona) } })).text();
  expect((await read()).split('\r\n')).toHaveLength(filas + 2);

  const consola = [vi.spyOn(console, 'error'), vi.spyOn(console, 'info')];
  lines.length = 0;
  batches = 1;
  // On a busy machine the reset overtakes the first bytes.
  await expect(read()).rejects.toThrow(/^(terminated|fetch failed)$/);
  const broken = lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 'error');
  expect(broken).toMatchObject([{ msg: 'answer_broken_off', path, err: { message: CAIDA } }]);
  for (const spy of consola) expect(spy).not.toHaveBeenCalled();

  batches = Number.POSITIVE_INFINITY;
  expect((await read()).split('\r\n')).toHaveLength(filas + 2);
});
