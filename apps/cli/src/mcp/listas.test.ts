import { describe, expect, it } from 'vitest';
import { createListas, type Lista, type Trozo } from './listas.ts';
import { MEDIDA } from './medida.ts';

const row = (at: number) => ({ uuid: `U${at}`, asunto: 'x'.repeat(300) });
const rows = (count: number, from = 0) => Array.from({ length: count }, (_, at) => row(from + at));
const lista = (items: readonly unknown[], next: Lista['next'] = null): Lista => ({
  operacion: 'tax/facturas',
  items,
  next,
});

/** Every piece, each by the cursor of the one before it. */
async function walk(listas: ReturnType<typeof createListas>, first: Trozo): Promise<Trozo[]> {
  const pieces = [first];
  for (let { cursor } = first; cursor !== null; ) {
    const piece = await listas.after(cursor);
    pieces.push(piece);
    cursor = piece.cursor;
  }
  return pieces;
}

describe('a long list', () => {
  it('comes in pieces that fit, with each element once and in order, and says how many are left', async () => {
    const listas = createListas();
    const pieces = await walk(listas, listas.first(lista(rows(500))));
    expect(pieces.length).toBeGreaterThan(5);
    for (const { items } of pieces) expect(JSON.stringify(items).length).toBeLessThan(MEDIDA.lista * 1.1);
    expect(pieces.flatMap(({ items }) => items)).toEqual(rows(500));
    let left = 500;
    for (const { items, quedan } of pieces) {
      left -= items.length;
      expect(quedan).toBe(left);
    }
  });

  it('gives the same piece again for the same cursor, as to an assistant that asks twice', async () => {
    const listas = createListas();
    const { cursor } = listas.first(lista(rows(200)));
    const [once, again] = [await listas.after(cursor ?? ''), await listas.after(cursor ?? '')];
    expect(again).toEqual(once);
    expect(once.items[0]).not.toEqual(row(0));
  });

  it('goes on with the pages of the service, asked for one by one', async () => {
    const asked: number[] = [];
    const page = (number: number): Lista =>
      lista(
        rows(3, number * 3),
        number === 3
          ? null
          : async () => {
              asked.push(number + 1);
              return page(number + 1);
            },
      );
    const listas = createListas();
    const first = listas.first(page(0));
    expect([first.items, first.quedan, asked]).toEqual([rows(3), 0, []]);
    const pieces = await walk(listas, first);
    expect([pieces.flatMap(({ items }) => items), asked]).toEqual([rows(12), [1, 2, 3]]);
  });

  it('gives an element that is larger than a piece by itself', async () => {
    const large = { partes: Array.from({ length: 60 }, () => 'x'.repeat(1_000)) };
    const listas = createListas();
    const pieces = await walk(listas, listas.first(lista([large, large, row(0)])));
    expect(pieces.map(({ items }) => items.length)).toEqual([1, 1, 1]);
  });

  it('is forgotten after ten others, and a cursor that is none is refused with what to do', async () => {
    const listas = createListas();
    const { cursor } = listas.first(lista(rows(200)));
    const wrong = ['', 'x', 'x.0', `${cursor?.split('.')[0]}.`, `${cursor?.split('.')[0]}.-1`, `${cursor}0`];
    for (const each of wrong) await expect(listas.after(each), each).rejects.toThrow('Repita la consulta');
    for (let other = 0; other < 9; other += 1) listas.first(lista(rows(200)));
    expect((await listas.after(cursor ?? '')).items.length).toBeGreaterThan(0);
    listas.first(lista(rows(200)));
    await expect(listas.after(cursor ?? '')).rejects.toThrow('se guardan las últimas 10');
  });

  it('that is whole has no cursor', () => {
    expect(createListas().first(lista([]))).toEqual({
      operacion: 'tax/facturas',
      items: [],
      cursor: null,
      quedan: 0,
      recortes: [],
    });
  });
});
