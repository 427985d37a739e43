import { describe, expect, it } from 'vitest';
import { createKitWithAlta } from '../../../../../../apps/api/test/kit.ts';
import type { RespuestaListas, RfcEnListas } from '../../../index.ts';

const PATH = 'efos/consultar-lote';
const CUERPO = 64 * 1_024;
/** `n` RFCs, all different and well formed. */
const rfcs = (n: number) =>
  Array.from({ length: n }, (_, i) => `AAA010101${(36 ** 2 + i).toString(36).toUpperCase().slice(-2)}${i % 10}`);

const LIMPIO: RfcEnListas = { efos: [], enEdos: false, listas: [] };
const LISTADO: RfcEnListas = {
  efos: [{ situacion: 'DEFINITIVO', historial: [] }],
  enEdos: true,
  listas: [{ lista: 'CSD', archivo: 'csd', supuesto: 'FRACCION X', adverso: true, desde: null }],
};

async function open(fechaCorte: string | null = '2026-07-31') {
  const asked: (readonly string[])[] = [];
  const consultar = async (which: readonly string[]): Promise<RespuestaListas> => {
    asked.push(which);
    return {
      fechaCorte,
      edosFuente: null,
      consultadas: [{ lista: 'CSD', archivo: 'csd', fechaCorte: '2026-11-06' }],
      rfcs: which.map((rfc) => (rfc.startsWith('XYZ') ? LISTADO : LIMPIO)),
    };
  };
  const { kit, a } = await createKitWithAlta({ deps: { listas: { consultar } } }, { saldo: 0 });
  return { asked, kit, a, call: (body: unknown) => kit.call(PATH, body, { key: a.key }) };
}

describe(PATH, () => {
  it('lets pass the rfc that a caller sends along everywhere, and asks about rfcs alone; without these it is a slip', async () => {
    const { asked, call } = await open();
    const along = await call({ rfc: 'ACU200101DB1', rfcs: ['AAA010101AAA'] });
    expect(along.json).toMatchObject({ cfdi_codigo: 1, data: { total: 1, items: [{ rfc: 'AAA010101AAA' }] } });
    expect(asked).toEqual([['AAA010101AAA']]);
    const alone = await call({ rfc: 'ACU200101DB1' });
    expect(alone.json).toMatchObject({ error: 'CAMPO_DESCONOCIDO', data: { motivo: 'no existe; ¿quiso decir rfcs?' } });
  });

  it('answers each RFC in the order of the question, a repeated one each time, by one look at the lists', async () => {
    const { asked, kit, a, call } = await open();
    const answer = await call({ rfcs: ['AAA010101AAA', ' xyz850101ab1', 'AAA010101AAA'] });
    expect(answer.json).toMatchObject({ cfdi_codigo: 1, data: { total: 3, fecha_corte: '2026-07-31' } });
    const { items, listas_consultadas: consultadas } = answer.json.data as {
      items: Record<string, unknown>[];
      listas_consultadas: unknown;
    };
    expect(items.map(({ rfc, en_efos, en_edos }) => [rfc, en_efos, en_edos])).toEqual([
      ['AAA010101AAA', false, false],
      ['XYZ850101AB1', true, true],
      ['AAA010101AAA', false, false],
    ]);
    expect(items[1]).toMatchObject({
      situacion: 'Definitivo',
      advertencias: [expect.stringContaining('XYZ850101AB1')],
      listas: [{ lista: 'CSD', archivo: 'csd', supuesto: 'FRACCION X', adverso: true, desde: null }],
    });
    expect(consultadas).toEqual([{ lista: 'CSD', archivo: 'csd', fecha_corte: '2026-11-06' }]);
    expect(asked).toEqual([['AAA010101AAA', 'XYZ850101AB1', 'AAA010101AAA']]);
    expect(await kit.movimientos(a)).toEqual([]);
  });

  it('takes from 1 to 1,000 RFCs', async () => {
    const { asked, call } = await open();
    for (const n of [1, 1_000]) {
      const answer = await call({ rfcs: rfcs(n) });
      expect([n, answer.status, answer.json.data?.['total']]).toEqual([n, 200, n]);
    }
    for (const n of [0, 1_001]) {
      const answer = await call({ rfcs: rfcs(n) });
      expect([n, answer.status, answer.json.error]).toEqual([n, 400, 'CAMPO_INVALIDO']);
      expect(answer.json.data).toMatchObject({ campo: 'rfcs', motivo: 'debe tener de 1 a 1000 RFC' });
    }
    expect(asked.map(({ length }) => length)).toEqual([1, 1_000]);
  });

  it('looks for none of them while one is wrong, and names all that are, each by its place', async () => {
    const { asked, call } = await open();
    const answer = await call({ rfcs: ['AAA010101AAA', 'nada', 'AAA010101AAA', 7] });
    expect([answer.status, answer.json.error]).toEqual([400, 'CAMPO_INVALIDO']);
    const { campos } = answer.json.data as { campos: { campo: string }[] };
    expect(campos.map(({ campo }) => campo)).toEqual(['rfcs.1', 'rfcs.3']);
    expect(asked).toEqual([]);
  });

  it('refuses a body that is not a list, and one larger than any list', async () => {
    const { call } = await open();
    for (const wrong of [null, 'AAA010101AAA', { 0: 'AAA010101AAA' }, 7]) {
      expect([wrong, (await call({ rfcs: wrong })).json.error]).toEqual([wrong, 'CAMPO_INVALIDO']);
    }
    expect((await call({})).json.error).toBe('CAMPO_FALTANTE');
    const blanks = rfcs(1_000).map((rfc) => rfc.padEnd(60));
    expect((await call({ rfcs: blanks })).status).toBe(200);
    const tooLarge = await call({ rfcs: rfcs(1_000).map((rfc) => rfc.padEnd(CUERPO / 1_000)) });
    expect([tooLarge.status, tooLarge.json.error]).toEqual([413, 'CUERPO_DEMASIADO_GRANDE']);
  });

  it('never says "not listed" while there is no list of article 69-B', async () => {
    const { call } = await open(null);
    const answer = await call({ rfcs: rfcs(2) });
    expect([answer.status, answer.json.cfdi_codigo]).toEqual([503, 5041]);
    expect(answer.text).not.toContain('en_efos');
  });
});
