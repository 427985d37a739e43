import { randomUUID } from 'node:crypto';
import { afterWrite, changed, newParte, StaleEpoch } from '@acuse/core';
import { createClaims } from '@acuse/db';
import { expect, it } from 'vitest';
import { newSolicitud, PAQUETE, seedTaxpayer, useDatabase } from '../fixtures/database.ts';
import { claimOf } from '../fixtures/features.ts';

const t = useDatabase();

it('a part is in memory what the database reads after a write', async () => {
  const claims = createClaims(t.db);
  const id = await newSolicitud(t.db, await seedTaxpayer(t.db));
  const first = await claimOf(t.db, id, 1);
  const periodo = { inicio: '2025-01-01T00:00:00', fin: '2025-01-31T23:59:59' };
  const pedida = { parteId: randomUUID(), estado: 'SOLICITANDO', envios: 1, desfase: 2 } as const;
  const parte = changed({ ...newParte(first, periodo), id: pedida.parteId }, pedida, first.now);
  let held = await claims.goOn(first, { nuevas: { reemplaza: null, periodos: [periodo], pedida } });
  expect(held.partes).toEqual([{ ...parte, dueAt: expect.any(Date) }]);
  const guardado = { paquete: 'b', objectKey: 'k', bytes: 3, sha256: 'aa' };
  let gen = 1;
  let envios = 1;
  for (const change of [
    { estado: 'DISPONIBLE', folio: 'f', paquetes: ['a', 'b'], consultas: 1, dueInSeconds: 60 },
    { guardado, registros: 4, fallos: 1 },
    { releer: { paquete: 'b' }, estado: 'DESCARGADA', vacias: ['soap'] },
  ] as const) {
    // An intent under the same claim, which the holder's parts do not show.
    envios += 1;
    await claims.save(held, { partes: [{ parteId: pedida.parteId, envios }] });
    const { partes } = await claims.goOn(held, { partes: [{ parteId: pedida.parteId, ...change }] });
    await claims.release(held, {}, { queue: 'descargas', inSeconds: 0 });
    gen += 1;
    held = await claimOf(t.db, id, gen);
    // The column rounds to milliseconds, and the time of the write is cut to them.
    const late = held.partes.map(({ dueAt }, at) => dueAt.getTime() - (partes[at]?.dueAt.getTime() ?? 0));
    expect(late.filter((ms) => ms !== 0 && ms !== 1)).toEqual([]);
    expect(partes.map((each, at) => ({ ...each, dueAt: held.partes[at]?.dueAt }))).toEqual(held.partes);
    expect(partes[0]?.envios).toBe(envios);
    expect(partes).not.toEqual([parte]);
  }
});

it('the end writes the last progress, its events in order, and the step in the last of them', async () => {
  const consultas = [{ host: 'h', resultado: 'exito', codigo: '5000', veces: 1, ms: 5 }] as const;
  const claims = createClaims(t.db, { pasoEnCurso: () => ({ proceso: 'p', consultas }) });
  const id = await newSolicitud(t.db, await seedTaxpayer(t.db));
  let held = await claimOf(t.db, id, 1);
  const pedida = { parteId: randomUUID(), estado: 'DISPONIBLE', paquetes: ['a'], folio: 'f' } as const;
  const periodo = { inicio: '2025-01-01T00:00:00', fin: '2025-01-31T23:59:59' };
  held = await claims.goOn(held, { nuevas: { reemplaza: null, periodos: [periodo], pedida } });
  held = await claims.goOn(held, { partes: [pedida] });
  const guardado = { paquete: 'a', objectKey: 'k', bytes: 3, sha256: 'aa' };
  const unwritten = {
    consultado: true,
    partes: [{ parteId: pedida.parteId, estado: 'DESCARGADA', guardado, registros: 7 }],
    eventos: [{ tipo: 'PAQUETE_GUARDADO', codigo: 'a', detalle: 'cut \ud83d' }],
  } as const;
  await claims.finish(afterWrite(held, unwritten), PAQUETE, unwritten);
  expect(await t.sql`SELECT estado, registros::int FROM parte WHERE solicitud_id = ${id}`).toEqual([
    { estado: 'DESCARGADA', registros: 7 },
  ]);
  expect(
    await t.sql`SELECT object_key, bytes::int FROM paquete_sat q JOIN parte p ON p.id = q.parte_id WHERE solicitud_id = ${id}`,
  ).toEqual([{ object_key: 'k', bytes: 3 }]);
  expect(
    await t.sql`SELECT estado, intentos, ultima_consulta_en IS NOT NULL AS asked FROM solicitud WHERE id = ${id}`,
  ).toEqual([{ estado: 'TERMINADA', intentos: 1, asked: true }]);
  expect(
    await t.sql`SELECT tipo, codigo, detalle, notas, consultas FROM evento WHERE solicitud_id = ${id} ORDER BY id`,
  ).toEqual([
    { tipo: 'PAQUETE_GUARDADO', codigo: 'a', detalle: 'cut \ufffd', notas: null, consultas: null },
    {
      tipo: 'TERMINADA',
      codigo: null,
      detalle: String(PAQUETE.registros),
      notas: 'PAQUETE_GUARDADO,TERMINADA',
      consultas,
    },
  ]);
  await expect(claims.finish(held, PAQUETE, unwritten)).rejects.toThrow(StaleEpoch);
  expect(await t.sql`SELECT tipo FROM evento WHERE solicitud_id = ${id}`).toHaveLength(2);
});
