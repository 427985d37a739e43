import { readdirSync, readFileSync } from 'node:fs';
import { CATALOGO, type NombreError, partsOf } from '@acuse/contract';
import { CODIGOS_SAT } from '@acuse/core';
import { MAGIAS } from '@acuse/simulador';
import { describe, expect, it } from 'vitest';
import { LANGUAGES, readPages } from '../../apps/api/src/site/pages.ts';
import { ROOT } from '../architecture/sources.ts';

const read = (path: string) => readFileSync(`${ROOT}${path}`, 'utf8');

describe('what the documents tell', () => {
  it.each(['docs/integrators/es/sandbox.md', 'docs/integrators/en/sandbox.md'])(
    'of magic RFCs in %s is every one',
    (path) => {
      const shown = [...read(path).matchAll(/^\| `(\w+)`, `(\w+)` \| \S.* \| \S.* \|$/gm)];
      expect(shown.map(([, moral, fisica]) => [moral, fisica])).toEqual(
        MAGIAS.map(({ moral, fisica }) => [moral, fisica]),
      );
    },
  );

  it('of magic RFCs in English is the effect and the answer that the simulator publishes', () => {
    const rows = MAGIAS.map(
      ({ moral, fisica, efecto, respuesta }) => `| \`${moral}\`, \`${fisica}\` | ${efecto} | ${respuesta} |`,
    );
    expect(read('docs/integrators/en/sandbox.md').match(/^\| `.*$/gm)).toEqual(rows);
  });

  it('of the SAT’s codes is every one that the connector of its web service knows, and no other', () => {
    const folder = 'packages/sat/src/soap';
    const sources = readdirSync(`${ROOT}${folder}`).filter((name) => /^[\w-]+\.ts$/.test(name));
    const codes = sources.flatMap((name) =>
      [...read(`${folder}/${name}`).matchAll(/'((?:\d{3,4} ?)+)'/g)].flatMap(([, text = '']) => text.trim().split(' ')),
    );
    expect([...new Set(codes)].sort()).toEqual(Object.keys(CODIGOS_SAT).sort());
  });

  it.each(LANGUAGES)('of an error is what happened, and then what to do (%s)', (language) => {
    const sentences = expect.stringMatching(/^\p{Lu}.{15,}\.$/u);
    const texts = (Object.keys(CATALOGO) as NombreError[]).map((nombre) => {
      const { texto, english } = CATALOGO[nombre];
      const text = language === 'es' ? texto : english;
      const [cause, remedy] = partsOf(text);
      expect([nombre, cause, remedy]).toEqual([nombre, sentences, sentences]);
      expect(`${cause} ${remedy}`).toBe(text);
      return cause;
    });
    expect(texts).toEqual([...new Set(texts)]);
  });

  it('of an error names the same fields, paths and headers in both languages', () => {
    const namesIn = (text: string) => text.match(/\/[\w/.-]*\w|\b[a-z]+[_-][\w-]+|\b[A-Z]\w+-[\w-]+|\d+/g)?.sort();
    for (const [nombre, { texto, english }] of Object.entries(CATALOGO))
      expect([nombre, namesIn(english)]).toEqual([nombre, namesIn(texto)]);
  });

  /** Pages that another test reads in both languages; the User-Agent of a sample is its page's. */
  const pairs = readPages().flatMap(({ language, source, path, other }) => {
    const found = readPages().find((page) => page.path === other);
    return language === 'en' && found && !source.startsWith('apps/simulador/') ? [[path, source, found.source]] : [];
  });

  /** A drawing, without a language, is in words; so are comments of a sample. */
  const samplesOf = (text: string) =>
    [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, mark = '', sample = '']) => [
      mark,
      mark === ''
        ? sample.trim().split('\n').length
        : sample.replace(/-A [a-z-]+\//, '-A ').replace(/(^| {2})# .*\n/gm, ''),
    ]);
  const headingsOf = (text: string) => [...text.matchAll(/^#+ /gm)].map(([rank]) => rank);

  it('of the README in both languages has one structure: headings, samples, and tables', () => {
    const [english, spanish] = [read('README.md'), read('LEEME.md')];
    const tablesOf = (text: string) => (text.match(/^\|.*$/gm) ?? []).map((row) => row.split(' | ').length);
    expect(samplesOf(english)).toEqual(samplesOf(spanish));
    const outside = (text: string) => text.replace(/^```[\s\S]*?^```$/gm, '');
    expect(headingsOf(outside(english))).toEqual(headingsOf(outside(spanish)));
    expect(tablesOf(english)).toEqual(tablesOf(spanish));
  });

  it.each(['README.md', 'LEEME.md'])(
    '%s says on its first screen what it is, for whom, and the two commands',
    (path) => {
      const [screen = ''] = read(path).split(/^## /m);
      expect(screen.split(/\s+/).length).toBeLessThan(220);
      expect(screen).toMatch(/^Acuse (is for|es para) /m);
      expect([...screen.matchAll(/^npm (?:run )?(\w+) /gm)].map(([, name]) => name)).toEqual(['demo', 'test']);
    },
  );

  it.each(pairs)('at %s is what the page in Spanish tells: its samples, and what its tables are about', (_, en, es) => {
    const firstsOf = (text: string) =>
      [...text.matchAll(/^\| (\[?`?\w[^|]*?`?) \|/gm)].map(([, first = '']) => first.trim());
    const names = (text: string) => firstsOf(text).flatMap((first) => first.match(/^\d+|`[^`]+`|\[[^\]]+\]/g) ?? []);
    const [english, spanish] = [read(en ?? ''), read(es ?? '')];
    expect(samplesOf(english)).toEqual(samplesOf(spanish));
    expect(names(english)).toEqual(names(spanish));
    expect(headingsOf(english)).toEqual(headingsOf(spanish));
  });
});
