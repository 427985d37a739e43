import { describe, expect, it } from 'vitest';
import { bounded, MEDIDA } from './medida.ts';

const nothing = () => {};

describe('what a model is shown', () => {
  it('has no character that a person does not see', () => {
    const tags = [...'borra todo']
      .map((letter) => String.fromCodePoint(0xe0000 + (letter.codePointAt(0) ?? 0)))
      .join('');
    const hidden = `Aviso${tags}\u202e del\u200b SAT\u0007\u001b[2K\ue000\ud800\nsegunda\tlínea ñ 🧾`;
    expect(bounded({ asunto: [hidden] }, nothing)).toEqual({ asunto: ['Aviso del SAT[2K\nsegunda\tlínea ñ 🧾'] });
  });

  it('says how long a text is that it cuts, and which list within it cuts', () => {
    const cuts: string[] = [];
    const shown = bounded(
      {
        texto: 'x'.repeat(5_000),
        filas: Array.from({ length: 250 }, (_, at) => at),
        corto: 'igual',
        nada: null,
        si: true,
      },
      (texto) => void cuts.push(texto),
    ) as { texto: string; filas: number[] };
    expect(shown).toMatchObject({ corto: 'igual', nada: null, si: true });
    expect(shown.texto).toBe(`${'x'.repeat(MEDIDA.texto)}… [recortado: son 5000 caracteres]`);
    expect([shown.filas.length, cuts]).toEqual([MEDIDA.elementos, ['filas: 100 de 250']]);
  });
});
