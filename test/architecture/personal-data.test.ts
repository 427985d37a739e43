import { readFileSync } from 'node:fs';
import { columnsIn, MAPA } from '@acuse/borrado';
import { describe, expect, it } from 'vitest';
import { readModels } from './data-model.ts';
import { personalDataText } from './personal-data.ts';
import { ROOT } from './sources.ts';

const tables = new Map(
  [...readModels().values()].map(({ name, columns }) => [name, [...columns.values()].map((column) => column.name)]),
);
const named = (tabla: string) => {
  const { suyo, libre, resto } = MAPA[tabla] ?? {};
  return [suyo, libre, resto].flatMap(columnsIn);
};

describe('packages/borrado/src (se-borra.ts and queda.ts), which says how everything of a taxpayer is deleted', () => {
  it('names every table of the schema, and no other', () => {
    expect(Object.keys(MAPA).sort()).toEqual([...tables.keys()].sort());
  });

  it.each([...tables])(
    'names every column of %s once: what is not named would be kept of somebody unseen',
    (tabla, columns) => {
      expect(named(tabla).toSorted()).toEqual(columns.toSorted());
    },
  );

  it('deletes or cleans the data of a taxpayer, and gives the reason for every kept column', () => {
    const wrong = Object.entries(MAPA).flatMap(([tabla, { trato, suyo, libre, por, donde }]) => [
      ...(trato === 'conserva' && suyo !== undefined ? [`${tabla} keeps ${suyo}`] : []),
      ...(trato !== 'borra' && por === undefined ? [`${tabla} stays for no reason`] : []),
      ...(trato === 'borra' && libre !== undefined ? [`${tabla} is deleted with ${libre}`] : []),
      ...(trato === 'limpia' && (suyo === undefined || donde === undefined) ? [`${tabla}: what is cleaned?`] : []),
    ]);
    expect(wrong).toEqual([]);
  });

  it('treats a column named like an RFC, or like a key of a taxpayer, as data of the taxpayer', () => {
    const wrong = [...tables].flatMap(([tabla, columns]) =>
      columns
        .filter((column) => /^(rfcs?|nombre|id_cif|titular|no_serie|cookies|sobre|datos|cuerpo)$/.test(column))
        .filter((column) => columnsIn(MAPA[tabla]?.resto).includes(column))
        .map((column) => `${tabla}.${column}`),
    );
    // A count, and a secret of the account's own.
    expect(wrong).toEqual(['edos_lista.rfcs', 'webhook_secreto.sobre']);
  });
});

it('docs/operators/personal-data.md says of every table what it holds, how long, and what becomes of it', () => {
  expect(readFileSync(`${ROOT}docs/operators/personal-data.md`, 'utf8')).toBe(personalDataText());
});
