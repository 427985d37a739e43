import { beforeAll, describe, expect, it } from 'vitest';
import { newEfirmaCaller } from '../fixtures/efirma.ts';
import { llamadas, saldoDe } from '../fixtures/pedidos.ts';
import { expectOk, useServicio } from '../fixtures/servicio.ts';
import { CONTRIBUYENTES, comunicadosOf, type Dias, hoy, itemsOf, notificacionesOf, stopClock } from './verdad.ts';

/** It asks for the list of ten taxpayers, several times each. */
const PATIENT = { timeout: 400_000 };
const ultimos30 = (): Dias => ({ desde: hoy(-30), hasta: hoy() });
const ANIO: Dias = { desde: hoy(-364), hasta: hoy() };

const servicio = useServicio();
beforeAll(async () => {
  stopClock(servicio);
});

/** What the simulated mailbox remembers of a taxpayer: it outlives the sessions and the call log. */
async function opened(rfc: string) {
  const address = `${servicio.simulador.url}/control/contribuyentes/${encodeURIComponent(rfc)}`;
  const { notificaciones_abiertas, comunicados_leidos } = (await (await fetch(address)).json()) as Record<
    string,
    unknown
  >;
  return { notificaciones_abiertas, comunicados_leidos };
}
const NOTHING = { notificaciones_abiertas: [], comunicados_leidos: [] };

/** RFCs of both kinds until the lists of all have been seen: empty ones, short ones, long ones. */
const RFCS = [
  ...CONTRIBUYENTES.map(([, rfc]) => rfc),
  ...['EKU9003173C9', 'BBB010101AB3', 'CACX7605101P8', 'XIQB891116QE4', 'FUNK671228PH6', 'KAHO641101B39'],
];

it('tax/comunicados by pages: the list of the first one, each element once, for one question and one charge', async () => {
  const rfc = RFCS.find((one) => comunicadosOf(servicio, one, ANIO).length > 2) ?? '';
  const caller = await servicio.newCiecCaller({ rfc });
  const whole = await itemsOf(caller, 'tax/comunicados', ANIO);
  const asked = () => servicio.simulador.world.log.count({ rfc });
  const first = await expectOk(caller.call('tax/comunicados', { rfc, ...ANIO, limite: 2 }));
  const [found, before] = [[first['items']], asked()];
  for (let cursor = first['siguiente']; cursor !== null; ) {
    const page = await expectOk(caller.call('tax/comunicados', { rfc, ...ANIO, limite: 2, cursor }));
    expect(page).toMatchObject({ total: whole.length, confianza: 'confirmado' });
    found.push(page['items']);
    cursor = page['siguiente'];
  }
  expect(found.flat()).toEqual(whole);
  expect(asked()).toBe(before);
  expect(await saldoDe(servicio, caller)).toBe(8);
  const rows = await servicio.sql<{
    text: string;
  }>`SELECT i::text AS text FROM idempotencia i WHERE api_key_id = ${caller.apiKeyId}`;
  expect(rows.length).toBe(1);
  for (const { id } of whole as { id: string }[]) expect(rows[0]?.text).not.toContain(id);
});

describe.each([
  { via: 'CIEC', rfcs: RFCS.slice(0, 3), tags: [] },
  { via: 'CIEC', rfcs: RFCS.slice(3), tags: ['slow'] },
  { via: 'e.firma', rfcs: RFCS.slice(1, 4), tags: [] },
  { via: 'e.firma', rfcs: RFCS.slice(4), tags: ['slow'] },
])('with $via', PATIENT, ({ via, rfcs, tags }) => {
  const newCaller = (rfc: string) =>
    via === 'CIEC' ? servicio.newCiecCaller({ rfc }) : newEfirmaCaller(servicio, { rfc });

  it('tax/comunicados: those of thirty days, of a period, of a year; none becomes read', { tags }, async () => {
    let seen = 0;
    for (const rfc of rfcs) {
      const caller = await newCaller(rfc);
      const expected = comunicadosOf(servicio, rfc, ANIO);
      seen += expected.length;
      const year = await itemsOf(caller, 'tax/comunicados', ANIO);
      expect([rfc, year.map(({ id: _, ...item }) => item)]).toEqual([rfc, expected]);
      expect(new Set(year.map(({ id }) => id)).size).toBe(year.length);
      expect(year.every(({ id }) => typeof id === 'string' && id !== '')).toBe(true);

      // The same message has the same id, however it is asked for.
      const within = ({ desde, hasta }: Dias) =>
        year.filter(({ fecha }) => desde <= String(fecha) && String(fecha) <= hasta);
      // Midnight may pass between the question and what it is compared with.
      const before = ultimos30();
      const items = await itemsOf(caller, 'tax/comunicados');
      expect([before, ultimos30()].map(within)).toContainEqual(items);
      const [newest, oldest] = [year.at(0), year.at(-1)];
      for (const one of [newest, oldest]) {
        if (one === undefined) continue;
        const day = { desde: String(one['fecha']), hasta: String(one['fecha']) };
        expect(await itemsOf(caller, 'tax/comunicados', day)).toEqual(within(day));
      }
      expect(await opened(rfc)).toEqual(NOTHING);
    }
    expect(seen).toBeGreaterThan(3);
  });

  it('tax/notificaciones: exactly those that wait, and not one is opened', { tags }, async () => {
    let seen = 0;
    for (const rfc of rfcs) {
      servicio.simulador.world.log.clear();
      const caller = await newCaller(rfc);
      const expected = notificacionesOf(servicio, rfc);
      seen += expected.length;
      expect([rfc, await itemsOf(caller, 'tax/notificaciones')]).toEqual([rfc, expected]);
      expect([rfc, await itemsOf(caller, 'tax/notificaciones')]).toEqual([rfc, expected]);
      // None by one credential alone is not paid for.
      expect(await saldoDe(servicio, caller)).toBe(expected.length > 0 ? 8 : 10);
      expect([rfc, await opened(rfc)]).toEqual([rfc, NOTHING]);
      const operations = new Set(llamadas(servicio, { rfc }).map(({ operation }) => operation));
      expect([...operations].filter((name) => /abrir|documento|aviso|leer/i.test(name))).toEqual([]);
    }
    expect(seen).toBeGreaterThan(0);
  });
});
