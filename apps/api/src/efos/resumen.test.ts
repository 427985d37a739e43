import type { PasoEfos, SituacionEfos } from '@acuse/core';
import { describe, expect, it } from 'vitest';
import { resumirEfos } from './resumen.ts';

const paso = (situacion: SituacionEfos, fechaSat: string | null, fechaDof: string | null = null): PasoEfos => ({
  ...{ situacion, fechaSat, fechaDof },
  oficio: null,
});
const fila = (situacion: SituacionEfos, ...historial: PasoEfos[]) => ({ situacion, historial });

describe('the proceedings of one RFC', () => {
  it.each<[SituacionEfos, boolean, string]>([
    ['PRESUNTO', true, 'Presunto'],
    ['DEFINITIVO', true, 'Definitivo'],
    ['DESVIRTUADO', false, 'Desvirtuado'],
    ['SENTENCIA_FAVORABLE', false, 'Sentencia Favorable'],
  ])('counts %s as %s', (situacion, enEfos, palabra) => {
    expect(resumirEfos([fila(situacion, paso(situacion, '2024-01-01'))])).toMatchObject({
      enEfos,
      situacion: palabra,
    });
  });

  it('is nothing without any', () => {
    expect(resumirEfos([])).toEqual({ enEfos: false, situacion: null, historial: [] });
  });

  it('is not cleared of one by winning another, whichever comes later in the list or in time', () => {
    const ganada = fila('SENTENCIA_FAVORABLE', paso('SENTENCIA_FAVORABLE', '2025-01-01'));
    const firme = fila('DEFINITIVO', paso('DEFINITIVO', '2020-01-01'));
    const nueva = fila('PRESUNTO', paso('PRESUNTO', '2026-01-01'));
    for (const filas of [
      [ganada, firme],
      [firme, ganada],
      [nueva, firme, ganada],
    ]) {
      expect(resumirEfos(filas)).toMatchObject({ enEfos: true, situacion: 'Definitivo' });
    }
    expect(resumirEfos([ganada, nueva])).toMatchObject({ enEfos: true, situacion: 'Presunto' });
  });

  it('tells the newest of those that clear', () => {
    const vieja = fila('DESVIRTUADO', paso('DESVIRTUADO', '2019-01-01'));
    const reciente = fila('SENTENCIA_FAVORABLE', paso('SENTENCIA_FAVORABLE', null, '2021-01-01'));
    expect(resumirEfos([reciente, vieja]).situacion).toBe('Sentencia Favorable');
    expect(resumirEfos([vieja, reciente]).situacion).toBe('Sentencia Favorable');
  });

  it('tells all stages in order, the day of the SAT before that of the DOF, and those without a day last', () => {
    const { historial } = resumirEfos([
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
