import { type MotivoSatError, SatError } from '@acuse/core';
import { expect, it } from 'vitest';
import { toCfdiError } from './ask-sat.ts';

const tell = (motivo: MotivoSatError, codigo: string | null = null) => {
  const { nombre, datos } = toCfdiError(new SatError(motivo, { codigo, detalle: 'interno' }));
  return { nombre, ...datos };
};

it('tells a year that the portal does not offer from a silence of the authority', () => {
  expect(tell('PETICION_RECHAZADA', 'EJERCICIO')).toMatchObject({ nombre: 'CAMPO_INVALIDO', campo: 'ejercicio' });
  expect(tell('PETICION_RECHAZADA', 'LIMITE').motivo).toContain('descarga-metadata');
  expect(tell('PETICION_RECHAZADA')).toMatchObject({ nombre: 'SAT_NO_DISPONIBLE' });
});

it('names the code of the SAT, and nothing of ours', () => {
  expect(tell('SERVICIO_CON_ERROR', 'HTTP 503').motivo).toContain('(HTTP 503)');
  expect(JSON.stringify(tell('RESPUESTA_ILEGIBLE'))).not.toContain('interno');
});

it('says when to try again, but not where trying again cannot help', () => {
  expect(tell('CORTACIRCUITOS_ABIERTO').reintentar_en).toBe(30);
  expect(tell('SIN_RESOLVEDOR_DE_CAPTCHA')).not.toHaveProperty('reintentar_en');
});

it.each(['SIN_RESOLVEDOR_DE_CAPTCHA', 'CANAL_DESACTIVADO', 'PETICION_RECHAZADA', 'HOST_NO_PERMITIDO'] as const)(
  'says what to do about %s, which waiting does not mend',
  (motivo) => {
    expect(new SatError(motivo).clase).toBe('permanente');
    expect(tell(motivo).motivo).toMatch(/\. (Guarde|Revise|Avise) /);
    expect(tell(motivo)).not.toHaveProperty('reintentar_en');
  },
);

it('tells a locked account from a wrong password', () => {
  expect(tell('CIEC_RECHAZADA', 'CUENTA_BLOQUEADA').motivo).toContain('bloqueada');
  expect(tell('CIEC_RECHAZADA', 'CIEC')).toEqual({ nombre: 'CIEC_RECHAZADA' });
  expect(tell('EFIRMA_RECHAZADA', '304')).toMatchObject({ nombre: 'EFIRMA_RECHAZADA', motivo: expect.any(String) });
});
