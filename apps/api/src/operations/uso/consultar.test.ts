import { expect, it } from 'vitest';
import { createKitWithAlta, createKitWithSolicitud } from '../../../test/kit.ts';

const PATH = 'uso/consultar';

it('sums what the account used by day and operation, free of charge', async () => {
  const { kit, a } = await createKitWithSolicitud();
  const hoy = '2026-11-20';
  expect((await kit.call(PATH, {}, { key: a.key })).json.data).toEqual({
    saldo: 9,
    desde: '2026-11-01',
    hasta: hoy,
    llamadas: 1,
    cargados: 1,
    reembolsados: 0,
    items: [{ dia: hoy, operacion: 'tax/descarga-metadata', llamadas: 1, cargados: 1, reembolsados: 0 }],
    siguiente: null,
  });
  expect((await kit.call(PATH, { hasta: '2026-10-31' }, { key: a.key })).json.data).toEqual({
    saldo: 9,
    desde: '2026-10-01',
    hasta: '2026-10-31',
    llamadas: 0,
    cargados: 0,
    reembolsados: 0,
    items: [],
    siguiente: null,
  });
  expect(await kit.saldo(a)).toBe(9);
});

it('refuses a period that has not begun or exceeds 366 days', async () => {
  const { kit, a } = await createKitWithAlta();
  const wrong: readonly [object, string][] = [
    [{ hasta: '2026-11-21' }, 'hasta'],
    [{ desde: '2026-11-21' }, 'desde'],
    [{ desde: '2025-11-19', hasta: '2026-11-20' }, 'desde'],
    [{ desde: '2026-11-31' }, 'desde'],
  ];
  for (const [body, campo] of wrong) {
    const { status, json } = await kit.call(PATH, body, { key: a.key });
    expect([status, json.data]).toMatchObject([400, { campo }]);
  }
  const whole = await kit.call(PATH, { desde: '2025-11-20', hasta: '2026-11-20' }, { key: a.key });
  expect(whole.status).toBe(200);
});
