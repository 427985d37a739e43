import { describeCodigo, explain, TIPOS_EVENTO } from '@acuse/core';
import { describe, expect, test } from 'vitest';
import { describeEvento } from './eventos.ts';

describe('a sentence of the timeline', () => {
  test.each(TIPOS_EVENTO)('for %s is Spanish, whatever comes with it', (tipo) => {
    for (const codigo of [null, '5005', 'NO_RESPONDE', 'FILA', 'rarísimo'])
      for (const detalle of [
        null,
        '3',
        '2024-01-01T00:00:00/2024-01-31T23:59:59',
        'PLAZO_AGOTADO',
        'NO_RESPONDE',
        'x/y/z',
      ]) {
        const { texto, detalle: more = '' } = describeEvento({ tipo, codigo, detalle });
        expect(texto).toMatch(/^\p{Lu}.*[.:]$/u);
        expect(texto).not.toMatch(/[A-Z]+_[A-Z]+/);
        expect(`${texto} ${more}`).not.toMatch(/undefined|null|NaN|código \.| {2}/);
      }
  });

  test('tells the period, the answer and its code', () => {
    const period = '2024-01-01T00:00:00/2024-01-31T23:59:59';
    expect(describeEvento({ tipo: 'SOLICITADA', codigo: 'F-1', detalle: period })).toMatchObject({
      texto: 'El SAT aceptó la petición del 1 ene 2024, 00:00:00 al 31 ene 2024, 23:59:59.',
      detalle: 'Folio del SAT: F-1',
    });
    expect(
      describeEvento({ tipo: 'SAT_SIN_RESPUESTA', codigo: 'HTTP 503', detalle: 'SERVICIO_CON_ERROR' }),
    ).toMatchObject({
      texto: 'El SAT no dio respuesta: su servicio contestó que está fallando. Se intentará de nuevo.',
      detalle: 'código HTTP 503',
    });
    expect(describeEvento({ tipo: 'CANAL_CAIDO', codigo: 'NO_RESPONDE', detalle: 'portal' })).toMatchObject({
      texto: 'El servicio web del SAT no da respuesta; se sigue desde el principio con la CIEC en su portal.',
      detalle: 'Lo último: no contestó.',
    });
    expect(describeEvento({ tipo: 'TERMINADA', codigo: null, detalle: '1200' }).texto).toContain('1,200 CFDI');
    expect(describeEvento({ tipo: 'RECHAZADA', codigo: '5001', detalle: 'SAT_RECHAZO_LA_SOLICITUD' }).detalle).toBe(
      'El SAT no admitió la solicitud tal como se hizo. El SAT dijo: código 5001: no autoriza a pedir por este RFC.',
    );
  });

  test('of a version to come says that it is one, never that it is progress, and its name only beside that', () => {
    for (const tipo of ['constructor', 'DE_MAÑANA'])
      expect(describeEvento({ tipo, codigo: '5000', detalle: 'd' })).toEqual({
        texto: 'Pasó algo que esta versión del panel todavía no describe.',
        detalle: `Clave: ${tipo}. código 5000: recibida. d`,
        tono: 'neutro',
      });
    expect(describeEvento({ tipo: 'X', codigo: null, detalle: null }).detalle).toBe('Clave: X');
    expect(explain('__proto__').causa).toContain('__proto__');
    expect(describeCodigo('toString')).toBe('código toString');
  });
});
