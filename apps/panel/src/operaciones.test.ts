import { OPERACIONES } from '@acuse/contract';
import { expect, it } from 'vitest';
import { gruposDe, nombreOperacion } from './operaciones.ts';

const paths = OPERACIONES.map(({ path }) => path);

it('every group of every operation has a name and a purpose in words, and no name stands twice', () => {
  const grupos = gruposDe(paths);
  expect(grupos.length).toBeGreaterThan(10);
  expect(grupos.filter(({ grupo, titulo, texto }) => titulo === grupo || !/^\p{Lu}.+\.$/u.test(texto))).toEqual([]);
  expect(new Set(grupos.map(({ titulo }) => titulo)).size).toBe(grupos.length);
  expect(paths.filter((path) => nombreOperacion(path) === path)).toEqual([]);
});

it('a group without a name keeps its word, after the others', () => {
  expect(gruposDe(['nuevo/algo', 'uso/consultar']).map(({ titulo }) => titulo)).toEqual(['Uso', 'nuevo']);
});
