import { describe, expect, it } from 'vitest';
import { createKitWithAlta } from '../../../../../../apps/api/test/kit.ts';
import type { PasoEfos, RespuestaListas, RfcEnListas, SituacionEfos } from '../../../index.ts';
import { summariseEfos } from '../../fields.ts';

const PATH = 'efos/consultar';
const OTRO = 'XYZ850101AB1';

/** The lists that say this of one RFC. */
const dice = ({ fechaCorte, ...suyo }: { fechaCorte: string | null } & Partial<RfcEnListas>): RespuestaListas => ({
  fechaCorte,
  edosFuente: suyo.enEdos === undefined ? null : 'Comité',
  consultadas: [],
  rfcs: [{ efos: [], enEdos: false, listas: [], ...suyo }],
});

async function ask(respuesta: RespuestaListas, rfc = OTRO) {
  const asked: string[] = [];
  const consultar = async (rfcs: readonly string[]) => {
    asked.push(...rfcs);
    return respuesta;
  };
  const { kit, a } = await createKitWithAlta({ deps: { listas: { consultar } } }, { saldo: 0 });
  return { answer: await kit.call(PATH, { rfc }, { key: a.key }), asked, kit, a };
}

describe(PATH, () => {
  it('answers about any RFC, free of charge, with what the specification shows and the cut', async () => {
    const historial = [
      { situacion: 'PRESUNTO', oficio: '500-1', fechaSat: '2024-03-05', fechaDof: '2024-03-25' },
    ] as const;
    const { answer, asked, kit, a } = await ask(
      {
        ...dice({
          fechaCorte: '2026-07-31',
          efos: [{ situacion: 'PRESUNTO', historial }],
          enEdos: true,
          listas: [{ lista: '69', archivo: 'firmes', supuesto: 'FIRMES', adverso: true, desde: '2020-02-03' }],
        }),
        consultadas: [{ lista: '69', archivo: 'firmes', fechaCorte: '2026-11-06' }],
      },
      ' xyz850101ab1',
    );
    expect([answer.status, answer.json.cfdi_codigo]).toEqual([200, 1]);
    expect(answer.json.data).toEqual({
      rfc: OTRO,
      en_efos: true,
      en_edos: true,
      fecha_consulta: '2026-11-20T18:00:00.000Z',
      fecha_corte: '2026-07-31',
      situacion: 'Presunto',
      historial: [{ situacion: 'Presunto', fecha: '2024-03-05', oficio: '500-1', fecha_dof: '2024-03-25' }],
      edos_fuente: 'Comité',
      listas: [{ lista: '69', archivo: 'firmes', supuesto: 'FIRMES', adverso: true, desde: '2020-02-03' }],
      listas_consultadas: [{ lista: '69', archivo: 'firmes', fecha_corte: '2026-11-06' }],
      advertencias: [expect.stringMatching(`dígito verificador de ${OTRO}`)],
    });
    expect(asked).toEqual([OTRO]);
    expect(await kit.movimientos(a)).toEqual([]);
  });

  it('returns false for an RFC on no list, and says when no list of EDOS was imported', async () => {
    const { answer } = await ask(dice({ fechaCorte: '2026-07-31' }));
    expect(answer.json.data).toMatchObject({
      en_efos: false,
      en_edos: false,
      situacion: null,
      historial: [],
      edos_fuente: null,
      listas: [],
      listas_consultadas: [],
    });
  });

  it('never says "not listed" while there is no list', async () => {
    const { answer } = await ask(dice({ fechaCorte: null, enEdos: true }));
    expect([answer.status, answer.json.cfdi_codigo]).toEqual([503, 5041]);
    expect(answer.json.data?.['motivo']).toContain('no se ha cargado');
    expect(answer.text).not.toContain('en_efos');
  });

  it('is 503/5041 while the database is away', async () => {
    const { kit, a } = await createKitWithAlta({}, { saldo: 0 });
    kit.watch.fault = { kind: 'reject', only: /efos/ };
    const answer = await kit.call(PATH, { rfc: OTRO }, { key: a.key });
    expect([answer.status, answer.json.cfdi_codigo]).toEqual([503, 5041]);
    // It costs nothing: there is no balance to speak of.
    expect(answer.text).not.toContain('saldo');
    expect(answer.json.data).toMatchObject({ reintentar_en: 5 });
  });
});

const paso = (situacion: SituacionEfos, fechaSat: string | null, fechaDof: string | null = null): PasoEfos => ({
  situacion,
  fechaSat,
  fechaDof,
  oficio: null,
});
const fila = (situacion: SituacionEfos, ...historial: PasoEfos[]) => ({ situacion, historial });

describe('the proceedings of one RFC', () => {
  it('is not cleared of one by winning another, whichever comes later in the list or in time', () => {
    const ganada = fila('SENTENCIA_FAVORABLE', paso('SENTENCIA_FAVORABLE', '2025-01-01'));
    const firme = fila('DEFINITIVO', paso('DEFINITIVO', '2020-01-01'));
    const nueva = fila('PRESUNTO', paso('PRESUNTO', '2026-01-01'));
    for (const filas of [
      [ganada, firme],
      [firme, ganada],
      [nueva, firme, ganada],
    ]) {
      expect(summariseEfos(filas)).toMatchObject({ enEfos: true, situacion: 'Definitivo' });
    }
    expect(summariseEfos([ganada, nueva])).toMatchObject({ enEfos: true, situacion: 'Presunto' });
  });

  it('tells the newest of those that clear', () => {
    const vieja = fila('DESVIRTUADO', paso('DESVIRTUADO', '2019-01-01'));
    const reciente = fila('SENTENCIA_FAVORABLE', paso('SENTENCIA_FAVORABLE', null, '2021-01-01'));
    expect(summariseEfos([reciente, vieja]).situacion).toBe('Sentencia Favorable');
    expect(summariseEfos([vieja, reciente]).situacion).toBe('Sentencia Favorable');
  });

  it('tells all stages in order, the day of the SAT before that of the DOF, and those without a day last', () => {
    const { historial } = summariseEfos([
      fila('DEFINITIVO', paso('PRESUNTO', '2022-01-01', '2022-02-01')),
      fila('PRESUNTO', paso('PRESUNTO', null, '2020-02-01')),
    ]);
    expect(historial.map(({ situacion, fecha, fecha_dof }) => [situacion, fecha, fecha_dof])).toEqual([
      ['Presunto', '2020-02-01', '2020-02-01'],
      ['Presunto', '2022-01-01', '2022-02-01'],
      ['Definitivo', null, null],
    ]);
  });
});
