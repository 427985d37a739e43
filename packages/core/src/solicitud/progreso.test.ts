import { describe, expect, it } from 'vitest';
import { progresoDe } from './progreso.ts';

describe('progresoDe', () => {
  it.each([
    ['nothing asked yet', {}, 0],
    ['all pending', { PENDIENTE: 3 }, 0],
    ['half there', { DESCARGADA: 1, PENDIENTE: 1 }, 0.45],
    ['all stored', { DESCARGADA: 1, VACIA: 1 }, 0.9],
  ])('%s', (_what, partes, expected) => {
    expect(progresoDe({ estado: 'EN_PROCESO', fase: 'DESCARGA', partes })).toBe(expected);
  });
  it('is 1 only at the end', () => {
    expect(progresoDe({ estado: 'EN_PROCESO', fase: 'ENSAMBLE', partes: { DESCARGADA: 1 } })).toBe(0.9);
    for (const estado of ['TERMINADA', 'ERROR', 'RECHAZADA', 'VENCIDA'] as const)
      expect(progresoDe({ estado, fase: 'DESCARGA', partes: {} })).toBe(1);
  });
});
