import type { RespuestaListas } from '@acuse/core';
import { describe, expect, it } from 'vitest';
import { alta, createKit } from '../../../test/kit.ts';

const PATH = 'efos/consultar';
const OTRO = 'XYZ850101AB1';

async function ask(respuesta: RespuestaListas, rfc = OTRO) {
  const asked: string[] = [];
  const consultar = async (one: string) => {
    asked.push(one);
    return respuesta;
  };
  const kit = await createKit({ deps: { listas: { consultar } } });
  const a = alta(kit.store, { saldo: 0 });
  return { answer: await kit.call(PATH, { rfc }, { key: a.key }), asked, kit };
}

describe(PATH, () => {
  it('answers about any RFC, free of charge, with what the specification shows and the cut', async () => {
    const historial = [
      { situacion: 'PRESUNTO', oficio: '500-1', fechaSat: '2024-03-05', fechaDof: '2024-03-25' },
    ] as const;
    const { answer, asked, kit } = await ask(
      {
        efos: { fechaCorte: '2026-07-31', filas: [{ situacion: 'PRESUNTO', historial }] },
        edos: { fuente: 'Comité', estaListado: true },
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
      advertencias: [expect.stringMatching(`dígito verificador de ${OTRO}`)],
    });
    expect(asked).toEqual([OTRO]);
    expect(kit.store.movimientos).toEqual([]);
  });

  it('says of one that no list has that it is in none, and when nobody imported a list of EDOS', async () => {
    const { answer } = await ask({ efos: { fechaCorte: '2026-07-31', filas: [] }, edos: null });
    expect(answer.json.data).toMatchObject({
      ...{ en_efos: false, en_edos: false, situacion: null, historial: [], edos_fuente: null },
    });
  });

  it('never says "not listed" while there is no list', async () => {
    const { answer } = await ask({ efos: null, edos: { fuente: 'Comité', estaListado: true } });
    expect([answer.status, answer.json.cfdi_codigo]).toEqual([503, 5041]);
    expect(answer.json.data?.['motivo']).toContain('no se ha cargado');
    expect(answer.text).not.toContain('en_efos');
  });

  it('is 503/5041 while the database is away', async () => {
    const kit = await createKit();
    const a = alta(kit.store, { saldo: 0 });
    kit.store.fault = { kind: 'reject', only: 'listas.consultar' };
    const answer = await kit.call(PATH, { rfc: OTRO }, { key: a.key });
    expect([answer.status, answer.json.cfdi_codigo]).toEqual([503, 5041]);
    // It costs nothing: there is no balance to speak of.
    expect(answer.text).not.toContain('saldo');
    expect(answer.json.data).toMatchObject({ reintentar_en: 5 });
  });
});
