import { describe, expect, it } from 'vitest';
import { createKitWithAlta } from '../../../test/kit.ts';

const PATH = 'riesgo/aviso-49bis';
const DIA = '2026-07-10';

async function withAlta() {
  const { kit, a } = await createKitWithAlta();
  return { rfc: a.rfc, call: (body: object) => kit.call(PATH, { rfc: a.rfc, ...body }, { key: a.key }) };
}

describe(PATH, () => {
  it('refuses the own RFC as issuer: the term runs for whoever received CFDI of another', async () => {
    const { rfc, call } = await withAlta();
    const { status, json } = await call({ proveedor_rfc: ` ${rfc.toLowerCase()}`, publicado_en: DIA });
    expect([status, json.cfdi_codigo, json.data]).toMatchObject([
      ...[400, 2001],
      { campo: 'proveedor_rfc', motivo: expect.stringMatching(/^no puede ser su propio RFC: .* escriba /) },
    ]);
    expect((await call({ proveedor_rfc: 'EKU9003173C9', publicado_en: DIA })).status).toBe(200);
  });

  it.each([
    [undefined, 'falta'],
    ['2025-12-31', '2026-01-01'],
    ['2999-01-01', 'posterior a hoy'],
  ])('refuses %s as day of the publication', async (publicado_en, motivo) => {
    const { call } = await withAlta();
    const { status, json } = await call({ proveedor_rfc: 'EKU9003173C9', publicado_en });
    expect([status, json.data]).toMatchObject([
      400,
      { campo: 'publicado_en', motivo: expect.stringContaining(motivo) },
    ]);
  });

  it('takes back what was entered of the own RFC while that was possible', async () => {
    const { rfc, call } = await withAlta();
    expect((await call({ proveedor_rfc: rfc, accion: 'quitar' })).status).toBe(200);
  });
});
