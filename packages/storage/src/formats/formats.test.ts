import { buffer as readAll } from 'node:stream/consumers';
import { FORMATOS, type Formato } from '@acuse/contract';
import type { PlanEnsamble } from '@acuse/core';
import { readXlsx } from 'hucre/xlsx';
import { describe, expect, test } from 'vitest';
import { query, type ReadRow, readMetadata } from '../../testing/read-formats.ts';
import { run } from '../../testing/run-transformer.ts';
import { expectedCsv, type SatRow, satRow, satText } from '../../testing/sat-rows.ts';
import { readZip, zipBytes } from '../../testing/zip-bytes.ts';
import { assemble } from '../assemble/assemble.ts';
import { createZipWriter } from '../assemble/zip-writer.ts';
import { paqueteKey } from '../keys.ts';
import { createMemoryStore } from '../memoria.ts';
import { DEFAULT_LIMITS } from '../zip/sat-package.ts';
import { COLUMNS, CSV_COLUMNS, Incomplete, metadataLayout } from './columns.ts';
import { type RenglonCfdi, xlsxOf } from './hoja.ts';
import type { SheetLimits } from './sheet.ts';
import { writeXlsx } from './xlsx.ts';

const signal = new AbortController().signal;
const layout = metadataLayout(false);

/** The entries of the ZIP in this format of one package with these texts. */
async function assembled(
  formato: Formato,
  texts: readonly (string | Buffer)[],
  terceros = '',
): Promise<Map<string, Buffer>> {
  const uuid = '45C5C344-DA01-497A-9271-5AA3852EE6AE';
  const entries = texts.map((content, index) => ({ name: `${uuid}_0${index + 1}.txt`, content }));
  const sat = zipBytes(terceros === '' ? entries : [...entries, { name: `${uuid}_tercero.txt`, content: terceros }]);
  const objects = new Map([['a', sat]]);
  const plan: PlanEnsamble = {
    solicitudId: 's1',
    rfc: 'EKU9003173C9',
    tipo: 'recibidos',
    desde: '2024-01-01',
    hasta: '2024-01-31',
    formato,
    partes: [
      {
        canal: 'soap',
        folio: 'f',
        recortar: false,
        confirmada: true,
        periodo: { inicio: '2024-01-01T00:00:00', fin: '2024-01-31T23:59:59' },
        paquetes: texts.length === 0 ? [] : [{ objectKey: 'a', paquete: 'a' }],
      },
    ],
  };
  await assemble({ store: createMemoryStore(objects), limits: DEFAULT_LIMITS, level: 6 }, plan, signal);
  return readZip(objects.get(paqueteKey('s1')) ?? Buffer.alloc(0));
}

/** What a reader of the format has to find for the row. */
function expectedRow(formato: Formato, row: SatRow): ReadRow {
  const names = COLUMNS.map(({ nombre }) => nombre);
  const values = expectedCsv(row);
  const csv = values.map((value, column) => [
    names[column],
    value === '' ? null : names[column] === 'monto' ? Number(value) : value,
  ]);
  return Object.fromEntries([...csv, ...(formato === 'csv' ? [] : [['vigente', row.estatus === '1']])]);
}

const manifestOf = (zip: ReadonlyMap<string, Buffer>) => JSON.parse(String(zip.get('manifest.json')));

const ODD = [
  'DOÑA "PEPITA", S.A. DE C.V.',
  'línea uno\nlínea dos\n',
  '\ttabulador\t',
  '  con espacios  ',
  '=1+1',
  '+SUM(A1)',
  '@cmd|calc',
  '-2',
  '00123',
  '_x0041_ y _x000d_',
  "<b>&amp;</b> 'x' \\ /",
  'regreso\rsuelto',
  '\u0001\u001F\u007F\uFFFE\uFFFF',
  '🧾€ 日本',
  'Ñ'.repeat(10_000),
  'true',
  'null',
  '2024-01-01',
  '',
];

describe.each(FORMATOS)('as %s', { timeout: 120_000 }, (formato) => {
  test('every row says what the CSV says, in its order', async () => {
    const rows = Array.from({ length: 25_000 }, (_, index) => satRow(index));
    const zip = await assembled(formato, [satText(rows.slice(0, 9_000)), satText(rows.slice(9_000))]);
    expect(await readMetadata(formato, zip)).toEqual(rows.map((row) => expectedRow(formato, row)));
  });

  test('odd texts come back as they are', async () => {
    const rows = ODD.map((nombreEmisor, index) => satRow(index, { nombreEmisor, nombreReceptor: 'Ñ&' }));
    const zip = await assembled(formato, [satText(rows)]);
    expect(await readMetadata(formato, zip)).toEqual(rows.map((row) => expectedRow(formato, row)));
    expect(manifestOf(zip).valores_incompletos).toEqual({});
  });

  test('NUL comes back, and invalid UTF-8, such as half a surrogate pair, as U+FFFD', async () => {
    const rows = [satRow(0, { nombreEmisor: 'a\0b' }), satRow(1, { nombreEmisor: 'x@@@y' })];
    const text = Buffer.from(satText(rows));
    Buffer.from([0xed, 0xa0, 0x80]).copy(text, text.indexOf('@@@'));
    const read = await readMetadata(formato, await assembled(formato, [text]));
    expect(read.map(({ nombre_emisor }) => nombre_emisor)).toEqual(['a\0b', 'x\uFFFD\uFFFD\uFFFDy']);
  });

  test('no rows leave a file that says which columns there would be', async () => {
    const zip = await assembled(formato, []);
    if (formato === 'ndjson') expect(String(zip.get('metadata.ndjson'))).toBe('');
    else if (formato === 'xlsx')
      expect((await readXlsx(zip.get('metadata.xlsx') ?? Buffer.alloc(0))).sheets[0]?.rows).toEqual([
        COLUMNS.map(({ nombre }) => nombre),
      ]);
    else {
      const files = new Map([...zip].filter(([name]) => name.startsWith('metadata')));
      const described = await query(files, `DESCRIBE SELECT * FROM '$dir/metadata.${formato}'`);
      expect(described.map(({ column_name }) => column_name)).toEqual(
        COLUMNS.slice(0, formato === 'csv' ? CSV_COLUMNS : undefined).map(({ nombre }) => nombre),
      );
      expect(await readMetadata(formato, zip)).toEqual([]);
    }
    expect(manifestOf(zip)).toMatchObject({ formato, registros: 0, archivos: [`metadata.${formato}`] });
  });

  test('third parties are joined, and a CFDI without any has none', async () => {
    const [first, second] = [satRow(0), satRow(1)];
    const terceros = [
      'Uuid~RfcACuentaTerceros~NombreACuentaTerceros',
      `${first.uuid}~AAA010101AAA~"Uno", S.A.`,
      `${first.uuid}~BBB010101BBB~Dos`,
      '',
    ].join('\r\n');
    const read = await readMetadata(formato, await assembled(formato, [satText([first, second])], terceros));
    expect(read.map((row) => [row['rfc_a_cuenta_terceros'], row['nombre_a_cuenta_terceros']])).toEqual([
      ['AAA010101AAA|BBB010101BBB', '"Uno", S.A.|Dos'],
      [null, null],
    ]);
  });

  test('the manifest names its files and describes every column', async () => {
    const zip = await assembled(formato, [satText([satRow(0)])]);
    const { archivos, columnas, entradas } = manifestOf(zip);
    expect(archivos).toEqual([`metadata.${formato}`]);
    expect(entradas[0].nombre).toBe(`metadata.${formato}`);
    const [row] = await readMetadata(formato, zip);
    expect(columnas.map(({ nombre }: { nombre: string }) => nombre)).toEqual(Object.keys(row ?? {}));
    // Texts, which a renaming of a type leaves alone: programs read these names.
    expect(Object.keys(columnas[0])).toEqual(['nombre', 'tipo', 'representacion', 'significado', 'nulo']);
    for (const columna of columnas)
      expect(columna).toEqual({
        nombre: expect.stringMatching(/^[a-z_]+$/),
        tipo: expect.stringMatching(/^(texto|fecha_hora|decimal|booleano)$/),
        representacion: expect.stringMatching(/./),
        significado: expect.stringMatching(/\.$/),
        nulo: expect.stringMatching(/^(nunca|(campo vacío|celda vacía|null|NULL) si .+)$/),
      });
  });
});

describe('a date or an amount that is none', () => {
  const rows = [
    satRow(0, { fechaEmision: '2024-02-30 10:00:00', monto: '1,160.00' }),
    satRow(1, { fechaCertificacion: '2024-01-01 24:00:00', monto: '$5' }),
    satRow(2, { monto: '9999999999999.00', fechaEmision: '2023-02-29 00:00:00' }),
    satRow(3, { monto: '-0100.5000000', fechaEmision: '2024-02-29 23:59:59' }),
    satRow(4, { monto: '999999999999.999999' }),
    satRow(5, { monto: '.5' }),
    satRow(6, { monto: '' }),
  ];
  const pick = (read: readonly ReadRow[]) =>
    read.map(({ monto, fecha_emision, fecha_certificacion_sat }) => [monto, fecha_emision, fecha_certificacion_sat]);
  const dates = (index: number) => [expectedCsv(satRow(index))[6], expectedCsv(satRow(index))[7]];

  test.each(['ndjson', 'parquet'] as const)('is null in %s, and counted', async (formato) => {
    const zip = await assembled(formato, [satText(rows)]);
    expect(pick(await readMetadata(formato, zip))).toEqual([
      [null, null, dates(0)[1]],
      [null, dates(1)[0], null],
      [null, null, dates(2)[1]],
      [-100.5, '2024-02-29T23:59:59', dates(3)[1]],
      [Number('999999999999.999999'), ...dates(4)],
      [null, ...dates(5)],
      [null, ...dates(6)],
    ]);
    expect(manifestOf(zip).valores_incompletos).toEqual({ fecha_emision: 2, fecha_certificacion_sat: 1, monto: 4 });
  });

  test('is text in a cell, and nothing is lost', async () => {
    const zip = await assembled('xlsx', [satText(rows)]);
    expect(pick(await readMetadata('xlsx', zip))).toEqual([
      ['1,160.00', '2024-02-30T10:00:00', dates(0)[1]],
      ['$5', dates(1)[0], '2024-01-01T24:00:00'],
      ['9999999999999.00', '2023-02-29T00:00:00', dates(2)[1]],
      [-100.5, '2024-02-29T23:59:59', dates(3)[1]],
      ['999999999999.999999', ...dates(4)],
      ['.5', ...dates(5)],
      [null, ...dates(6)],
    ]);
    expect(manifestOf(zip).valores_incompletos).toEqual({});
  });

  test('amounts are exact to the last place in parquet, and add up', async () => {
    const monto = ['0.1', '0.2', '123456789012.123456'];
    const zip = await assembled('parquet', [satText(monto.map((each, index) => satRow(index, { monto: each })))]);
    const files = new Map([['m.parquet', zip.get('metadata.parquet') ?? Buffer.alloc(0)]]);
    expect(await query(files, `SELECT sum(monto)::VARCHAR AS total FROM '$dir/m.parquet'`)).toEqual([
      { total: '123456789012.423456' },
    ]);
  });
});

describe('types', () => {
  test.each([
    ['parquet', 'DECIMAL(18,6)'],
    ['ndjson', 'DOUBLE'],
  ] as const)('of %s are those that DuckDB finds by itself', async (formato, money) => {
    const name = `metadata.${formato}`;
    const zip = await assembled(formato, [satText(Array.from({ length: 50 }, (_, index) => satRow(index)))]);
    const files = new Map([[name, zip.get(name) ?? Buffer.alloc(0)]]);
    const without = 'uuid, rfc_a_cuenta_terceros, nombre_a_cuenta_terceros';
    const described = await query(files, `DESCRIBE SELECT * EXCLUDE (${without}) FROM '$dir/${name}'`);
    const types = { texto: 'VARCHAR', fecha_hora: 'TIMESTAMP', decimal: money, entero: 'BIGINT', booleano: 'BOOLEAN' };
    expect(described.map(({ column_name, column_type }) => [column_name, column_type])).toEqual(
      COLUMNS.filter(({ nombre }) => !/^uuid$|terceros$/.test(nombre)).map(({ nombre, tipo }) => [nombre, types[tipo]]),
    );
  });
});

describe('a workbook', () => {
  /** Its files from rows of `metadata.csv` in chunks of this many, and the rows that each of them holds. */
  async function workbooks(chunks: readonly (readonly SatRow[])[], limits: Partial<SheetLimits>) {
    const writer = createZipWriter(1);
    const zip = readAll(writer.output);
    const rows = async function* () {
      for (const chunk of chunks) yield run(satText(chunk)).csv;
    };
    const all = { rows: 1_048_576, bytes: 2 ** 31, ...limits };
    const entries = await writeXlsx(writer, rows(), { name: 'metadata', layout }, new Incomplete(layout), {
      level: 1,
      limits: all,
    });
    await writer.finish();
    const files = await readZip(await zip);
    expect([...files.keys()]).toEqual(entries.map(({ nombre }) => nombre));
    const read = await Promise.all([...files].map((file) => readMetadata('xlsx', new Map([file]))));
    return { names: [...files.keys()], read };
  }
  const rowsOf = (count: number) => Array.from({ length: count }, (_, index) => satRow(index));

  test.each([
    [0, [0]],
    [10, [10]],
    [11, [10, 1]],
    [20, [10, 10]],
    [25, [10, 10, 5]],
  ])('of %i rows that has room for 10 goes on in another file, and none is empty for nothing', async (count, sizes) => {
    const rows = rowsOf(count);
    const { names, read } = await workbooks([rows.slice(0, 7), rows.slice(7)], { rows: 11 });
    expect(read.map(({ length }) => length)).toEqual(sizes);
    expect(names).toEqual(sizes.map((_, index) => (index === 0 ? 'metadata.xlsx' : `metadata-${index + 1}.xlsx`)));
    expect(read.flat()).toEqual(rows.map((row) => expectedRow('xlsx', row)));
  });

  test('ends its sheet before a ZIP would need ZIP64', async () => {
    const rows = rowsOf(4_000);
    const { read } = await workbooks([rows.slice(0, 2_000), rows.slice(2_000)], { bytes: 500_000 });
    expect(read.map(({ length }) => length)).toEqual([2_000, 2_000]);
  });

  test('cuts a text that no cell holds, never through a character, and counts it', async () => {
    const names = ['x'.repeat(32_767), 'x'.repeat(40_000), `${'x'.repeat(32_766)}🧾🧾`];
    const zip = await assembled('xlsx', [satText(names.map((nombreEmisor, index) => satRow(index, { nombreEmisor })))]);
    const read = await readMetadata('xlsx', zip);
    expect(read.map(({ nombre_emisor }) => String(nombre_emisor).length)).toEqual([32_767, 32_767, 32_766]);
    expect(manifestOf(zip).valores_incompletos).toEqual({ nombre_emisor: 2 });
  });

  test('has no formula in it, whatever a text begins with', async () => {
    const zip = await assembled('xlsx', [satText(ODD.map((nombreEmisor, index) => satRow(index, { nombreEmisor })))]);
    const workbook = await readZip(zip.get('metadata.xlsx') ?? Buffer.alloc(0));
    expect(String(workbook.get('xl/worksheets/sheet1.xml'))).not.toMatch(/<f[ >/]/);
  });
});

describe('a workbook of CFDI that are known', () => {
  const RENGLON: RenglonCfdi = {
    uuid: '5C8F2B1E-9D34-4A7B-8C60-1F2E3D4C5B6A',
    emisor: { rfc: 'PRO010101AB1', nombre: '=HYPERLINK("http://x"), "S.A."\n+1' },
    receptor: { rfc: 'ACU200101DB1', nombre: null },
    rfcPac: null,
    emitidaEn: '2026-01-31T10:32:07',
    certificadaEn: null,
    monto: '1160.10',
    efecto: 'I',
    estatus: 'AUSENTE',
    canceladaEn: null,
    tercero: { rfc: 'TER010101AB1', nombre: '@Tercero' },
  };

  test('has a cell of text for every text, and a row for each, however many come at once', async () => {
    async function* lots() {
      yield [RENGLON, { ...RENGLON, estatus: 'VIGENTE' }];
      yield [];
      yield [{ ...RENGLON, monto: null, tercero: null }];
    }
    const content = await readAll(xlsxOf(lots()));
    const read = await readMetadata('xlsx', new Map([['metadata.xlsx', content]]));
    expect(read.map(({ monto, vigente, estatus }) => [monto, vigente, estatus])).toEqual([
      [1160.1, false, 'AUSENTE'],
      [1160.1, true, 'VIGENTE'],
      [null, false, 'AUSENTE'],
    ]);
    expect(read[0]).toMatchObject({
      uuid: RENGLON.uuid,
      nombre_emisor: RENGLON.emisor.nombre,
      fecha_emision: RENGLON.emitidaEn,
      rfc_receptor: 'ACU200101DB1',
      nombre_receptor: null,
      nombre_a_cuenta_terceros: '@Tercero',
    });
    const sheet = (await readZip(content)).get('xl/worksheets/sheet1.xml')?.toString() ?? '';
    expect(sheet).not.toContain('<f>');
  });

  test('breaks off with what it is made of', async () => {
    async function* lots() {
      yield [RENGLON];
      throw new Error('database away');
    }
    await expect(readAll(xlsxOf(lots()))).rejects.toThrow('database away');
  });
});
