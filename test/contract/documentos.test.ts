import { readdirSync, readFileSync } from 'node:fs';
import { CATALOGO, type NombreError } from '@acuse/contract';
import { CODIGOS_SAT } from '@acuse/core';
import { MAGIAS } from '@acuse/simulador';
import { describe, expect, it } from 'vitest';
import { partsOf } from '../../apps/api/src/docs/errors.ts';
import { ROOT } from '../architecture/sources.ts';

const read = (path: string) => readFileSync(`${ROOT}${path}`, 'utf8');

describe('what the documents tell', () => {
  it('of magic RFCs is every one of them, in the order of the simulator', () => {
    const shown = [...read('docs/guias/sandbox.md').matchAll(/^\| `(\w+)`, `(\w+)` \| \S.* \| \S.* \|$/gm)];
    expect(shown.map(([, moral, fisica]) => [moral, fisica])).toEqual(
      MAGIAS.map(({ moral, fisica }) => [moral, fisica]),
    );
  });

  it('of the SAT’s codes is every one that the connector of its web service knows, and no other', () => {
    const folder = 'packages/sat/src/soap';
    const sources = readdirSync(`${ROOT}${folder}`).filter((name) => /^[\w-]+\.ts$/.test(name));
    const codes = sources.flatMap((name) =>
      [...read(`${folder}/${name}`).matchAll(/'((?:\d{3,4} ?)+)'/g)].flatMap(([, text = '']) => text.trim().split(' ')),
    );
    expect([...new Set(codes)].sort()).toEqual(Object.keys(CODIGOS_SAT).sort());
  });

  it('of an error is what happened, and then what to do', () => {
    for (const nombre of Object.keys(CATALOGO) as NombreError[]) {
      const [causa, remedio] = partsOf(nombre);
      expect([nombre, causa]).toEqual([nombre, expect.stringMatching(/^\p{Lu}.{15,}\.$/u)]);
      expect([nombre, remedio]).toEqual([nombre, expect.stringMatching(/^\p{Lu}.{15,}\.$/u)]);
      expect(`${causa} ${remedio}`).toBe(CATALOGO[nombre].texto);
    }
  });
});
