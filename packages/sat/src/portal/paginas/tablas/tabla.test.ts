import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toLabel } from '../../../texto.ts';
import { readTags } from '../etiquetas.ts';
import { findColumns, readTabla } from '../tablas.ts';

const read = (html: string) => readTabla(readTags(html), /^t$/);
const textos = (html: string) => read(html)?.filas.map((fila) => fila.map((celda) => celda.textoEntero));
const unreadable = expect.objectContaining({ motivo: 'RESPUESTA_ILEGIBLE' });

describe('readTabla', () => {
  it('reads headings and rows, tables inside of cells, sections, omitted ends of cells and rows', () => {
    const html = `<table><tr><td>otra</td></tr></table>
<table id="t"><thead><tr><th>Acciones</div></th><th> Fecha&nbsp;de <b>Emisi&oacute;n</b> * </th></tr></thead>
<tbody><tr><td><table><tr><td>x</td><td>y</td></tr></table></td><td>uno</td></tr><tr><td>a<td>dos &lt;b&gt;</tbody></table>`;
    expect(read(html)?.labels).toEqual(['acciones', 'fecha de emision']);
    expect(textos(html)).toEqual([
      ['x y', 'uno'],
      ['a', 'dos <b>'],
    ]);
  });

  it('is null when there is none', () => {
    expect(read('<table id="otra"><tr><th>a</th></tr></table>')).toBeNull();
  });

  it.each([
    ['does not end', '<table id="t"><tr><th>a</th></tr><tr><td>1</td></tr>'],
    ['has its end inside of another', '<table id="t"><tr><th>a</th></tr><tr><td><table><tr></table>'],
    ['has no row', '<table id="t"></table>'],
    ['has a short row', '<table id="t"><tr><th>a</th><th>b</th></tr><tr><td>1</td></tr></table>'],
    ['has a long row', '<table id="t"><tr><th>a</th></tr><tr><td>1</td><td>2</td></tr></table>'],
    ['has an empty row', '<table id="t"><tr><th>a</th></tr><tr></tr></table>'],
    ['has headings twice', '<table id="t"><tr><th>a</th></tr><tr><th>a</th></tr></table>'],
    ['has a cell without a row', '<table id="t"><tr><th>a</th></tr><td>1</td></table>'],
    ['holds a table without a cell', '<table id="t"><tr><th>a</th></tr><tr><table></table></tr></table>'],
    ['has too many cells', `<table id="t"><tr>${'<th>a</th>'.repeat(65)}</tr></table>`],
    ['has too many rows', `<table id="t"><tr><th>a</th></tr>${'<tr><td>1'.repeat(5_001)}</table>`],
  ])('refuses a table that %s', (_name, html) => {
    expect(() => read(html)).toThrow(unreadable);
  });

  it('gives all of the rows or an error for any cut', () => {
    const html =
      '<p>x</p><table id="t"><tr><th>a</th><th>b</th></tr><tr><td>1</td><td><i>2</i></td></tr><tr><td>3</td><td>4</td></tr></table><p>';
    const whole = textos(html);
    for (let length = html.indexOf('id="t">') + 7; length < html.length; length += 1) {
      const cut = html.slice(0, length);
      if (length < html.indexOf('</table>') + 8) expect(() => read(cut)).toThrow(unreadable);
      else expect(textos(cut)).toEqual(whole);
    }
  });

  it('reads back any texts', () => {
    const texto = fc.string({ unit: fc.constantFrom('a', 'Ñ', '<', '>', '&', '"', "'", '|', '/'), maxLength: 8 });
    const escapeTexto = (t: string) => t.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
    fc.assert(
      fc.property(fc.array(fc.tuple(texto, texto), { maxLength: 5 }), (filas) => {
        const cuerpo = filas.map((fila) => `<tr>${fila.map((t) => `<td>${escapeTexto(t)}</td>`).join('')}</tr>`);
        expect(textos(`<table id="t"><tr><th>a</th><th>b</th></tr>${cuerpo.join('')}</table>`)).toEqual(filas);
      }),
    );
  });
});

it('reads a heading of many colons in a time that grows with its length only', () => {
  expect(toLabel(`${':'.repeat(1_000_000)}x : *`)).toMatch(/:x$/);
});

describe('findColumns', () => {
  const tabla = (labels: string[]) => ({ labels: labels.map(toLabel) });

  it('takes the first heading that is there, and no place for a column without one', () => {
    const labels = { total: ['monto total', 'total'], otra: ['otra'] };
    expect([...findColumns(tabla(['Total', 'x', 'MONTO  TOTAL:']), labels)]).toEqual([['total', 2]]);
    expect([...findColumns(tabla(['Total']), labels)]).toEqual([['total', 0]]);
  });

  it('does not choose between two columns with one heading', () => {
    expect(() => findColumns(tabla(['Total', 'total']), { total: ['total'] })).toThrow(unreadable);
  });
});
