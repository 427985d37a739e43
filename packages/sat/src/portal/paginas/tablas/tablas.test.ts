import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readTags } from '../etiquetas.ts';
import { assertRfcNombrado } from '../pagina-portal.ts';
import { readTablas } from '../tablas.ts';

const read = (html: string) =>
  readTablas(readTags(html)).map((t) => ({
    id: t.id,
    titulo: t.titulo,
    encabezados: t.encabezados.map((fila) => fila.map((c) => c.texto)),
    filas: t.filas.map((fila) => fila.map((c) => c.texto)),
    completa: t.completa,
  }));

describe('readTablas', () => {
  it('reads caption, headings, rows and unclosed cells', () => {
    expect(
      read(
        '<table id=a><caption>T&iacute;tulo <b>uno</b></caption><tr><th>A<th>B</tr><tr><td>1<td>2 &amp; <i>3</i></table>fuera',
      ),
    ).toEqual([{ id: 'a', titulo: 'Título uno', encabezados: [['A', 'B']], filas: [['1', '2 & 3']], completa: true }]);
  });

  it('keeps the cells of a table within apart', () => {
    const [fuera, within] = read(
      '<table><tr><td>x<table id="d"><tr><td>y</td></tr></table>z</td><td>w</td></tr></table>',
    );
    expect(fuera).toMatchObject({ filas: [['x z', 'w']], completa: true });
    expect(within).toMatchObject({ id: 'd', filas: [['y']], completa: true });
  });

  it('knows a table that was cut, and text of scripts from text', () => {
    expect(read('<table><tr><td>1')).toEqual([
      { id: '', titulo: '', encabezados: [], filas: [['1']], completa: false },
    ]);
    expect(read('<table><tr><td>a<script>b</script>c</td></tr></table>')[0]?.filas).toEqual([['a c']]);
    expect(readTablas(readTags('<table><tr><td colspan=5>x</td></tr></table>'))[0]?.filas[0]?.[0]?.ancho).toBe(5);
  });

  it('ends on any text', () => {
    const trozo = fc.constantFrom(
      '<table>',
      '</table>',
      '<tr>',
      '</tr>',
      '<td>',
      '<th>',
      '</td>',
      '<caption>',
      'x',
      '<script>',
      '&b;',
    );
    fc.assert(
      fc.property(fc.array(trozo, { maxLength: 60 }), (trozos) => {
        for (const { filas } of readTablas(readTags(trozos.join('')))) {
          for (const fila of filas) expect(fila.length).toBeGreaterThan(0);
        }
      }),
    );
  });
});

describe('assertRfcNombrado', () => {
  const assert = (html: string, debe = true) => assertRfcNombrado(readTags(html), 'H&E951128469', debe);

  it.each([
    'RFC: H&amp;E951128469',
    'R.F.C. <b>h&amp;e951128469</b>',
    'RFC Autenticado: H&amp;E951128469',
    'Destinatario: H&amp;E951128469',
  ])('believes %s', (html) => {
    assert(`<p>${html}</p>`);
  });

  it('refuses another, two, and none where there has to be one', () => {
    expect(() => assert('<p>RFC: XIQB891116QE4</p>', false)).toThrow('RESPUESTA_ILEGIBLE');
    expect(() => assert('<p>RFC: H&amp;E951128469</p><p>Destinatario: XIQB891116QE4</p>')).toThrow(
      'RESPUESTA_ILEGIBLE',
    );
    expect(() => assert('<p>Folio XIQB891116QE4</p>')).toThrow('RESPUESTA_ILEGIBLE');
    assert('<p>Folio XIQB891116QE4</p>', false);
  });
});
