import { createPlazos } from '@acuse/db';
import { expect, test } from 'vitest';
import { seedTaxpayer, useDatabase } from '../fixtures/database.ts';
import { cfdi, subscribeTo } from './suscrito.ts';

const t = useDatabase();
const EMISOR = 'PRO010101AB1';
const quien = { actor: 'prueba', ip: null };
const plazos = () => createPlazos(t.db);
const subscribe = () => subscribeTo(t, 'plazo.por_vencer');

const enter = (contribuyenteId: string | null, publicadoEn = '2026-07-10', rfc = EMISOR, nota: string | null = null) =>
  plazos().add({ contribuyenteId, rfc, publicadoEn, nota, ...quien });

async function remindAll(hoy: string): Promise<void> {
  while ((await plazos().remind(hoy, 2)) === 2);
}

test('a term ends on the thirtieth natural day after its publication, and is reminded of once at each of its days', async () => {
  const { contribuyenteId, read, told } = await subscribe();
  await read([cfdi(1, EMISOR), cfdi(2, EMISOR, { monto: '50.00' })]);
  await enter(contribuyenteId);
  const days = ['2026-07-09', '2026-07-10', '2026-07-11', '2026-07-29', '2026-07-30', '2026-07-31', '2026-08-06'];
  for (const hoy of [...days, '2026-08-07', '2026-08-09', '2026-08-09', '2026-08-10', '2026-09-01'])
    await remindAll(hoy);
  const dichos = await told();
  expect(dichos.map(({ dias_restantes, vence_en }) => [dias_restantes, vence_en])).toEqual(
    [30, 10, 3, 0].map((dias) => [dias, '2026-08-09']),
  );
  expect(dichos[0]).toMatchObject({
    ...{ plazo: '49 Bis', proveedor_rfc: EMISOR, proveedor_nombre: `Nombre de ${EMISOR}`, publicado_en: '2026-07-10' },
    cfdi: { total: 2, recibidos: { ingresos: { cfdi: 2, monto: '150.50' } } },
  });
});

test('one that is entered late, or that nobody looked at for days, is told of once for what was missed', async () => {
  const { contribuyenteId, told } = await subscribe();
  await enter(contribuyenteId);
  await remindAll('2026-08-07');
  await remindAll('2026-08-09');
  await remindAll('2026-08-09');
  expect((await told()).map(({ dias_restantes }) => dias_restantes)).toEqual([2, 0]);
  await enter(contribuyenteId, '2026-01-10', 'PRO020202AB2');
  await remindAll('2026-08-09');
  expect(await told()).toHaveLength(2);
});

test('another day takes the place of the one before and is reminded of anew; the same day keeps what was told', async () => {
  const { contribuyenteId, told } = await subscribe();
  await enter(contribuyenteId);
  await remindAll('2026-07-20');
  await enter(contribuyenteId, '2026-07-10', EMISOR, 'DOF, página 3');
  await remindAll('2026-07-20');
  expect(await told()).toHaveLength(1);
  await enter(contribuyenteId, '2026-07-15', EMISOR);
  await remindAll('2026-07-20');
  expect((await told()).map(({ vence_en }) => vence_en)).toEqual(['2026-08-09', '2026-08-14']);
  const list = await plazos().list({
    contribuyenteId,
    almacenId: null,
    despuesDe: '',
    limite: 10,
    uuids: 1,
    hoy: '2026-07-20',
  });
  expect(list).toEqual([
    {
      ...{ rfc: EMISOR, nombre: '', publicadoEn: '2026-07-15', venceEn: '2026-08-14', quedan: 25 },
      ...{ nota: null, isDelOperador: false, cfdi: null },
    },
  ]);
});

test("the operator's concerns whoever received a CFDI in force of the issuer, and a day of one's own goes before it", async () => {
  const [con, sin, cancelado, propio] = [await subscribe(), await subscribe(), await subscribe(), await subscribe()];
  await con.read([cfdi(1, EMISOR)]);
  await sin.read([cfdi(2, 'PRO020202AB2')]);
  await sin.read(
    [cfdi(5, 'YOO010101AB1', { emisor: ['YOO010101AB1', 'Yo'], receptor: [EMISOR, 'Cliente'] })],
    'emitidos',
  );
  await cancelado.read([cfdi(3, EMISOR, { cancelada: '2026-07-01T10:00:00' })]);
  await propio.read([cfdi(4, EMISOR)]);
  await enter(propio.contribuyenteId, '2026-07-12');
  await enter(null);
  await remindAll('2026-07-20');
  const told = await Promise.all(
    [con, sin, cancelado, propio].map(async ({ told: dichos }) => (await dichos()).length),
  );
  expect(told).toEqual([1, 0, 0, 1]);
  const listed = async ({ contribuyenteId, almacenId }: Awaited<ReturnType<typeof subscribe>>) =>
    (await plazos().list({ contribuyenteId, almacenId, despuesDe: '', limite: 10, uuids: 1, hoy: '2026-07-20' })).map(
      ({ venceEn, isDelOperador }) => [venceEn, isDelOperador],
    );
  expect(await listed(con)).toEqual([['2026-08-09', true]]);
  expect(await listed(sin)).toEqual([]);
  expect(await listed(propio)).toEqual([['2026-08-11', false]]);
  expect(await plazos().ofAll()).toEqual([
    { rfc: EMISOR, publicadoEn: '2026-07-10', venceEn: '2026-08-09', nota: null },
  ]);
  // Another's is nobody's to take back.
  expect(await plazos().remove(con.contribuyenteId, EMISOR, quien)).toBe(false);
  expect(await plazos().remove(null, EMISOR, quien)).toBe(true);
  expect(await listed(con)).toEqual([]);
  expect(await listed(propio)).toEqual([['2026-08-11', false]]);
});

test("nobody's own RFC is an issuer of whom he received CFDI", async () => {
  const { contribuyenteId, almacenId, rfc, read, told } = await subscribe();
  const cliente = await subscribe();
  const toSelf = { emisor: [rfc, 'Yo'], receptor: [rfc, 'Yo'] } as const;
  await read([cfdi(1, rfc, toSelf)]);
  await cliente.read([cfdi(2, rfc)]);
  await enter(null, '2026-07-10', rfc);
  // As it was possible before.
  await enter(contribuyenteId, '2026-07-11', rfc);
  await remindAll('2026-07-20');
  expect(await told()).toEqual([]);
  expect(await cliente.told()).toHaveLength(1);
  const listed = () =>
    plazos().list({ contribuyenteId, almacenId, despuesDe: '', limite: 10, uuids: 1, hoy: '2026-07-20' });
  expect((await listed()).map(({ isDelOperador }) => isDelOperador)).toEqual([false]);
  await plazos().remove(contribuyenteId, rfc, quien);
  expect(await listed()).toEqual([]);
});

test('reminders that are written at the same time are written once', async () => {
  const { contribuyenteId, told } = await subscribe();
  await enter(contribuyenteId);
  await Promise.all(Array.from({ length: 5 }, () => plazos().remind('2026-07-20', 10)));
  expect(await told()).toHaveLength(1);
});

test('a taxpayer has so many and no more, and takes all of them along when deleted', async () => {
  const { contribuyenteId } = await seedTaxpayer(t.db);
  await t.sql`INSERT INTO aviso_49bis (contribuyente_id, rfc, publicado_en)
    SELECT ${contribuyenteId}, 'AAA010101' || lpad(i::text, 3, '0'), '2026-07-10' FROM generate_series(1, 500) i`;
  expect(await enter(contribuyenteId)).toBeNull();
  // The day of one that is there is corrected all the same.
  expect(await enter(contribuyenteId, '2026-07-11', 'AAA010101001')).toBe('2026-08-10');
});
