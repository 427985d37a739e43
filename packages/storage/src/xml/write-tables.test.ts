import { FORMATOS } from '@acuse/contract';
import { parse } from 'csv-parse/sync';
import { readXlsx } from 'hucre/xlsx';
import { describe, expect, test } from 'vitest';
import { assembled, memberOf, rowsOf } from '../../testing/assembled-xml.ts';
import { cfdiXml } from '../../testing/cfdi-xml.ts';
import { query } from '../../testing/read-formats.ts';
import { type SatRow, satRow } from '../../testing/sat-rows.ts';
import type { ObjectStore } from '../object-store.ts';

const PAGO20 = 'http://www.sat.gob.mx/Pagos20';

/** A CFDI of payment with these attributes of its payment and of its one document. */
const paymentOf = (row: SatRow, pago: string, documento: string) =>
  cfdiXml(row)
    .replace(
      '<cfdi:Complemento>',
      `$&<p:Pagos xmlns:p="${PAGO20}"><p:Pago ${pago}><p:DoctoRelacionado ${documento}/></p:Pago></p:Pagos>`,
    )
    .replace(/TipoDeComprobante="."/, 'TipoDeComprobante="P"');

describe.each(FORMATOS)('tables as %s', { timeout: 60_000 }, (formato) => {
  const rows = rowsOf(12).map((row, index) => (index === 2 ? { ...row, efecto: 'I' } : row));
  const [a, b, c] = rows as [SatRow, SatRow, SatRow];
  const documento = 'IdDocumento="x" EquivalenciaDR="0.0512345678" NumParcialidad="3" ImpPagado="99.5"';
  const members = [
    {
      name: 'a.xml',
      content: paymentOf(a, 'FechaPago="2024-01-09T12:30:00" Monto="1234.567890" MonedaP="MXN"', documento),
    },
    {
      name: 'b.xml',
      content: paymentOf(b, 'FechaPago="ayer" Monto="1e3" MonedaP="&quot;USD&quot;,&#10;"', 'NumParcialidad="1.5"'),
    },
    { name: 'c.xml', content: cfdiXml(c, 3) },
  ];
  const world = {
    rows,
    packages: [members, rows.slice(3).map((row) => memberOf(row))],
    tablas: true,
    plan: { formato },
  };

  test('have the same rows in every format, typed, and say which values they could not hold', async () => {
    const { zip, manifest } = await assembled(world);
    const [conceptos, impuestos, pagos, related] = manifest.tablas;
    // Payrolls have no rows.
    const withRows = rows.filter(({ efecto }) => efecto !== 'N');
    expect(withRows).toHaveLength(11);
    expect([conceptos.filas, impuestos.filas, pagos.filas, related.filas]).toEqual([
      withRows.length + 2,
      withRows.length + 2,
      2,
      0,
    ]);
    expect(manifest.tablas.map(({ archivos }: { archivos: string[] }) => archivos)).toEqual(
      ['conceptos', 'impuestos', 'pagos', 'relacionados'].map((name) => [`${name}.${formato}`]),
    );
    expect(manifest.tablas_sin_nomina).toContain('nómina');
    const strict = formato === 'ndjson' || formato === 'parquet';
    const misfits = Object.fromEntries(['fecha_pago', 'monto', 'num_parcialidad'].map((name) => [name, 1]));
    expect(pagos.valores_incompletos).toEqual(strict ? misfits : {});
    const text = (value: string) => (strict ? null : value);
    const read = await readTable('pagos');
    const names = [
      'uuid',
      'numero',
      'fecha_pago',
      'moneda',
      'monto',
      'equivalencia_dr',
      'num_parcialidad',
      'imp_pagado',
    ];
    expect(read.map((row) => names.map((name) => row[name]))).toEqual([
      [a.uuid, 1, '2024-01-09T12:30:00', 'MXN', 1234.56789, 0.0512345678, 3, 99.5],
      [b.uuid, 1, text('ayer'), '"USD",\n', text('1e3'), null, text('1.5'), null],
    ]);
    expect(
      (await readTable('conceptos')).slice(2, 5).map((row) => [row['uuid'], row['numero'], row['importe']]),
    ).toEqual([1, 2, 3].map((number) => [c.uuid, number, number * 10.5]));

    /** Rows of a table with numbers as numbers. */
    async function readTable(name: string): Promise<Record<string, unknown>[]> {
      const file = `${name}.${formato}`;
      const content = zip.get(file) ?? Buffer.alloc(0);
      const { columnas } = manifest.tablas.find(({ tabla }: { tabla: string }) => tabla === name);
      const types = new Map(columnas.map((each: { nombre: string; tipo: string }) => [each.nombre, each.tipo]));
      const typed = (column: string, value: unknown) => {
        if (value === null || value === '' || value === undefined) return null;
        if (value instanceof Date) return value.toISOString().slice(0, 19);
        if (column === 'uuid') return String(value).toUpperCase();
        if (types.get(column) === 'fecha_hora') return String(value).replace(' ', 'T');
        const isNumber = ['decimal', 'entero'].includes(String(types.get(column))) && /^-?[\d.]+$/.test(String(value));
        return isNumber && String(value) !== '1.5' ? Number(value) : value;
      };
      const read = await rawRows(file, content);
      return read.map((row) => Object.fromEntries(Object.entries(row).map(([key, value]) => [key, typed(key, value)])));
    }

    async function rawRows(file: string, content: Buffer): Promise<Record<string, unknown>[]> {
      if (formato === 'csv') return parse(content, { columns: true, record_delimiter: '\r\n' });
      if (formato === 'xlsx') {
        const [header = [], ...cells] = (await readXlsx(content)).sheets[0]?.rows ?? [];
        return cells.map((row) => Object.fromEntries(header.map((key, column) => [String(key), row[column]])));
      }
      const source = formato === 'ndjson' ? `read_json('$dir/${file}', format = 'nd')` : `'$dir/${file}'`;
      return query(new Map([[file, content]]), `SELECT * FROM ${source}`);
    }
  });

  test('have the same bytes at every assembly', async () => {
    expect((await assembled(world)).sha256).toBe((await assembled(world)).sha256);
  });
});

test('tables have each CFDI of the ZIP once: none that came twice, was kept aside, or was left out', async () => {
  const rows = [0, 1, 2, 5].map((index) => satRow(index, { estatus: '1', efecto: 'I' }));
  const [a, b, c, d] = rows as [SatRow, SatRow, SatRow, SatRow];
  const early = satRow(7, { fechaEmision: '2023-01-01 00:00:00' });
  const { zip } = await assembled({
    rows: [a, b, c],
    packages: [
      [
        memberOf(b),
        memberOf(b, 'again.xml'),
        { name: 'other.xml', content: cfdiXml(b, 9) },
        { name: 'x.xml', content: 'x' },
      ],
      [memberOf(early), memberOf(b), memberOf(d), memberOf(a)],
    ],
    tablas: true,
  });
  const conceptos = parse(zip.get('conceptos.csv') ?? '', { columns: true }) as Record<string, string>[];
  expect(conceptos.map(({ uuid }) => uuid)).toEqual([b, d, a].map(({ uuid }) => uuid));
  expect([...zip.keys()].filter((name) => !name.startsWith('cfdi/'))).toEqual([
    'apartados/001-P=2F0/other.xml',
    'apartados/001-P=2F0/x.xml',
    ...['metadata', 'faltantes', 'sin-metadata', 'conceptos', 'impuestos', 'pagos', 'relacionados'].map(
      (name) => `${name}.csv`,
    ),
    'originales/001-m/45C5C344-DA01-497A-9271-5AA3852EE6AE_01.txt',
    'entradas-cfdi.csv',
    'manifest.json',
    'firma.json',
  ]);
});

test('tables read a package only for the tables that have rows of it', async () => {
  const rows = [satRow(0, { estatus: '1', efecto: 'I' }), satRow(4, { estatus: '1', efecto: 'N' })];
  const reads: string[] = [];
  const through = (store: ObjectStore): ObjectStore => ({
    ...store,
    read(key, ...rest) {
      reads.push(key);
      return store.read(key, ...rest);
    },
  });
  await assembled({ rows, packages: rows.map((row) => [memberOf(row)]), tablas: true, through });
  // Two reads an opening: its directory, its members. CFDI; conceptos, impuestos.
  expect(reads.filter((key) => key === 'x0')).toHaveLength(6);
  // A payroll has rows of none; the first table finds that out.
  expect(reads.filter((key) => key === 'x1')).toHaveLength(4);
});
