import { describe, expect, it } from 'vitest';
import { CODIGOS_SAT, describeCodigo, EXPLICACIONES, explain, FALLAS_DE_LECTURA } from './explicaciones.ts';
import { MOTIVOS_SOLICITUD } from './ports/solicitudes.ts';

const SENTENCES = /^\p{Lu}.*\.$/u;

describe('explanations for people', () => {
  it('of every reason end with a remedy', () => {
    expect(Object.keys(EXPLICACIONES).sort()).toEqual([...MOTIVOS_SOLICITUD].sort());
    for (const { causa, remedio, english } of Object.values(EXPLICACIONES)) {
      for (const text of [causa, remedio, english.cause, english.remedy]) expect(text).toMatch(SENTENCES);
      expect([english.cause, english.remedy]).not.toEqual([causa, remedio]);
      expect(`${causa} ${remedio}`).not.toMatch(/error/i);
    }
    expect(explain('PLAZO_AGOTADO')).toBe(EXPLICACIONES.PLAZO_AGOTADO);
    expect(explain('DE_MAÑANA').causa).toContain('DE_MAÑANA');
  });

  it('of a reading says why it brought nothing, and not that a request ended without a package', () => {
    for (const [falla, { causa, remedio, english }] of Object.entries(FALLAS_DE_LECTURA)) {
      for (const text of [causa, remedio, english.cause, english.remedy]) expect(text).toMatch(SENTENCES);
      expect(explain(falla).causa).toBe(causa);
      expect(remedio).toMatch(/se devolvió/);
      expect(EXPLICACIONES).not.toHaveProperty(falla);
    }
  });

  it('of every code of the SAT give its meaning and the remedy', () => {
    const namesIn = (text: string) => [...text.matchAll(/[A-Z]+(?:_[A-Z]+)+/g)].map(([name]) => name);
    for (const [codigo, { significado, hace, english }] of Object.entries(CODIGOS_SAT)) {
      expect(codigo).toMatch(/^\d{3,4}$/);
      for (const meaning of [significado, english.meaning]) expect(meaning).toMatch(/^\p{Ll}.*[^.]$/u);
      for (const action of [hace, english.action]) expect(action).toMatch(SENTENCES);
      for (const name of namesIn(hace)) expect(EXPLICACIONES).toHaveProperty(name);
      expect(namesIn(english.action)).toEqual(namesIn(hace));
      expect(describeCodigo(codigo)).toBe(`código ${codigo}: ${significado}`);
    }
  });
});
