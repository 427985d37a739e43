import { describe, expect, it } from 'vitest';
import { CODIGOS_SAT, describeCodigo, EXPLICACIONES, explain } from './explicaciones.ts';
import { MOTIVOS_SOLICITUD } from './ports/solicitudes.ts';

const SENTENCES = /^\p{Lu}.*\.$/u;

describe('what people are told', () => {
  it('of every reason ends in what somebody can do', () => {
    expect(Object.keys(EXPLICACIONES).sort()).toEqual([...MOTIVOS_SOLICITUD].sort());
    for (const { causa, remedio } of Object.values(EXPLICACIONES)) {
      expect(causa).toMatch(SENTENCES);
      expect(remedio).toMatch(SENTENCES);
      expect(`${causa} ${remedio}`).not.toMatch(/error/i);
    }
    expect(explain('PLAZO_AGOTADO')).toBe(EXPLICACIONES.PLAZO_AGOTADO);
    expect(explain('DE_MAÑANA').causa).toContain('DE_MAÑANA');
  });

  it('of every code of the SAT says what it means and what is done about it', () => {
    for (const [codigo, { significado, hace }] of Object.entries(CODIGOS_SAT)) {
      expect(codigo).toMatch(/^\d{3,4}$/);
      expect(significado).toMatch(/^\p{Ll}.*[^.]$/u);
      expect(hace).toMatch(SENTENCES);
      for (const [name] of hace.matchAll(/[A-Z]+(?:_[A-Z]+)+/g)) expect(EXPLICACIONES).toHaveProperty(name);
      expect(describeCodigo(codigo)).toBe(`código ${codigo}: ${significado}`);
    }
  });
});
