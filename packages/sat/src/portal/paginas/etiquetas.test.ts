import { SatError } from '@acuse/core';
import { load } from 'cheerio';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeHtml } from '../testing/paginas-de-prueba.ts';
import { findElement, readTags, readTexto } from './etiquetas.ts';
import { readCampos, readForms } from './formulario.ts';

describe('readTags', () => {
  it('reads tags, attributes in any quoting, texts and scripts', () => {
    const etiquetas = readTags(
      `a < b <P Id=uno class='x>y' data-z="1 &lt; 2" hidden>d&iacute;a<!-- <b> --> <br/>n</p><script>if (a<b) '</p>'</script>fin`,
    );
    expect(etiquetas.map((e) => (e.closes ? '/' : '') + e.nombre)).toEqual(['p', 'br', '/p', 'script', '/script']);
    const [p] = etiquetas;
    if (p === undefined) throw new Error('no tag');
    expect(['id', 'class', 'data-z', 'hidden', 'nada'].map((n) => p.attrs.get(n))).toEqual([
      'uno',
      'x>y',
      '1 < 2',
      '',
      undefined,
    ]);
    expect(readTexto(etiquetas.slice(0, 3))).toBe('día<!-- <b> --> n'.replace('<!-- <b> -->', '').replace('  ', ' '));
    expect(etiquetas[3]?.texto).toBe(`if (a<b) '</p>'`);
  });

  it('reads the values that a browser reads from inputs written in any way', () => {
    const valor = fc.string({ unit: 'grapheme', maxLength: 40 }).map((s) => s.replace(/[\r\n\0]/g, ''));
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.stringMatching(/^[A-Za-z_$][\w$]{0,12}$/), valor, fc.boolean())), (lista) => {
        const html = lista
          .map(([n, v, first]) =>
            first
              ? `<input value="${escapeHtml(v)}" name=${n} >`
              : `<INPUT NAME='${n}' type="hidden"\n value='${escapeHtml(v)}'/>`,
          )
          .join('text');
        const $ = load(html);
        const expected = new Map(
          $('input')
            .toArray()
            .map((e) => [$(e).attr('name') ?? '', $(e).attr('value') ?? '']),
        );
        expect(readCampos(readTags(html))).toEqual(expected);
      }),
    );
  });

  it('undoes the escaping of any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (texto) => {
        const [p] = readTags(`<p id="${escapeHtml(texto)}">${escapeHtml(texto)}`);
        expect([p?.attrs.get('id'), p?.texto]).toEqual([texto, texto]);
      }),
    );
  });

  it('gives tags or a typed error for any text, and never hangs', () => {
    const piece = fc.oneof(
      fc.string(),
      fc.constantFrom(
        '<',
        '>',
        '"',
        "'",
        '=',
        '<a ',
        '</',
        '<!--',
        '-->',
        '<script>',
        '</script',
        '<!',
        '<input name="',
        '&amp',
        '&#x0;',
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const etiquetas = readTags(pieces.join(''));
        readForms(etiquetas);
        readCampos(etiquetas);
        readTexto(etiquetas);
        findElement(etiquetas, /x/);
      }),
    );
  });

  const MB = 1024 * 1024;
  it.each([
    ['nested tags', '<div>'.repeat(190_000)],
    ['nested paragraphs', '<div><p>'.repeat(95_000)],
    ['ends of nothing', '<div></x>'.repeat(95_000)],
    ['opening angles', '<'.repeat(15 * MB)],
    ['quotes', `<a ${'x="" '.repeat(3 * MB)}>`],
    ['open quotes', `<a x="${'<b>'.repeat(4 * MB)}`],
    ['comments in a text', `<p>${'a<!---->'.repeat(MB)}`],
    ['entities', `<p title="${'&amp;'.repeat(MB)}">${'&lt;'.repeat(2 * MB)}`],
    ['angles in a text', `<p>${'<'.repeat(15 * MB)}`],
    ['apostrophes', `<a ${"x='".repeat(4 * MB)}>`],
    ['comments', '<!-- '.repeat(3 * MB)],
    ['scripts', '<script>'.repeat(MB)],
    ['equal signs', `<a ${'= '.repeat(7 * MB)}>`],
    ['spaces in a tag', `<input name${' '.repeat(15 * MB)}>`],
  ])('reads hostile %s in time', { tags: ['slow'] }, (_name, html) => {
    const etiquetas = readTags(html);
    readCampos(etiquetas);
    readForms(etiquetas);
    findElement(etiquetas, /^nada$/);
    readTexto(etiquetas);
  });

  it.each([
    ['50 MB', 'x'.repeat(50 * MB)],
    ['a quarter of a million tags', '<b>'.repeat(250_000)],
    ['over a million attributes', `<b ${Array.from({ length: 1_000_001 }, (_, i) => `a${i}`).join(' ')}>`],
  ])('refuses %s', (_name, html) => {
    expect(() => readTags(html)).toThrow(SatError);
  });
});

describe('readCampos', () => {
  it('takes what a browser would send', () => {
    const html = `<form method="POST" action="x">
<input name="a" value="1"><input name="a" value="2"><input name="" value="x"><input value="y">
<input type="radio" name="r" value="no"><input type="radio" name="r" value="yes" checked>
<input type="checkbox" name="c"><input type="checkbox" name="d" checked>
<input type="SUBMIT" name="s" value="v"><input name="off" disabled="disabled" value="1">
<select name="l"><option value="1">uno</option><option value="2" selected>dos</option><option value="3">tres</option></select>
<select name="m"><option>primera &amp; sola</option></select><select name="n" disabled><option value="1"></option></select>
<textarea name="t">hola
 &lt;x&gt;</textarea></form><input name="fuera" value="1">`;
    const [formulario] = readForms(readTags(html));
    expect([...readCampos(formulario?.etiquetas ?? [])]).toEqual([
      ['a', '2'],
      ['r', 'yes'],
      ['d', 'on'],
      ['l', '2'],
      ['m', 'primera & sola'],
      ['t', 'hola <x>'],
    ]);
  });
});
