import { describe, expect, it } from 'vitest';
import { faultOfPassword, parseEmail, parseNombre } from './reglas.ts';

describe('a new password', () => {
  it.each([
    'un caballo bajo la lluvia',
    'Zanahoria7Tractor',
    'clave 6f1c2c1e-8d3b',
    '♞♜♝♛ ajedrez nocturno',
    'r7#Kp2!vQz9m',
  ])('may be %j', (password) => {
    expect(faultOfPassword(password, 'ana.lopez@empresa.mx')).toBeNull();
  });

  it.each([
    'once letras',
    '123456789012',
    'aaaaaaaaaaaaaaaa',
    'abababababababab',
    'Contraseña123456',
    'qwertyuiop1234',
    'facturacion2026',
    'ana.lopez@empresa.mx',
    'empresa2026empresa',
    'PasswordPassword1!',
    'x'.repeat(201),
  ])('may not be %j', (password) => {
    expect(faultOfPassword(password, 'ana.lopez@empresa.mx')).not.toBeNull();
  });
});

it.each([
  [' Ana@Empresa.MX ', 'ana@empresa.mx'],
  ['ana+sat@sub.empresa.mx', 'ana+sat@sub.empresa.mx'],
  ['ana', null],
  ['ana@empresa', null],
  ['ana@empresa.mx, otra@empresa.mx', null],
  ['ana@empresa.mx\r\nbcc: x@y.mx', null],
  [`${'a'.repeat(250)}@b.mx`, null],
])('the e-mail %j is %j', (text, email) => {
  expect(parseEmail(text)).toBe(email);
});

it.each([
  ['  Ana   María ', 'Ana María'],
  ['Peña & Cía., S.A. <de> C.V.', 'Peña & Cía., S.A. <de> C.V.'],
  ['', null],
  ['   ', null],
  ['a\u0000b', null],
  ['x'.repeat(121), null],
  ['Gómez y/o Pérez, S.A.de C.V.', 'Gómez y/o Pérez, S.A.de C.V.'],
  ['Gane 5000 en https://evil.example/x', null],
  ['Su premio: evil.example', null],
  ['Su premio: evil。example', null],
  ['Su premio en t.co/abc', null],
  ['WWW.evil', null],
])('the name %j is %j', (text, nombre) => {
  expect(parseNombre(text)).toBe(nombre);
});
