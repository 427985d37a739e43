import { randomUUID } from 'node:crypto';
import { addDays, calendarDay } from '@acuse/core';
import { OPERACIONES } from '@acuse/sdk/operaciones';
import { createAlmacenes, createSincronizaciones } from '@acuse/sincronizacion/db';
import { expect, it } from 'vitest';
import { csvOf, type FilaCfdi } from '../almacen/csv.ts';
import { UN_DIA } from '../fixtures/pedidos.ts';
import { useServicio } from '../fixtures/servicio.ts';
import { type Datos, NOWHERE, openAssistant } from './assistant.ts';

const servicio = useServicio({}, {});
const dataOf = (answer: Datos) => answer['data'] as Datos;
const itemsOf = (answer: Datos) => dataOf(answer)['items'] as readonly Datos[];

it('the log of changes goes on by siguiente, in another session too, and skips and repeats none', async () => {
  const caller = await servicio.newCiecCaller();
  const { rfc, contribuyenteId } = caller;
  const env = { ACUSE_URL: servicio.api.url, ACUSE_API_KEY: caller.apiKey, ACUSE_RFC: rfc };
  await caller.call('sincronizacion/crear', { rfc, desde: UN_DIA.desde, tipo: 'recibidos' });
  const almacenId = (await createSincronizaciones(servicio.db).find(contribuyenteId, null))?.almacenId ?? 0;
  const read = async (from: number, to: number) => {
    const filas = Array.from({ length: to - from }, (_, at) => ({
      uuid: `00000000-0000-4000-8000-${String(from + at).padStart(12, '0')}`,
      monto: '1.00',
      emisor: ['PRO010101AB1', 'Proveedor'],
      receptor: [rfc, 'Yo'],
      emitida: `${UN_DIA.desde}T10:00:00`,
    })) as readonly FilaCfdi[];
    await createAlmacenes(servicio.db).merge(
      {
        almacenId,
        solicitudId: randomUUID(),
        tipo: 'recibidos',
        pedidaEn: new Date(),
        isConfirmada: false,
        desde: UN_DIA.desde,
        hasta: UN_DIA.hasta,
      },
      csvOf(filas),
      new AbortController().signal,
    );
  };
  await read(0, 150);
  const { ask, refusal } = await openAssistant(env);
  const numbersOf = (answer: Datos) => itemsOf(answer).map(({ secuencia }) => Number(secuencia));
  let answer = await ask('sincronizacion_cambios');
  const seen = numbersOf(answer);
  expect([seen.length < 150, dataOf(answer)['faltan']]).toEqual([true, 150 - seen.length]);
  const other = await openAssistant(env);
  while (dataOf(answer)['faltan'] !== 0) {
    answer = await other.ask('sincronizacion_cambios', { cursor: dataOf(answer)['siguiente'] });
    expect(JSON.stringify(answer).length).toBeLessThan(25_000);
    seen.push(...numbersOf(answer));
  }
  expect(seen).toEqual(Array.from({ length: 150 }, (_, at) => at + 1));

  // Weeks later: changes from a day on.
  await servicio.sql`UPDATE lectura SET leida_en = leida_en - interval '20 days' WHERE almacen_id = ${almacenId}`;
  await read(150, 153);
  const hoy = calendarDay(new Date());
  expect(numbersOf(await ask('sincronizacion_cambios', { desde: hoy }))).toEqual([151, 152, 153]);
  expect(numbersOf(await ask('sincronizacion_cambios', { desde: addDays(hoy, -19) }))).toEqual([151, 152, 153]);
  expect(itemsOf(await ask('sincronizacion_cambios', { desde: addDays(hoy, -21), limite: 1 }))).toHaveLength(1);
  const both = { desde: addDays(hoy, -21), cursor: dataOf(answer)['siguiente'] };
  expect(numbersOf(await ask('sincronizacion_cambios', both))).toEqual([151, 152, 153]);
  expect(await refusal('sincronizacion_cambios', { desde: addDays(hoy, 1) })).toMatchObject({
    error: 'CAMPO_INVALIDO',
  });
});

/** Every description within a value. */
function descriptionsOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) =>
    name === 'description' && typeof one === 'string' ? [one] : descriptionsOf(one),
  );
}

it('every description speaks of tools, or of the command of a person, and of no path of the API', async () => {
  const { tools } = await openAssistant(NOWHERE);
  const told = descriptionsOf(tools).filter(
    (text) => text.includes('/api/v1') || OPERACIONES.some(({ path }) => text.includes(path)),
  );
  expect(told).toEqual([]);
  const cambios = tools.find(({ name }) => name === 'sincronizacion_cambios');
  expect(cambios?.description).toContain('«acuse sincronizacion crear»');
  expect(tools.find(({ name }) => name === 'tax_descarga_metadata')?.description).toContain('descarga_verificar');
});
