import { createCuotas } from '@acuse/db';
import { expect, it } from 'vitest';
import { newRfc, useDatabase } from '../fixtures/database.ts';

const t = useDatabase();
const left = async (rfc: string) => {
  const rows = await t.sql<{
    clave: string;
    tomadas: number;
  }>`SELECT clave, tomadas FROM cuota_sat WHERE rfc = ${rfc} ORDER BY clave`;
  return rows.map(({ clave, tomadas }) => `${clave} ${tomadas}`);
};

it('grants no more than a quota has, to any number of processes', async () => {
  const [rfc, { take }] = [newRfc(), createCuotas(t.db)];
  const ask = () => take({ rfc, clave: 'dia:2026-11-27', maximo: 2_000, cuantos: 150 });
  const granted = await Promise.all(Array.from({ length: 40 }, ask));
  expect(granted.filter(Boolean)).toHaveLength(13);
  expect(await left(rfc)).toEqual(['dia:2026-11-27 1950']);
  expect(await take({ rfc, clave: 'dia:2026-11-27', maximo: 2_000, cuantos: 50 })).toBe(true);
  expect(await take({ rfc: newRfc(), clave: 'dia:2026-11-27', maximo: 2_000, cuantos: 2_001 })).toBe(false);
});

it('keeps the quota of the last day alone, and those for ever', async () => {
  const [rfc, { take }] = [newRfc(), createCuotas(t.db)];
  for (const clave of ['xml:a', 'dia:2026-11-26', 'dia:2026-11-27']) await take({ rfc, clave, maximo: 2, cuantos: 1 });
  expect(await left(rfc)).toEqual(['dia:2026-11-27 1', 'xml:a 1']);
});
