import { SatError } from '@acuse/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDelta } from '../consultas/busqueda.ts';
import { delta } from '../testing/paginas-de-prueba.ts';
import { readResultadoFacturas } from './listar-facturas.ts';
import { celdas, cfdi, respuesta, respuestaCon, tablaDe } from './testing/portal-con-facturas.ts';

const RFC = 'EKU9003173C9';
const PANEL = 'ctl00_MainContent_UpnlResultados';

const read = (texto: string) => readResultadoFacturas(parseDelta(texto), RFC);

/** The panel of results of an answer, and the answer again with another panel in its place. */
const panelOf = (texto: string) => parseDelta(texto).find(({ id }) => id === PANEL)?.contenido ?? '';
const withPanel = (contenido: string) => delta([['updatePanel', PANEL, contenido]]);

function outcomeOf(texto: string): unknown {
  try {
    return read(texto);
  } catch (error) {
    return error;
  }
}

const isIlegible = (outcome: unknown) => outcome instanceof SatError && outcome.motivo === 'RESPUESTA_ILEGIBLE';

const DOS = [cfdi(1, '2026-03-05T10:00:00'), cfdi(2, '2026-03-05T10:00:01', { estado: 'Cancelado' })];

function conFilas(
  filas: ReadonlyArray<ReadonlyArray<readonly [string, string]>>,
  labels: readonly string[] = (filas[0] ?? []).map(([heading]) => heading),
) {
  return respuesta({ tabla: tablaDe(filas, [...labels]), muestraFilas: true, diceQueNoHay: false });
}

describe('readResultadoFacturas', () => {
  it('is the whole answer or an error for the text cut at any place', () => {
    const texto = respuestaCon(DOS);
    for (let length = 0; length < texto.length; length += 1) {
      // The records before the panel of results are whole at some cuts; what is left has no results then.
      expect(isIlegible(outcomeOf(texto.slice(0, length))) || length >= texto.indexOf('|hiddenField|') - 2).toBe(true);
    }
  });

  it.each([
    ['rows', panelOf(respuestaCon(DOS.slice(0, 1)))],
    ['no rows', panelOf(respuestaCon([]))],
  ])(
    'is the same answer or an error for a panel of %s that is cut at any place',
    { timeout: 120_000 },
    (_name, panel) => {
      const whole = read(withPanel(panel));
      let same = 0;
      for (let length = 0; length < panel.length; length += 1) {
        const outcome = outcomeOf(withPanel(panel.slice(0, length)));
        if (isIlegible(outcome)) continue;
        expect(outcome).toEqual(whole);
        same += 1;
      }
      expect(same).toBeLessThan(panel.length / 2);
    },
  );

  it('finds the columns by their headings in any order, and skips those it does not know', () => {
    const whole = read(respuestaCon(DOS));
    const columnas = celdas(cfdi(0, '2026-01-01T00:00:00'), 2025).length;
    fc.assert(
      fc.property(fc.shuffledSubarray([...Array(columnas + 2).keys()], { minLength: columnas + 2 }), (orden) => {
        const filas = DOS.map((c) => {
          const extra: Array<[string, string]> = [
            ['Columna nueva', '$9.99'],
            ['Total de impuestos', '2020-01-01T00:00:00'],
          ];
          const todas = [...celdas(c, 2025), ...extra];
          return orden.flatMap((i) => todas.slice(i, i + 1));
        });
        expect(read(conFilas(filas))).toEqual(whole);
      }),
      { numRuns: 20 },
    );
  });

  it.each(['antes', 2023, 2025] as const)('reads the columns of %s', (layout) => {
    expect(read(respuestaCon(DOS, layout)).filas[1]).toMatchObject({
      total: 1234,
      estado: 'CANCELADO',
      estadoCancelacion: 'Cancelado sin aceptación',
      fechaCancelacion: '2026-03-30T10:00:00',
      fechaCertificacion: '2026-03-05T10:00:01',
      pacRfc: 'SPR190613I52',
      efecto: 'Ingreso',
    });
  });

  it('is capped by 500 rows or by what the page says', () => {
    const filas = (cuantas: number) => Array.from({ length: cuantas }, (_, i) => cfdi(i, '2026-03-05T10:00:00'));
    expect(read(respuestaCon(filas(499))).topada).toBe(false);
    expect(read(respuestaCon(filas(500))).topada).toBe(true);
    expect(read(respuestaCon(filas(3), 2025, true)).topada).toBe(true);
  });

  it.each(['Folio Fiscal', 'RFC Emisor', 'RFC Receptor', 'Fecha de Emisión', 'Total', 'Estado del Comprobante'])(
    'cannot do without the column %s',
    (falta) => {
      const filas = DOS.map((c) => celdas(c, 2025).filter(([heading]) => heading !== falta));
      expect(isIlegible(outcomeOf(conFilas(filas)))).toBe(true);
      const doubled = DOS.map((c) => [...celdas(c, 2025), ...celdas(c, 2025).filter(([r]) => r === falta)]);
      expect(isIlegible(outcomeOf(conFilas(doubled)))).toBe(true);
    },
  );

  it('gives null for every column that may be missing', () => {
    const kept = new Set([
      'Folio Fiscal',
      'RFC Emisor',
      'RFC Receptor',
      'Fecha de Emisión',
      'Total',
      'Estado del Comprobante',
    ]);
    const filas = DOS.map((c) => celdas(c, 2025).filter(([heading]) => kept.has(heading)));
    expect(read(conFilas(filas)).filas[1]).toEqual({
      uuid: DOS[1]?.uuid,
      emisorRfc: 'XAXX010101000',
      emisorNombre: null,
      receptorRfc: RFC,
      receptorNombre: null,
      fechaEmision: '2026-03-05T10:00:01',
      fechaCertificacion: null,
      pacRfc: null,
      total: 1234,
      efecto: null,
      estado: 'CANCELADO',
      estadoCancelacion: null,
      fechaCancelacion: null,
    });
  });

  it.each<[string, string, string]>([
    ['a total in words', 'Total', 'mil'],
    ['no total', 'Total', ''],
    ['a date without time', 'Fecha de Emisión', '2026-03-05'],
    ['a day that does not exist', 'Fecha de Emisión', '2026-02-30T00:00:00'],
    ['an unknown state', 'Estado del Comprobante', 'En proceso'],
    ['a folio that is none', 'Folio Fiscal', 'B97262E5'],
    ['an empty folio', 'Folio Fiscal', ''],
    ['an RFC with a lost letter', 'RFC Emisor', 'O\ufffdO120726RX3'],
    ['another receiver', 'RFC Receptor', 'XAXX010101000'],
    ['an unreadable date of cancellation', 'Fecha de Cancelación', 'ayer'],
    ['a cell too many', 'Nombre o Razón Social del Emisor', 'X</span></td><td>Y'],
  ])('does not take %s', (_name, columna, html) => {
    const fila = celdas(DOS[1] ?? cfdi(0, ''), 2025).map(([heading, valor]): [string, string] => [
      heading,
      heading === columna ? html : valor,
    ]);
    expect(isIlegible(outcomeOf(conFilas([fila])))).toBe(true);
  });

  it.each<[string, string, string]>([
    ['a script', 'A<script>document.write("</td></tr></table>")</script>B', 'A B'],
    ['escaped markup', '&lt;script&gt;alert(1)&lt;/script&gt; &amp; &#209;', '<script>alert(1)</script> & Ñ'],
    ['unknown and endless entities', '&nada; &#x110000; &lol9;', '&nada; \ufffd &lol9;'],
    ['a comment', 'A<!-- </td></tr> -->B', 'AB'],
  ])('takes %s in a name for a text', (_name, html, texto) => {
    const [fila] = DOS.map((c) =>
      celdas(c, 2025).map(([heading, valor]): [string, string] => [
        heading,
        heading.startsWith('Nombre') ? html : valor,
      ]),
    );
    expect(read(conFilas([fila ?? []])).filas[0]).toMatchObject({ emisorNombre: texto, receptorNombre: texto });
  });

  it('is not fooled by a document type with entities', () => {
    const bomb = `<!DOCTYPE x [${Array.from({ length: 9 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`).join('')}]>`;
    const outcome = outcomeOf(withPanel(bomb + panelOf(respuestaCon(DOS))));
    if (!isIlegible(outcome)) expect(outcome).toEqual(read(respuestaCon(DOS)));
  });

  it.each([
    ['latin1', (texto: string) => Buffer.from(texto).toString('latin1')],
    ['UTF-8 twice', (texto: string) => Buffer.from(Buffer.from(texto).toString('latin1')).toString('latin1')],
    ['lost letters', (texto: string) => Buffer.from(texto, 'latin1').toString()],
  ])('does not read a text in the wrong encoding (%s)', (_name, recode) => {
    const texto = respuestaCon(DOS);
    expect(isIlegible(outcomeOf(recode(texto)))).toBe(true);
    expect(isIlegible(outcomeOf(withPanel(recode(panelOf(texto)))))).toBe(true);
  });

  const tabla = tablaDe(DOS.map((c) => celdas(c, 2025)));
  const vacia = tablaDe([]);

  it('believes an empty table with all headings in a shown panel of results', () => {
    expect(read(respuesta({ tabla: vacia, muestraFilas: true, diceQueNoHay: false }))).toEqual({
      filas: [],
      topada: false,
    });
  });

  it.each([
    ['both panels', respuesta({ tabla, muestraFilas: true, diceQueNoHay: true })],
    ['neither panel', respuesta({ tabla: '', muestraFilas: false, diceQueNoHay: false })],
    ['the empty panel beside rows', respuesta({ tabla, muestraFilas: false, diceQueNoHay: true })],
    ['results without a table', respuesta({ tabla: '', muestraFilas: true, diceQueNoHay: false })],
    ['a cap without rows', respuesta({ tabla: vacia, muestraFilas: true, diceQueNoHay: false, saysLimit: true })],
    [
      'a folio whose row is lost',
      respuesta({
        tabla: `${vacia}<input name="ListaFolios" value=${DOS[0]?.uuid} />`,
        muestraFilas: true,
        diceQueNoHay: false,
      }),
    ],
    ['two panels of results', respuestaCon([]) + respuestaCon([])],
    ['no panel of results', delta([['hiddenField', '__VIEWSTATE', 'x']])],
  ])('does not believe %s', (_name, texto) => {
    expect(isIlegible(outcomeOf(texto))).toBe(true);
  });

  it('reports the error panel of the page, whatever the other panels say, unless it is hidden', () => {
    const paneles = { tabla: '', muestraFilas: false, diceQueNoHay: true };
    expect(outcomeOf(respuesta({ ...paneles, errores: 'La fecha no es válida' }))).toMatchObject({
      motivo: 'SERVICIO_CON_ERROR',
      codigo: 'BUSQUEDA',
    });
    expect(read(respuesta({ ...paneles, errores: '<script>x()</script> ' }))).toEqual({ filas: [], topada: false });
  });

  it('is a list of whole rows or a typed error for any damage', () => {
    const panel = panelOf(respuestaCon(DOS));
    const damage = fc.record({
      from: fc.nat(panel.length),
      length: fc.nat(200),
      put: fc.constantFrom('', '<', '>', '"', '</table>', '<tr>', '<td>', '<table>', '&', '\u0000', '|', '<!--'),
    });
    fc.assert(
      fc.property(fc.array(damage, { minLength: 1, maxLength: 3 }), (damages) => {
        let texto = panel;
        for (const { from, length, put } of damages) texto = texto.slice(0, from) + put + texto.slice(from + length);
        const outcome = outcomeOf(withPanel(texto));
        if (outcome instanceof SatError) return;
        const { filas } = outcome as ReturnType<typeof read>;
        for (const fila of filas) {
          expect(fila).toMatchObject({ receptorRfc: RFC, total: expect.any(Number) });
          expect(fila.uuid).toMatch(/^[0-9A-F-]{36}$/);
        }
      }),
      { numRuns: 300 },
    );
  });
});
