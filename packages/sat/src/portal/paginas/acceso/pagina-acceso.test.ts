import { SatError } from '@acuse/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { captchaDe, paginaAcceso } from '../../testing/paginas-de-prueba.ts';
import { readTags } from '../etiquetas.ts';
import { classifyRechazo, readAcceso, readScriptJump } from '../pagina-acceso.ts';

const readLoginPage = (html: string) => readAcceso(readTags(html));

describe('readAcceso', () => {
  it('refuses an image that is none, in a time that grows with its length only', () => {
    const con = (src: string) => paginaAcceso('X').replace(/src="data:[^"]*"/, `src="${src}"`);
    for (const src of [
      `data:image/png;base64,${' '.repeat(500_000)}!`,
      `data:image/png;base64,${'A'.repeat(600_000)}`,
      'data:image/png;base64,AA=A',
      'https://example.com/captcha.png',
    ]) {
      expect(() => readLoginPage(con(src))).toThrow('RESPUESTA_ILEGIBLE');
    }
    expect(readLoginPage(con('data:image/png;base64,QUJD\n QQ== '))?.captcha?.toString()).toBe('ABCA');
  });

  it('reads image, fields and reason', () => {
    const acceso = readLoginPage(paginaAcceso('A1B2C3', 'Captcha no v&aacute;lido'));
    expect(acceso?.captcha?.equals(captchaDe('A1B2C3'))).toBe(true);
    expect([...(acceso?.campos ?? [])]).toEqual([
      ['option', 'credential'],
      ['Ecom_User_ID', ''],
      ['Ecom_Password', ''],
      ['userCaptcha', ''],
    ]);
    expect(acceso).toMatchObject({ accion: '', mensaje: 'Captcha no válido' });
  });

  it('finds no reason on a fresh page, though its script can write some', () => {
    expect(readLoginPage(paginaAcceso('X'))?.mensaje).toBe('');
  });

  it('reads a reason that the page shows in its own box', () => {
    const html = paginaAcceso('X').replace(
      'id="msgError">',
      'id="msgError"><strong>Error!</strong> RFC o contrase&ntilde;a',
    );
    expect(readLoginPage(html)?.mensaje).toBe('Error! RFC o contraseña');
  });

  it('is null for every other page', () => {
    for (const html of ['', 'texto', '<form><input name="otra"></form>', '<p>Ecom_User_ID</p>']) {
      expect(readLoginPage(html)).toBeNull();
    }
  });

  it.each([
    '',
    'data:image/png;base64,',
    'data:text/html;base64,AAAA',
    'https://malo.example/c.png',
    `data:image/png;base64,${'A'.repeat(700_000)}`,
  ])('does not hand on an image of source %.30s', (src) => {
    const html = paginaAcceso('X').replace(/src="[^"]*"/, `src="${src}"`);
    expect(() => readLoginPage(html)).toThrow(SatError);
  });

  it('gives a page, null or a typed error for any piece of the page', () => {
    const html = paginaAcceso('ABC', 'El RFC o contraseña son incorrectos');
    fc.assert(
      fc.property(fc.nat(html.length), fc.nat(html.length), fc.string({ maxLength: 4 }), (a, b, middle) => {
        try {
          readLoginPage(html.slice(0, a) + middle + html.slice(b));
        } catch (error) {
          expect(error).toBeInstanceOf(SatError);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('readScriptJump', () => {
  const of = (script: string) => readScriptJump(readTags(`<html><script>${script}</script></html>`));

  it.each([
    "location.href = '/a'",
    "if (x) { location.href='/a'; }",
    "top.location.href='/a'",
    'window.location = "/a"',
    "location.replace('/a')",
    "window.location.replace('/a')",
  ])('follows %s', (script) => {
    expect(of(script)).toBe('/a');
  });

  it.each([
    "if (location.href == '/a') {}",
    "my.location.href = '/a'",
    "mylocation.href = '/a'",
    "var location = '/a'",
  ])('does not follow %s', (script) => {
    expect(of(script)).toBeNull();
  });
});

describe('classifyRechazo', () => {
  it.each([
    ['Captcha no válido', 'CAPTCHA'],
    ['CAPTCHA INCORRECTO', 'CAPTCHA'],
    ['El RFC o contraseña son incorrectos. Verifique su información e inténtelo de nuevo.', 'CIEC'],
    ['Usuario o contraseña incorrecta', 'CIEC'],
    ['El captcha o la contraseña no son correctos', 'CIEC'],
    ['Su cuenta se encuentra bloqueada, intente más tarde', 'CUENTA_BLOQUEADA'],
    ['Ha superado el número de intentos permitidos', 'CUENTA_BLOQUEADA'],
    ['El servicio no está disponible por el momento', 'SERVICIO'],
    ['Intente más tarde', 'SERVICIO'],
    ['¿?', 'SIN_MOTIVO'],
    ['', 'SIN_MOTIVO'],
  ])('%s', (mensaje, rechazo) => {
    expect(classifyRechazo(mensaje)).toBe(rechazo);
  });

  it('never asks for another try with the CIEC when the text names the password', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        expect(['CIEC', 'CUENTA_BLOQUEADA']).toContain(classifyRechazo(`${a} contraseña ${b}`));
        expect(['CIEC', 'CUENTA_BLOQUEADA']).toContain(classifyRechazo(`${a} captcha ${b} contraseña`));
      }),
    );
  });
});
