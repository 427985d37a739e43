import { execFileSync } from 'node:child_process';
import type { Cuerpo } from '@acuse/page';
import { describe, expect, it } from 'vitest';
import type { CampoOperacion } from './catalogo.ts';
import {
  curlOf,
  exampleCuerpo,
  fieldName,
  idempotencyKeyOf,
  MASCARA,
  maskCuerpo,
  maskText,
  readCuerpo,
  secretsOf,
} from './cuerpo.ts';

const campo = (nombre: string, more: Partial<CampoOperacion> = {}): CampoOperacion => ({
  nombre,
  tipo: 'texto',
  requerido: true,
  secreto: false,
  descripcion: '',
  ejemplo: '',
  opciones: [],
  patron: undefined,
  maxLargo: undefined,
  ...more,
});
const operacion = {
  campos: [
    campo('rfc'),
    campo('total', { tipo: 'numero' }),
    campo('password', { secreto: true }),
    campo('cer', { tipo: 'archivo' }),
  ],
};
const form = (values: Record<string, string>) =>
  Object.fromEntries(Object.entries(values).map(([nombre, value]) => [fieldName({ nombre }), value]));

describe('the body', () => {
  it('has the typed values, numbers as numbers, without empty fields', async () => {
    expect(await readCuerpo(operacion, form({ rfc: 'ACU200101DB1', total: '1160.50', password: '' }), {})).toEqual({
      rfc: 'ACU200101DB1',
      total: 1160.5,
    });
  });

  it('is true or false where that is asked for', async () => {
    const campos = [campo('capsula', { tipo: 'booleano' })];
    for (const capsula of [true, false])
      expect(await readCuerpo({ campos }, form({ capsula: String(capsula) }), {})).toEqual({ capsula });
    expect(await readCuerpo({ campos }, form({ capsula: 'tal vez' }), {})).toEqual({ capsula: 'tal vez' });
  });

  it('keeps an invalid number, so that the API can refuse it', async () => {
    for (const total of ['mil', '1e400', '0x10', 'NaN', '12345678901234567890'])
      expect(await readCuerpo(operacion, form({ total }), {})).toEqual({ total });
  });

  it('shows before it is sent what the form shows, and a mask for what it demands and does not show', () => {
    expect(exampleCuerpo(operacion, { rfc: 'ACU200101DB1', total: '1160.50' })).toEqual({
      rfc: 'ACU200101DB1',
      total: 1160.5,
      password: MASCARA,
      cer: '<base64 del archivo>',
    });
    const campos = operacion.campos.map((each) => ({ ...each, requerido: false }));
    expect(exampleCuerpo({ campos }, { rfc: '' })).toEqual({});
  });

  it('has files in base64, and no field that the operation does not have', async () => {
    const cer = new File([new Uint8Array([0, 255, 10])], 'a.cer');
    expect(await readCuerpo(operacion, form({ otro: 'x' }), { [fieldName({ nombre: 'cer' })]: cer })).toEqual({
      cer: 'AP8K',
    });
  });
});

describe('secrets', () => {
  const cuerpo: Cuerpo = { rfc: 'ACU200101DB1', password: 'pa"ss\\word', cer: 'AP8K' };

  it('are masked in the body that is shown', () => {
    expect(maskCuerpo(operacion, cuerpo)).toEqual({
      rfc: 'ACU200101DB1',
      password: MASCARA,
      cer: '<base64 del archivo>',
    });
  });

  it('are masked wherever an answer repeats them, also as JSON writes them', () => {
    const secretos = secretsOf(operacion, cuerpo, 'acuse_test_llave');
    const echo = `${JSON.stringify({ eco: cuerpo })} Bearer acuse_test_llave pa"ss\\word`;
    const shown = maskText(echo, secretos);
    for (const secreto of ['acuse_test_llave', 'pa"ss', 'pa\\"ss']) expect(shown).not.toContain(secreto);
    expect(shown).toContain('ACU200101DB1');
  });
});

describe('the command', () => {
  it('gives curl exactly the body, whatever it holds', () => {
    for (const texto of ["O'Higgins", '"; rm -rf /', '$(touch x)', '`id`', '\\', "'\\''", 'línea\notra', '!!']) {
      const command = curlOf('https://api.ejemplo.mx', 'tax/facturas', { rfc: texto });
      const script = `curl() { printf '%s\\0' "$@"; }; ACUSE_API_KEY=llave; ${command}`;
      const args = execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1);
      expect(args).toEqual([
        'https://api.ejemplo.mx/api/v1/tax/facturas',
        '-H',
        'Authorization: Bearer llave',
        '-H',
        'Content-Type: application/json',
        '-d',
        JSON.stringify({ rfc: texto }),
      ]);
    }
  });
});

describe('the name of an attempt', () => {
  const intento = '01936f5e-7c3a-7b1e-8f00-2a4b6c8d0e1f';
  it('is the same for the same form and content only', () => {
    const key = idempotencyKeyOf(intento, { rfc: 'A' });
    expect(key).toMatch(/^[\x21-\x7e]{1,255}$/);
    expect(idempotencyKeyOf(intento, { rfc: 'A' })).toBe(key);
    expect(idempotencyKeyOf(intento, { rfc: 'B' })).not.toBe(key);
    expect(idempotencyKeyOf(intento.replace('01', '02'), { rfc: 'A' })).not.toBe(key);
  });
  it('is none for what no form of ours sends', () => {
    for (const wrong of [undefined, '', 'x', `${intento}\r\nX: y`]) expect(idempotencyKeyOf(wrong, {})).toBeNull();
  });
});
