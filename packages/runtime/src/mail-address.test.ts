import { expect, it } from 'vitest';
import { readSender } from './mail-address.ts';

it.each([
  ['avisos@empresa.mx', { nombre: '', email: 'avisos@empresa.mx' }],
  [' Acuse de México <avisos@empresa.mx> ', { nombre: 'Acuse de México', email: 'avisos@empresa.mx' }],
  ['Acuse avisos@empresa.mx', null],
  ['"x" <avisos@empresa.mx>', null],
  ['Acuse <avisos@empresa.mx>, otro@empresa.mx', null],
  ['Acuse\r\nBcc: x@y.mx <avisos@empresa.mx>', null],
  ['avisos', null],
])('the sender %j is %j', (text, expected) => {
  expect(readSender(text)).toEqual(expected);
});
