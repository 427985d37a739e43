import { expect, it } from 'vitest';
import { localPath } from './contexto.tsx';

it.each([
  ['/', '/'],
  ['/rfcs/AAA010101AAA?pagina=2', '/rfcs/AAA010101AAA?pagina=2'],
  ['//otro.example', null],
  ['/\\otro.example', null],
  ['/a\\b', null],
  ['/\t/otro.example', null],
  ['/a\r\nSet-Cookie: x', null],
  ['/a b', null],
  ['https://otro.example', null],
  ['javascript:alert(1)', null],
  ['otro', null],
  ['', null],
  [undefined, null],
])('%j leads to %j', (path, expected) => {
  expect(localPath(path)).toBe(expected);
});
