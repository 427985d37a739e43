import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { describeCambio, nombreAccion } from './frases-auditoria.ts';

const ROOTS = ['../../../../../packages/', '../../'];

/** Every action that a statement or a page notes in the audit log. */
function accionesNoted(): string[] {
  const texts = ROOTS.flatMap((root) => {
    const base = new URL(root, import.meta.url);
    return readdirSync(base, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name) && !/generated|dist|node_modules|\.test\./.test(name))
      .map((name) => readFileSync(new URL(name, base), 'utf8'));
  });
  const patterns = [
    /accion: '([a-z0-9]+-[a-z0-9-]+)'/g,
    /auditoria \([^)]*\)\s+(?:SELECT|VALUES)[^;`]*?'([a-z0-9]+-[a-z0-9-]+)'/g,
  ];
  return [
    ...new Set(texts.flatMap((text) => patterns.flatMap((each) => [...text.matchAll(each)].map(([, a]) => a ?? '')))),
  ];
}

describe('the audit log', () => {
  it('has a sentence and a name for every action that is noted', () => {
    const acciones = accionesNoted();
    expect(acciones).toEqual(expect.arrayContaining(['suspender-cuenta', 'rfc-registrar', 'pedir-solicitud']));
    expect(acciones.filter((accion) => nombreAccion(accion) === accion)).toEqual([]);
    for (const accion of acciones) expect(describeCambio(accion, {})).toMatch(/^[A-ZÁÉÍÓÚ].*\.$/);
  });

  it('has them for the words that are put together too: each kind of credential, and each way in', () => {
    const words = ['ciec', 'efirma_cer', 'efirma_key'].map((tipo) => `guardar-${tipo}`);
    for (const accion of [...words, 'entrar', 'entrar-con-recuperacion']) expect(nombreAccion(accion)).not.toBe(accion);
  });

  it('tells amounts in pesos where money is meant, and credits as credits', () => {
    expect(describeCambio('acreditar-pago', { creditos: 100, total: 11_484, pago: 'x' })).toBe(
      'Se acreditaron 100 créditos por un pago de $114.84 MXN.',
    );
    expect(describeCambio('ajustar-saldo', { creditos: -3, motivo: 'Cobro doble', saldo: 1 })).toBe(
      'Ajustó el saldo en −3 y quedó en 1 crédito: Cobro doble.',
    );
    expect(describeCambio('deshabilitar-operacion', { operacion: 'efos/consultar' })).toBe(
      'Desactivó «Listas EFOS y EDOS».',
    );
  });

  it('tells everything that was noted of what it does not know', () => {
    expect(describeCambio('algo-nuevo', { a: 1, b: 'x' })).toBe('algo-nuevo (a: 1, b: x)');
  });
});
