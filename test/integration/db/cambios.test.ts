import { randomUUID } from 'node:crypto';
import { changed, newParte } from '@acuse/core';
import { createClaims } from '@acuse/db';
import { expect, it } from 'vitest';
import { newSolicitud, seedTaxpayer, useDatabase } from '../fixtures/database.ts';
import { claimOf } from '../fixtures/features.ts';

const t = useDatabase();

it('a part is in memory what the database reads after a write', async () => {
  const claims = createClaims(t.db);
  const id = await newSolicitud(t.db, await seedTaxpayer(t.db));
  let held = await claimOf(t.db, id, 1);
  const periodo = { inicio: '2025-01-01T00:00:00', fin: '2025-01-31T23:59:59' };
  const pedida = { parteId: randomUUID(), estado: 'SOLICITANDO', envios: 1, desfase: 2 } as const;
  let parte = changed({ ...newParte(held, periodo), id: pedida.parteId }, pedida, held.now);
  held = await claims.goOn(held, { nuevas: { reemplaza: null, periodos: [periodo], pedida } });
  expect(held.partes).toEqual([{ ...parte, dueAt: expect.any(Date) }]);
  const guardado = { paquete: 'b', objectKey: 'k', bytes: 3, sha256: 'aa' };
  for (const change of [
    { estado: 'DISPONIBLE', folio: 'f', paquetes: ['a', 'b'], consultas: 1 },
    { guardado, registros: 4, fallos: 1 },
    { releer: { paquete: 'b' }, estado: 'DESCARGADA', vacias: ['soap'] },
  ] as const) {
    const cambio = { parteId: pedida.parteId, ...change };
    parte = changed(parte, cambio, held.now);
    held = await claims.goOn(held, { partes: [cambio] });
    expect(held.partes).toEqual([{ ...parte, dueAt: expect.any(Date) }]);
  }
});
