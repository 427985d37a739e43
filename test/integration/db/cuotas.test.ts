import { createClaims, createCuotas, createSolicitudes } from '@acuse/db';
import { expect, it } from 'vitest';
import { newRfc, newSolicitud, seedTaxpayer, useDatabase } from '../fixtures/database.ts';
import { claimOf } from '../fixtures/features.ts';

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

it('expects the last XML by the quota of each day, and no later than its solicitud waits for it', async () => {
  const taxpayer = await seedTaxpayer(t.db);
  const id = await newSolicitud(t.db, taxpayer);
  const periodos = [{ inicio: '2025-01-01T00:00:00', fin: '2025-01-31T23:59:59' }];
  const nuevas = { reemplaza: null, periodos, contenidos: ['metadata', 'xml'] } as const;
  await createClaims(t.db).save(await claimOf(t.db, id, 1), { nuevas });
  await t.sql`UPDATE solicitud SET filtros = '{"contenido":"xml"}', creada_en = '2026-01-01Z', deadline_at = '2026-01-11Z' WHERE id = ${id}`;
  await t.sql`UPDATE parte SET estado = 'DESCARGADA', registros = 4100 WHERE solicitud_id = ${id} AND contenido = 'metadata'`;
  const hacia = async () => (await createSolicitudes(t.db).find(taxpayer.contribuyenteId, id))?.completoHacia;
  expect(await hacia()).toBeNull();
  const wait = (until: string) =>
    t.sql`UPDATE parte SET motivo = 'CUOTA_DEL_DIA', due_at = ${until} WHERE solicitud_id = ${id} AND contenido = 'xml'`;
  await wait('2026-01-02T06:01:00Z');
  expect(await hacia()).toEqual(new Date('2026-01-04T06:01:00Z'));
  await wait('2026-01-09T06:01:00Z');
  expect(await hacia()).toEqual(new Date('2026-01-10T00:00:00Z'));
});
