import { isUtf8 } from 'node:buffer';
import type { Filtros } from '@acuse/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { limits, motivoOf, rowsOf, run } from '../../testing/run-transformer.ts';
import {
  expectedCsv,
  qualify,
  SAT_HEADER,
  type SatRow,
  satLine,
  satRow,
  satText,
  TERCEROS_HEADER,
} from '../../testing/sat-rows.ts';

/**
 * A name with everything that has been troublesome: lone line ends, quotation marks, commas, pipes, several bytes a
 * character.
 */
const piece = fc.constantFrom(
  'A',
  'z',
  ' ',
  '"',
  ',',
  '|',
  '\n',
  '\r',
  'Ñ',
  'é',
  '&',
  "'",
  '🧾',
  '€',
  '=',
  ';',
  '\t',
  'S.A. DE C.V.',
  '""',
  '~',
);
const name = (lineEnd: string) =>
  fc
    .array(piece, { maxLength: 12 })
    .map((pieces) => pieces.join(''))
    // A line end inside a name cannot be told from the end of the record, nor a pipe before a separator from a closing
    // one.
    .map((text) =>
      lineEnd === '\n' ? text.replaceAll('\n', '') : text.replaceAll('\r', '\r ').replaceAll('\r \n', '\n'),
    )
    .map((text) => text.replace(/\r$/, '').replaceAll('|~', '~'))
    .filter((text) => !(text.includes('\r\n') || (qualify(text) !== text && /\|(\r?\n|~)/.test(text))));

const generatedRow = (lineEnd: string): fc.Arbitrary<SatRow> =>
  fc
    .record({
      index: fc.nat(1_000_000),
      nombreEmisor: name(lineEnd),
      nombreReceptor: name(lineEnd),
      rfcPac: fc.constantFrom('SPR190613I52', '', 'Ñ&A010101AAA'),
      estatus: fc.constantFrom('0', '1'),
      isLower: fc.boolean(),
    })
    .map(({ index, isLower, ...rest }) => {
      const row = satRow(index, rest);
      return isLower ? { ...row, uuid: row.uuid.toLowerCase() } : row;
    });

describe('rows that csv-parse reads back', () => {
  test.each(['\r\n', '\n'])('are the rows that were generated, wherever the chunks end (%j)', (lineEnd) => {
    fc.assert(
      fc.property(
        fc.array(generatedRow(lineEnd), { maxLength: 12 }),
        fc.array(fc.nat(4000), { maxLength: 30 }),
        fc.boolean(),
        (rows, cuts, hasLastEnd) => {
          const text = satText(rows, lineEnd);
          const { csv, transformer } = run(hasLastEnd ? text : text.slice(0, -lineEnd.length), cuts);
          expect(rowsOf(csv)).toEqual(rows.map((row) => expectedCsv(row)));
          expect(transformer.registros).toBe(rows.length);
        },
      ),
      { numRuns: 500 },
    );
  });

  test('are the same in chunks longer than the joined bytes, also around records longer than those', () => {
    const long = (index: number) => ({ nombreEmisor: `"${'ñ,\n'.repeat(index % 7 === 0 ? 1_500 : 2)}${index}"` });
    const text = satText(Array.from({ length: 100 }, (_, index) => satRow(index, long(index))));
    const { csv } = run(text);
    const cuts = fc.array(fc.nat(Buffer.byteLength(text)), { maxLength: 6 });
    fc.assert(fc.property(cuts, (each) => run(text, each).csv.equals(csv)));
  });

  test('are the same when the columns come in another order, which takes the general way for every record', () => {
    fc.assert(
      fc.property(fc.array(generatedRow('\r\n'), { minLength: 1, maxLength: 8 }), (rows) => {
        const order = [11, 3, 0, 7, 5, 1, 2, 10, 9, 8, 6, 4];
        const reorder = (fields: readonly string[]) => order.map((at) => fields[at]).join('~');
        const lines = rows.map((row) => reorder(Object.values(row).map((value) => qualify(value as string))));
        const shuffled = [reorder(SAT_HEADER.split('~')), ...lines].map((line) => `${line}\r\n`).join('');
        expect(run(shuffled).csv).toEqual(run(satText(rows)).csv);
      }),
    );
  });

  test('are the same for one byte at a time', () => {
    const rows = Array.from({ length: 40 }, (_, index) => satRow(index, { nombreEmisor: `"Ñ,\n${index}"` }));
    const text = satText(rows);
    const each = Array.from({ length: Buffer.byteLength(text) }, (_, at) => at);
    expect(run(text, each).csv).toEqual(run(text).csv);
  });

  test('are all there when they are more than the output holds at once', () => {
    const rows = Array.from({ length: 5000 }, (_, index) => satRow(index));
    expect(rowsOf(run(satText(rows)).csv)).toEqual(rows.map((row) => expectedCsv(row)));
  });
});

describe('the text of the SAT', () => {
  test('gives the bytes of the documented format', () => {
    const row = satRow(9, { nombreEmisor: 'LA "BUENA", SA', nombreReceptor: 'UNA\nDOS' });
    expect(run(satText([row])).csv.toString()).toBe(
      `${row.uuid},${row.rfcEmisor},"LA ""BUENA"", SA",EKU9003173C9,"UNA\nDOS",SPR190613I52,2024-01-10T09:09:03,2024-01-10T09:09:03,333.09,P,CANCELADO,2024-02-10T12:00:00,,\r\n`,
    );
  });

  test('may begin with a byte order mark, and name its columns in any letter case, between qualifiers, or by an alias', () => {
    const rows = [satRow(1), satRow(2)];
    const plain = run(satText(rows)).csv;
    const withHeader = (header: string) => run(satText(rows).replace(SAT_HEADER, header)).csv;
    expect(withHeader(`\uFEFF${SAT_HEADER}`)).toEqual(plain);
    expect(withHeader(SAT_HEADER.toUpperCase())).toEqual(plain);
    expect(withHeader(SAT_HEADER.replaceAll(/[^~]+/g, '|$&|'))).toEqual(plain);
    expect(withHeader(SAT_HEADER.replace('RfcPac', 'PacCertifico'))).toEqual(plain);
  });

  test('may have columns that we do not know: they are named and left out', () => {
    const text = `${SAT_HEADER}~Nueva\r\n${satLine(satRow(1))}~valor, "nuevo"\r\n`;
    const { csv, transformer } = run(text);
    expect(rowsOf(csv)).toEqual([expectedCsv(satRow(1))]);
    expect(transformer.extraColumns).toEqual(['Nueva']);
  });

  test('may have no rows, and blank lines', () => {
    expect(run(`${SAT_HEADER}\r\n`).transformer.registros).toBe(0);
    expect(run(SAT_HEADER).transformer.registros).toBe(0);
    expect(run(`${SAT_HEADER}\r\n\r\n${satLine(satRow(1))}\r\n\r\n`).transformer.registros).toBe(1);
  });

  test('that is not UTF-8 comes out as UTF-8 with U+FFFD, every row kept', () => {
    const rows = [satRow(1, { nombreEmisor: 'PEÑA' }), satRow(2)];
    const csv = run(Buffer.from(satText(rows), 'latin1')).csv;
    expect(isUtf8(csv)).toBe(true);
    expect(rowsOf(csv).map((row) => row[2])).toEqual(['PE\uFFFDA', rows[1]?.nombreEmisor.replace('Ú', '\uFFFD')]);
  });

  test('with rows outside of the period is cut to it, both ends included', () => {
    const at = (fechaEmision: string) => satRow(1, { fechaEmision });
    const inside = [at('2024-01-05 00:00:00'), at('2024-01-06 23:59:59')];
    const outside = [at('2024-01-04 23:59:59'), at('2024-01-07 00:00:00')];
    const quoted = [...inside, ...outside].map((row) => ({ ...row, nombreEmisor: '"' }));
    const recortar = { inicio: '2024-01-05T00:00:00', fin: '2024-01-06T23:59:59' };
    const { csv, transformer } = run(satText([...inside, ...outside, ...quoted]), [], { recortar });
    expect(rowsOf(csv).map((row) => row[6])).toEqual(
      Array(2).fill(['2024-01-05T00:00:00', '2024-01-06T23:59:59']).flat(),
    );
    expect([transformer.registros, transformer.recortados]).toEqual([4, 4]);
  });
});

describe('filters of the request', () => {
  const kinds = ['I', 'E', 'T', 'N', 'P'] as const;
  const rows = Array.from({ length: 60 }, (_, at) =>
    satRow(at, {
      efecto: kinds[at % 5] ?? 'I',
      estatus: at % 3 === 0 ? '0' : '1',
      rfcEmisor: ['ACU200101DB1', 'Ñ&A010203AB1', 'EKU9003173C9'][at % 4] ?? 'XIQB891116QE4',
      // A name in quotation marks takes the long way through the record.
      ...(at % 2 === 0 ? { nombreEmisor: '","' } : {}),
    }),
  );

  test.each<readonly [string, Filtros, (row: SatRow) => boolean]>([
    ['a state', { estado_comprobante: 'vigente' }, (row) => row.estatus === '1'],
    ['the other state', { estado_comprobante: 'cancelado' }, (row) => row.estatus === '0'],
    ['a kind', { tipo_comprobante: 'P' }, (row) => row.efecto === 'P'],
    ['counterparties', { rfc_contraparte: ['EKU9003173C9', 'Ñ&A010203AB1'] }, (row) => /^[EÑ]/.test(row.rfcEmisor)],
    [
      'all of them',
      { estado_comprobante: 'vigente', tipo_comprobante: 'I', rfc_contraparte: ['ACU200101DB1'] },
      (row) => row.estatus === '1' && row.efecto === 'I' && row.rfcEmisor === 'ACU200101DB1',
    ],
  ])('let the rows of %s pass and count the others', (_name, filtros, passes) => {
    const kept = rows.filter(passes);
    expect(kept.length).toBeGreaterThan(0);
    const { csv, transformer, resumen } = run(satText(rows), [], { filtros });
    expect(rowsOf(csv)).toEqual(kept.map((row) => expectedCsv(row)));
    expect([transformer.registros, transformer.filtrados]).toEqual([kept.length, rows.length - kept.length]);
    expect(resumen.total.cancelados).toBe(kept.filter(({ estatus }) => estatus === '0').length);
  });
});

describe('third parties', () => {
  const rows = [satRow(1), satRow(2), satRow(3, { nombreEmisor: '","' })];

  test('are joined by UUID whatever its letter case, and several of one CFDI with a pipe, each once', () => {
    const terceros = [
      TERCEROS_HEADER,
      `${rows[0]?.uuid.toLowerCase()}~AAA010101AAA~UNO, "EL" PRIMERO`,
      `${rows[2]?.uuid}~AAA010101AAA~UNO`,
      `${rows[2]?.uuid.toLowerCase()}~BBB010101BBB~ÑANDÚ`,
      `${rows[2]?.uuid}~AAA010101AAA~UNO`,
      `00000000-0000-0000-0000-000000000000~CCC010101CCC~NADIE`,
    ];
    const { csv } = run(satText(rows), [], { terceros: terceros.join('\r\n') });
    expect(rowsOf(csv)).toEqual([
      expectedCsv(satRow(1), ['AAA010101AAA', 'UNO, "EL" PRIMERO']),
      expectedCsv(satRow(2)),
      expectedCsv(satRow(3, { nombreEmisor: '","' }), ['AAA010101AAA|BBB010101BBB', 'UNO|ÑANDÚ']),
    ]);
  });

  test('have room in the output even when their names are longer than it', () => {
    const nombre = 'Ñ"'.repeat(15_000);
    const lines = Array.from({ length: 8 }, (_, index) => `${rows[0]?.uuid}~RFC${index}~${index}${nombre}`);
    const { csv } = run(satText(rows), [], { terceros: [TERCEROS_HEADER, ...lines].join('\n') });
    expect(rowsOf(csv)[0]?.[13]).toBe(lines.map((_, index) => `${index}${nombre}`).join('|'));
    expect(rowsOf(csv)[1]).toEqual(expectedCsv(satRow(2)));
  });

  test('beyond the limit are refused', () => {
    const many = Array.from({ length: limits.maxRegistros + 1 }, (_, index) => `${satRow(index).uuid}~A~B`);
    const work = () => run(satText(rows), [], { terceros: [TERCEROS_HEADER, ...many].join('\r\n') });
    expect(motivoOf(work).motivo).toBe('DEMASIADO_GRANDE');
  });

  test('of one CFDI beyond a thousand are refused', () => {
    const many = Array.from({ length: 1001 }, (_, index) => `${satRow(1).uuid}~A${index}~B`);
    const work = () => run(satText(rows), [], { terceros: [TERCEROS_HEADER, ...many].join('\r\n') });
    expect(motivoOf(work)).toMatchObject({
      motivo: 'DEMASIADO_GRANDE',
      message: expect.stringContaining(satRow(1).uuid),
    });
  });
});

describe('a text that cannot be trusted is refused and says where', () => {
  const good = satRow(1);
  const fila = (line: string) => motivoOf(() => run(`${satText([good, good])}${line}\r\n`));

  test.each([
    ['a field too few', satLine(good).split('~').slice(1).join('~')],
    ['a field too many', `${satLine(good)}~`],
    ['something that is not a UUID', satLine({ ...good, uuid: good.uuid.replace('-', '0') })],
    ['a UUID with a letter that is not a digit', satLine({ ...good, uuid: `G${good.uuid.slice(1)}` })],
    ['no date of issue', satLine({ ...good, fechaEmision: '' })],
    ['a date in another format', satLine({ ...good, fechaEmision: '01/02/2024 10:00:00' })],
    ['a certification date that is none', satLine({ ...good, fechaCertificacion: '2024-01-01' })],
    ['a cancellation date that is none', satLine({ ...good, fechaCancelacion: 'ayer' })],
    ['a state that is neither 0 nor 1', satLine({ ...good, estatus: '2' })],
    ['a state of two digits', satLine({ ...good, estatus: '10' })],
    ['an unterminated text', `${satLine(good)}${'x'.repeat(70_000)}`],
  ])('%s', (_name, line) => {
    const { motivo, message } = fila(line);
    expect(motivo).toBe('FILA');
    expect(message).toContain('registro 3');
  });

  test('a date with something behind it, however the lines end', () => {
    const cancelled = satRow(9);
    for (const lineEnd of ['\r\n', '\n']) {
      const text = satText([cancelled, { ...cancelled, fechaCancelacion: `${cancelled.fechaCancelacion}x` }], lineEnd);
      expect(motivoOf(() => run(text))).toMatchObject({
        motivo: 'FILA',
        message: expect.stringContaining('registro 2'),
      });
    }
  });

  test('a column missing, twice, or no header', () => {
    const header = (text: string) => motivoOf(() => run(satText([]).replace(SAT_HEADER, text))).motivo;
    expect(header(SAT_HEADER.replace('~Monto', ''))).toBe('COLUMNAS');
    expect(header(`${SAT_HEADER}~Monto`)).toBe('COLUMNAS');
    expect(header('<html><body>Service unavailable</body></html>')).toBe('SIN_METADATA');
    expect(header(Array.from({ length: 80 }, (_, index) => `c${index}`).join('~'))).toBe('COLUMNAS');
    expect(motivoOf(() => run('')).motivo).toBe('COLUMNAS');
    expect(motivoOf(() => run('x'.repeat(70_000), [66_000])).motivo).toBe('COLUMNAS');
  });

  test('a record with more fields than a header may have', () => {
    expect(fila('~'.repeat(100))).toMatchObject({ motivo: 'FILA', message: expect.stringContaining('demasiados') });
  });
});
