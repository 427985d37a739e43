import { FORMATOS, type Formato } from '@acuse/contract';
import type { RowObserver } from '@acuse/core';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  assembled,
  chunked,
  ENERO,
  faltantesOf,
  hashOf,
  linesOf,
  memberOf,
  pathOf,
  rowsOf,
  xmlOf,
} from '../../testing/assembled-xml.ts';
import { cfdiXml } from '../../testing/cfdi-xml.ts';
import { readMetadata } from '../../testing/read-formats.ts';
import { type SatRow, satRow } from '../../testing/sat-rows.ts';
import { zipBytes } from '../../testing/zip-bytes.ts';
import { readCsv } from '../assemble/read-csv.ts';
import { CsvRow } from '../formats/csv-row.ts';
import { paqueteKey } from '../keys.ts';
import { createMemoryStore } from '../memoria.ts';
import type { ObjectStore } from '../object-store.ts';

const signal = new AbortController().signal;

describe('a ZIP with XML', { timeout: 60_000 }, () => {
  test.each(FORMATOS)('says in the last column of each row where its XML is, as %s', async (formato: Formato) => {
    const rows = rowsOf(50);
    const given = rows.filter((_, index) => index % 3 !== 0);
    const { zip } = await assembled({ rows, packages: [given.map((row) => memberOf(row))], plan: { formato } });
    const read = await readMetadata(formato, zip);
    expect(read.map(({ uuid, xml }) => [uuid, xml])).toEqual(
      rows.map((row) => [row.uuid, given.includes(row) ? pathOf(row) : null]),
    );
    expect(Object.keys(read[0] ?? {}).at(-1)).toBe('xml');
  });

  test('holds each document byte for byte, what is missing, and a hash of every entry', async () => {
    const rows = rowsOf(30);
    const members = rows.slice(3).map((row) => memberOf(row));
    const { zip, manifest, resumen } = await assembled({ rows, packages: [members.slice(0, 9), members.slice(9)] });
    expect([...zip.keys()].filter((name) => !name.startsWith('cfdi/'))).toEqual([
      'metadata.csv',
      'faltantes.csv',
      'originales/001-m/45C5C344-DA01-497A-9271-5AA3852EE6AE_01.txt',
      'entradas-cfdi.csv',
      'manifest.json',
      'firma.json',
    ]);
    expect([...zip.keys()].slice(0, 27)).toEqual(rows.slice(3).map(pathOf));
    for (const row of rows.slice(3)) expect(String(zip.get(pathOf(row)))).toBe(cfdiXml(row));
    expect(faltantesOf(zip)).toEqual(
      Object.fromEntries(rows.slice(0, 3).map(({ uuid }) => [uuid, 'NO_ENTREGADO_POR_EL_SAT'])),
    );
    const hashes = [...linesOf(zip, 'entradas-cfdi.csv'), ...manifest.entradas];
    const told = hashes.map(({ nombre, bytes, sha256 }) => [nombre, Number(bytes), sha256]);
    const real = [...zip].slice(0, -2).map(([nombre, content]) => [nombre, content.length, hashOf(content)]);
    expect(told.toSorted()).toEqual(real.toSorted());
    const porMotivo = { NO_ENTREGADO_POR_EL_SAT: 3 };
    expect(resumen.xml).toEqual({ esperados: 30, entregados: 27, faltantes: 3, porMotivo, sinMetadata: 0 });
    expect(manifest).toMatchObject({
      version: 1,
      contenido: 'xml',
      xml: { esperados: 30, entregados: 27, faltantes: 3, por_motivo: porMotivo, sin_metadata: 0, repetidos: 0 },
      partes_xml: [{ canal: 'soap', folio: 'g', motivo: null, ...ENERO }],
    });
    const [first] = manifest.partes_xml[0].paquetes;
    const bytes = zipBytes(members.slice(0, 9));
    expect(first).toMatchObject({ paquete: 'P/0', miembros: 9, bytes: bytes.length, sha256: hashOf(bytes) });
  });

  test('has the same bytes however the packages arrive', async () => {
    const rows = rowsOf(40);
    const entries = [...rows.map((row) => memberOf(row)), { name: 'x.xml', content: '<x/>' }];
    const digests = [];
    for (const chunkBytes of [10_000_000, 4_096, 61, 1]) {
      const { sha256 } = await assembled({ rows, packages: [entries], through: (store) => chunked(store, chunkBytes) });
      digests.push(sha256);
    }
    expect(new Set(digests).size).toBe(1);
  });

  test('takes the UUID of the stamp, whatever the member is called and however it is packed', async () => {
    const rows = rowsOf(8);
    const [a, b, c, d, e, f, g, h] = rows as [SatRow, SatRow, SatRow, SatRow, SatRow, SatRow, SatRow, SatRow];
    const lower = { ...e, uuid: e.uuid.toLowerCase() };
    const { zip } = await assembled({
      rows: [a, b, c, d, lower, f, g, h],
      packages: [
        [
          memberOf(a, `${a.uuid.toLowerCase()}.xml`),
          memberOf(b, `${b.uuid}.xml.xml`),
          memberOf(c, `${a.uuid}.XML`),
          memberOf(d, 'carpeta/otro nombre.xml'),
          memberOf(lower),
          { ...memberOf(f), method: 0 },
          { ...memberOf(g), trailing: Buffer.from('more') },
          { ...memberOf(h), offset: 0 },
        ].slice(0, 7),
      ],
    });
    expect(xmlOf(zip)).toEqual([a, b, c, d, e, f, g].map(pathOf));
    expect(String(zip.get(pathOf(f)))).toBe(cfdiXml(f));
    expect(String(zip.get(pathOf(g)))).toBe(cfdiXml(g));
    expect(faltantesOf(zip)).toEqual({ [h.uuid]: 'NO_ENTREGADO_POR_EL_SAT' });
  });

  test('has the documents in the order of their data, whatever that of the directory is', async () => {
    const rows = rowsOf(1_500);
    const through = (store: ObjectStore): ObjectStore => {
      const objects = new Map([['x0', withDirectoryReversed(zipBytes(rows.map((row) => memberOf(row))))]]);
      const reversed = createMemoryStore(objects);
      const from = (key: string) => (objects.has(key) ? reversed : store);
      return {
        ...store,
        stat: (key, ...rest) => from(key).stat(key, ...rest),
        read: (key, ...rest) => from(key).read(key, ...rest),
      };
    };
    const { zip } = await assembled({ rows, packages: [[]], through });
    expect(xmlOf(zip)).toEqual(rows.map(pathOf));
  });

  test('passes over junk and names it', async () => {
    const [row] = rowsOf(1) as [SatRow];
    const junk = ['__MACOSX/._a.xml', 'leeme.txt', 'vacio.xml', 'carpeta/'];
    const entries = junk.map((name) => ({ name, content: name.includes('vacio') || name.endsWith('/') ? '' : 'x' }));
    const { zip, manifest } = await assembled({ rows: [row], packages: [[...entries, memberOf(row)]] });
    expect(xmlOf(zip)).toEqual([pathOf(row)]);
    const [paquete] = manifest.partes_xml[0].paquetes;
    expect(paquete).toMatchObject({ miembros: 1, entradas_ignoradas_total: 4, entradas_ignoradas: junk });
  });

  test('keeps members aside that are no CFDI, under names that lead nowhere', async () => {
    const [a, b, c] = rowsOf(3) as [SatRow, SatRow, SatRow];
    const long = `${'ñ'.repeat(300)}.xml`;
    const bad = [
      { name: `${a.uuid.toLowerCase()}.xml.xml`, content: '<cfdi:Comprobante' },
      { name: 'dir/sub dir/é.xml', content: '<html/>' },
      { name: long, content: '<!DOCTYPE x><x/>' },
      { name: 'DIR/sub dir/é.xml', content: cfdiXml({ ...b, fechaEmision: '../../../etc/passwd' }) },
      { name: 'sin.xml', content: cfdiXml(b).replace(/UUID="[^"]*"/, 'UUID="../x"') },
    ];
    const { zip, manifest, resumen } = await assembled({ rows: [a, b, c], packages: [[...bad, memberOf(c)]] });
    const folder = 'apartados/001-P=2F0';
    const apartados = [
      [`${folder}/${a.uuid.toLowerCase()}.xml.xml`, 'TRUNCADO'],
      [`${folder}/dir=2Fsub=20dir=2F=C3=A9.xml`, 'NO_ES_CFDI'],
      [`${folder}/${hashOf(Buffer.from(long))}.xml`, 'CON_DTD'],
      [`${folder}/3/DIR=2Fsub=20dir=2F=C3=A9.xml`, 'FECHA_INVALIDA'],
      [`${folder}/sin.xml`, 'UUID_INVALIDO'],
    ];
    expect(manifest.xml.apartados).toEqual(apartados.map(([nombre, motivo]) => ({ nombre, motivo })));
    expect(manifest.xml.apartados_total).toBe(5);
    expect(apartados.map(([nombre = '']) => String(zip.get(nombre)))).toEqual(bad.map(({ content }) => content));
    expect(faltantesOf(zip)).toEqual({ [a.uuid]: 'XML_ILEGIBLE', [b.uuid]: 'XML_ILEGIBLE' });
    expect(resumen.xml?.porMotivo).toEqual({ XML_ILEGIBLE: 2 });
    expect(linesOf(zip, 'entradas-cfdi.csv').map(({ nombre }) => nombre)).toEqual([
      pathOf(c),
      ...apartados.map(([nombre]) => nombre),
    ]);
  });

  test('keeps members of equal names aside under names of their own', async () => {
    const names = ['2-a.xml', 'a.xml', 'A.xml', 'a.xml', '3/a.xml'];
    const members = names.map((name, index) => ({ name, content: `${index}` }));
    const { zip, manifest } = await assembled({ rows: rowsOf(1), packages: [members] });
    const nombres = manifest.xml.apartados.map(({ nombre }: { nombre: string }) => nombre);
    expect(new Set(nombres.map((nombre: string) => nombre.toLowerCase())).size).toBe(5);
    expect(nombres.map((nombre: string) => String(zip.get(nombre)))).toEqual(members.map(({ content }) => content));
  });

  test('keeps a member aside that is larger than any CFDI, without holding it in memory', async () => {
    const [row] = rowsOf(1) as [SatRow];
    const content = `<x>${'a'.repeat(34_000_000)}</x>`;
    const { zip, manifest } = await assembled({
      rows: [row],
      packages: [[{ name: 'grande.xml', content, method: 0 }, memberOf(row)]],
    });
    expect(manifest.xml.apartados).toEqual([{ nombre: 'apartados/001-P=2F0/grande.xml', motivo: 'DEMASIADO_GRANDE' }]);
    expect(zip.get('apartados/001-P=2F0/grande.xml')?.equals(Buffer.from(content))).toBe(true);
    expect(xmlOf(zip)).toEqual([pathOf(row)]);
  });

  test('holds a document of equal concepts, however far it inflates', async () => {
    const [row] = rowsOf(1) as [SatRow];
    const content = cfdiXml(row).replace(/<cfdi:Concepto .*<\/cfdi:Concepto>/, (concept) => concept.repeat(10_000));
    const member = { ...memberOf(row), content };
    expect(content.length).toBeGreaterThan(150 * zipBytes([member]).length);
    const { zip } = await assembled({ rows: [row], packages: [[member]], tablas: true });
    expect(String(zip.get(pathOf(row)))).toBe(content);
    expect(linesOf(zip, 'conceptos.csv')).toHaveLength(10_000);
  });

  test('holds a document once that came twice, and keeps another of the same UUID aside', async () => {
    const [a, b] = rowsOf(2) as [SatRow, SatRow];
    const other = { name: 'otro.xml', content: cfdiXml(b, 2) };
    const packages = [
      [memberOf(a), memberOf(a, 'de nuevo.xml'), memberOf(b)],
      [memberOf(a), other],
    ];
    const { zip, manifest, resumen } = await assembled({ rows: [a, b], packages });
    expect(xmlOf(zip)).toEqual([a, b].map(pathOf));
    expect(String(zip.get(pathOf(b)))).toBe(cfdiXml(b));
    expect(manifest.xml).toMatchObject({
      repetidos: 2,
      apartados: [{ nombre: 'apartados/002-P=2F1/otro.xml', motivo: 'UUID_REPETIDO' }],
    });
    expect(resumen.xml).toMatchObject({ esperados: 2, entregados: 2, faltantes: 0, porMotivo: {} });
  });

  test('counts a UUID once that has several rows, with the same path in each', async () => {
    const [a, b] = rowsOf(2) as [SatRow, SatRow];
    const rows = [a, b, a, { ...b, estatus: '0' }];
    const { zip, registros, resumen } = await assembled({ rows, packages: [[memberOf(a)]] });
    expect(registros).toBe(4);
    expect(resumen.xml).toMatchObject({ esperados: 2, entregados: 1, faltantes: 1 });
    expect(linesOf(zip, 'metadata.csv').map(({ xml }) => xml)).toEqual([pathOf(a), '', pathOf(a), '']);
    expect(linesOf(zip, 'faltantes.csv')).toEqual([{ uuid: b.uuid, motivo: 'NO_ENTREGADO_POR_EL_SAT' }]);
  });
});

describe('the reason of a missing XML', () => {
  test('is that it cannot be read before any other, for the UUID of its stamp too', async () => {
    const [named, stamped, lost] = [1, 2, 3].map((index) =>
      satRow(index, { estatus: '0', fechaCancelacion: '2024-01-31 10:00:00' }),
    ) as [SatRow, SatRow, SatRow];
    const packages = [
      [
        { name: `${named.uuid}.xml`, content: '<cfdi:Comprobante' },
        { name: `${lost.uuid}.xml`, content: cfdiXml({ ...stamped, fechaEmision: 'ayer' }) },
      ],
    ];
    const { zip } = await assembled({ rows: [named, stamped, lost], packages, parteXml: { motivo: 'CUOTA_DEL_DIA' } });
    expect(faltantesOf(zip)).toEqual({
      [named.uuid]: 'XML_ILEGIBLE',
      [stamped.uuid]: 'XML_ILEGIBLE',
      [lost.uuid]: 'CANCELADO_RECIBIDO',
    });
  });

  test.each([
    ['recibidos', '0', 'CANCELADO_RECIBIDO'],
    ['recibidos', '1', 'NO_ENTREGADO_POR_EL_SAT'],
    ['emitidos', '0', 'NO_ENTREGADO_POR_EL_SAT'],
  ] as const)('of %s with estatus %s is %s', async (tipo, estatus, motivo) => {
    const row = satRow(1, { estatus, fechaCancelacion: estatus === '0' ? '2024-01-09 10:00:00' : '' });
    const { zip } = await assembled({ rows: [row], packages: [[]], plan: { tipo } });
    expect(faltantesOf(zip)).toEqual({ [row.uuid]: motivo });
  });

  test('is the quota of the day in the period that it stopped, to the second', async () => {
    const rows = ['2024-01-10 00:00:00', '2024-01-10 23:59:59', '2024-01-11 00:00:00', '2024-01-09 23:59:59'].map(
      (fechaEmision, index) => satRow(index, { fechaEmision, estatus: '1' }),
    );
    const periodo = { inicio: '2024-01-10T00:00:00', fin: '2024-01-10T23:59:59' };
    const { zip } = await assembled({ rows, packages: [], parteXml: { periodo, motivo: 'CUOTA_DEL_DIA' } });
    expect(Object.values(faltantesOf(zip))).toEqual([
      'CUOTA_DEL_DIA',
      'CUOTA_DEL_DIA',
      'NO_ENTREGADO_POR_EL_SAT',
      'NO_ENTREGADO_POR_EL_SAT',
    ]);
  });
});

describe('XML that was asked for only because the SAT gives no less', () => {
  test('is left out with its row, by the period and by the filters', async () => {
    const rows = rowsOf(20);
    const periodo = { inicio: '2024-01-03T00:00:00', fin: '2024-01-12T23:59:59' };
    const { zip, resumen, manifest } = await assembled({
      rows,
      packages: [rows.map((row) => memberOf(row))],
      plan: { filtros: { tipo_comprobante: 'I' } },
      parte: { periodo, recortar: true },
    });
    const kept = rows.filter(
      ({ efecto, fechaEmision }) => efecto === 'I' && fechaEmision >= '2024-01-03' && fechaEmision < '2024-01-13',
    );
    expect(kept.length).toBeGreaterThan(1);
    expect(xmlOf(zip)).toEqual(kept.map(pathOf));
    expect(resumen.xml).toMatchObject({
      esperados: kept.length,
      entregados: kept.length,
      faltantes: 0,
      sinMetadata: 0,
    });
    expect(manifest.xml.fuera_de_lo_pedido).toBe(rows.length - kept.length);
  });

  test('is left out without a row too when its own facts are outside; else it is delivered and named', async () => {
    const [known, unknown, early, late, egreso, other] = [
      satRow(0, { estatus: '1' }),
      satRow(5),
      satRow(10, { fechaEmision: '2023-12-31 23:59:59' }),
      satRow(15, { fechaEmision: '2024-02-01 00:00:00' }),
      satRow(6),
      satRow(20, { rfcEmisor: 'BBB010101AAA' }),
    ] as [SatRow, SatRow, SatRow, SatRow, SatRow, SatRow];
    const rfcs = [known, unknown, early, late, egreso].map(({ rfcEmisor }) => rfcEmisor);
    const { zip, resumen, manifest } = await assembled({
      rows: [known],
      packages: [[known, unknown, early, late, egreso, other].map((row) => memberOf(row))],
      plan: { filtros: { tipo_comprobante: 'I', rfc_contraparte: rfcs } },
    });
    expect(xmlOf(zip)).toEqual([known, unknown].map(pathOf));
    expect(linesOf(zip, 'sin-metadata.csv')).toEqual([{ uuid: unknown.uuid, xml: pathOf(unknown) }]);
    expect(resumen.xml).toMatchObject({ esperados: 1, entregados: 1, sinMetadata: 1 });
    expect(manifest.xml).toMatchObject({ sin_metadata: 1, fuera_de_lo_pedido: 4 });
  });
});

test('observers and readers of metadata.csv get rows without the column of the XML, unless a reader asks for it', async () => {
  const rows = Array.from({ length: 500 }, (_, n) => satRow(n, n % 9 === 0 ? { nombreEmisor: 'A "B",\nC' } : {}));
  const seen: string[] = [];
  const observer: RowObserver = {
    name: 'o',
    observed: null,
    see: (out, row) => seen.push(out.toString('utf8', row, new CsvRow().read(out, row))),
  };
  const { zip, store } = await assembled({ rows, packages: [rows.map((row) => memberOf(row))], observers: [observer] });
  const whole = parse(zip.get('metadata.csv') ?? '', { record_delimiter: '\r\n' }) as string[][];
  const wanted = whole.map((fields) => fields.slice(0, -1));
  for (const chunkBytes of [10_000_000, 50, 1]) {
    const chunks: Buffer[] = [];
    for await (const chunk of readCsv(chunked(store, chunkBytes), paqueteKey('s1'), signal)) chunks.push(chunk);
    expect(parse(Buffer.concat(chunks), { record_delimiter: '\r\n' })).toEqual(wanted);
  }
  const kept: Buffer[] = [];
  for await (const chunk of readCsv(store, paqueteKey('s1'), signal, true)) kept.push(chunk);
  expect(parse(Buffer.concat(kept), { record_delimiter: '\r\n' })).toEqual(whole);
  expect(parse(seen.join(''), { record_delimiter: '\r\n' })).toEqual(wanted.slice(1));
});

test('over random worlds each UUID of the metadata is in the ZIP or missing with a reason, never both', async () => {
  const rows = rowsOf(24);
  const fates = fc.constantFrom(
    'given',
    'given',
    'lost',
    'doubled',
    'renamed',
    'unreadable',
    'unknown',
    'twice in rows',
  );
  const world = fc.array(fates, { minLength: rows.length, maxLength: rows.length });
  await fc.assert(
    fc.asyncProperty(world, fc.integer({ min: 0, max: 24 }), async (fate, cut) => {
      const members = rows.flatMap((row, index) => {
        const is = fate[index];
        if (is === 'lost') return [];
        if (is === 'unreadable') return [{ name: `${row.uuid}.xml`, content: 'no' }];
        const member = memberOf(row, is === 'renamed' ? `${index}.xml` : undefined);
        return is === 'doubled' ? [member, member] : [member];
      });
      const told = rows.flatMap((row, index) => {
        if (fate[index] === 'unknown') return [];
        return fate[index] === 'twice in rows' ? [row, row] : [row];
      });
      const { zip, resumen } = await assembled({ rows: told, packages: [members.slice(0, cut), members.slice(cut)] });
      const isGiven = (index: number) => fate[index] !== 'lost' && fate[index] !== 'unreadable';
      expect(xmlOf(zip).toSorted()).toEqual(
        rows
          .filter((_, index) => isGiven(index))
          .map(pathOf)
          .toSorted(),
      );
      expect(faltantesOf(zip)).toEqual(
        Object.fromEntries(
          rows.flatMap(({ uuid }, index) =>
            isGiven(index) ? [] : [[uuid, fate[index] === 'lost' ? 'NO_ENTREGADO_POR_EL_SAT' : 'XML_ILEGIBLE']],
          ),
        ),
      );
      const faltantes = rows.filter((_, index) => !isGiven(index)).length;
      const sinMetadata = fate.filter((each) => each === 'unknown').length;
      const esperados = rows.length - sinMetadata;
      expect(resumen.xml).toMatchObject({ esperados, entregados: esperados - faltantes, faltantes, sinMetadata });
    }),
    { numRuns: 40 },
  );
}, 60_000);

/** The same ZIP with the records of its directory, all of one length, the other way round. */
function withDirectoryReversed(zip: Buffer): Buffer {
  const end = zip.length - 22;
  const start = zip.readUInt32LE(end + 16);
  const length = (end - start) / zip.readUInt16LE(end + 10);
  const records = Array.from({ length: (end - start) / length }, (_, index) =>
    zip.subarray(end - (index + 1) * length, end - index * length),
  );
  return Buffer.concat([zip.subarray(0, start), ...records, zip.subarray(end)]);
}
