import { readFileSync } from 'node:fs';
import { nodeFromXmlString } from '@nodecfdi/cfdi-core';
import type { XmlNodeInterface } from '@nodecfdi/cfdi-core/types';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseWallTime } from '../../../../apps/simulador/src/world/wall-time.ts';
import { createWorld } from '../../../../apps/simulador/src/world/world.ts';
import { XmlIlegible } from '../ilegible.ts';
import { TABLES, type Table } from './columns.ts';
import { createRowsReader, type Row, type Rows } from './rows.ts';

const fixture = (name: string) => readFileSync(new URL(`../testing/${name}.xml`, import.meta.url), 'utf8');
const reader = createRowsReader();
function read(document: string) {
  reader.write(Buffer.from(document));
  return reader.end();
}
const uuidOf = (end: string) => `AD662D33-6934-459C-A128-BDF0393E0F${end}`;
const related = (end: string) => `5F1C2B3A-0000-4000-8000-0000000000${end}`;
/** Rows without their first column, the UUID of the CFDI. */
const withoutUuid = (rows: readonly Row[]) => rows.map((row) => row.slice(1));

describe('the tables of a CFDI', () => {
  it('have a value for each column, the UUID of the CFDI first', () => {
    for (const name of ['ingreso-40', 'ingreso-33', 'pagos-20', 'pagos-10']) {
      const { facts, rows } = read(fixture(name));
      const uuid = 'uuid' in facts ? facts.uuid : null;
      for (const [table, found] of Object.entries(rows) as [Table, readonly Row[]][])
        for (const row of found) expect([row.length, row[0]]).toEqual([TABLES.get(table)?.length, uuid]);
    }
  });

  it('of an invoice 4.0 have its concepts without parts and third parties, its taxes and its relations', () => {
    const { conceptos, impuestos, pagos, ...rest } = read(fixture('ingreso-40')).rows;
    const description = 'Asesoría "fiscal" <octubre> ñ';
    expect(conceptos).toEqual([
      [
        ...[
          uuidOf('44'),
          '1',
          '84111506',
          'S-01',
          '1.000000',
          'E48',
          'Servicio',
          description,
          '1000.000000',
          '1000.00',
        ],
        ...['100.00', '02'],
      ],
      [...[uuidOf('44'), '2', '01010101', null, '2', 'H87', null, 'Refacción', '250.00', '500.00'], ...[null, '01']],
    ]);
    expect(withoutUuid(impuestos)).toEqual([
      ['concepto', '1', null, 'traslado', '900.00', '002', 'Tasa', '0.160000', '144.00'],
      ['concepto', '1', null, 'retencion', '900.00', '001', 'Tasa', '0.100000', '90.00'],
      ['comprobante', null, null, 'retencion', null, '001', null, null, '90.00'],
      ['comprobante', null, null, 'traslado', '900.00', '002', 'Tasa', '0.160000', '144.00'],
    ]);
    expect(pagos).toEqual([]);
    expect(withoutUuid(rest['relacionados'])).toEqual([
      ['04', related('0A')],
      ['07', related('0B')],
      ['07', related('0C')],
    ]);
  });

  it('of an invoice 3.3 leave out the taxes of a third party', () => {
    const { impuestos, conceptos, ...rest } = read(fixture('ingreso-33')).rows;
    expect(withoutUuid(impuestos)).toEqual([
      ['concepto', '1', null, 'traslado', '200.00', '002', 'Tasa', '0.160000', '32.00'],
      ['comprobante', null, null, 'traslado', null, '002', 'Tasa', '0.160000', '32.00'],
    ]);
    expect([conceptos.length, withoutUuid(rest['relacionados'])]).toEqual([1, [['01', related('0D')]]]);
  });

  it('of Pagos 2.0 have a row for each document, and one for a payment without documents', () => {
    const { pagos, impuestos } = read(fixture('pagos-20')).rows;
    const first = ['1', '2026-10-01T12:00:00', '03', 'MXN', '1', '232.00'];
    expect(withoutUuid(pagos)).toEqual([
      [...first, '1', related('AA'), 'A', '7', 'MXN', '1', '1', '116.00', '116.00', '0.00', '02'],
      [...first, '2', related('AB'), null, null, 'USD', '0.0512345678', '2', '6.00', '5.94', '0.06', '02'],
      ['2', '2026-10-02T12:00:00', '01', 'MXN', '1', '50.00', ...Array(11).fill(null)],
    ]);
    expect(withoutUuid(impuestos)).toEqual([
      ['documento', '1', '1', 'retencion', '100.00', '001', 'Tasa', '0.100000', '10.00'],
      ['documento', '1', '1', 'traslado', '100.00', '002', 'Tasa', '0.160000', '16.00'],
      ['documento', '1', '2', 'traslado', '5.12', '002', 'Exento', null, null],
      ['pago', '1', null, 'retencion', null, '001', null, null, '10.00'],
      ['pago', '1', null, 'traslado', '200.00', '002', 'Tasa', '0.160000', '32.00'],
    ]);
  });

  it('of Pagos 1.0 take the exchange rate of the document as its equivalence', () => {
    const { pagos, impuestos } = read(fixture('pagos-10')).rows;
    expect(withoutUuid(pagos)).toEqual([
      [
        ...['1', '2020-02-28T12:00:00', '03', 'USD', '19.512300', '10.00', '1', related('AC'), null, '9', 'MXN'],
        ...['0.051250', '1', '195.12', '195.12', '0', null],
      ],
    ]);
    expect(withoutUuid(impuestos)).toEqual([['pago', '1', null, 'traslado', null, '002', 'Tasa', '0.160000', '1.38']]);
  });

  it.each([
    ['a payroll', fixture('ingreso-40').replace('TipoDeComprobante="I"', 'TipoDeComprobante="N"')],
    ['version 3.2', fixture('ingreso-33').replace(' Version="3.3"', ' version="3.2"')],
  ])('have no rows for %s', (_, document) => {
    expect(Object.values(read(document).rows)).toEqual([[], [], [], []]);
  });

  it('take no concept of a CFDI in the Addenda and no complement of another namespace', () => {
    const concept = '<cfdi:Conceptos><cfdi:Concepto Importe="1"/></cfdi:Conceptos>';
    const before = read(fixture('pagos-20')).rows;
    const document = fixture('pagos-20')
      .replace('</cfdi:Comprobante>', `<cfdi:Addenda><cfdi:Comprobante>${concept}</cfdi:Comprobante></cfdi:Addenda>$&`)
      .replace('<pago20:Pagos Version', '<Pagos xmlns="u"><Pago Monto="1"/></Pagos>$&');
    expect(read(document).rows).toEqual(before);
  });

  it('are refused above 250,000 rows', () => {
    const concepts = '<cfdi:Concepto/>'.repeat(250_001);
    const document = fixture('pagos-20').replace('<cfdi:Conceptos>', `$&${concepts}`);
    expect(() => read(document)).toThrow(new XmlIlegible('DEMASIADO_GRANDE'));
  });

  it('name their columns once, in snake_case', () => {
    for (const columns of TABLES.values()) {
      const names = columns.map(({ nombre }) => nombre);
      expect(new Set(names).size).toBe(names.length);
      expect(names.filter((name) => !/^[a-z]+(_[a-z]+)*$/.test(name))).toEqual([]);
    }
  });
});

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
const value = fc.oneof(
  fc.constantFrom('0.160000', '1', '002', 'Tasa', '5f1c2b3a-0000-4000-8000-00000000000a', ''),
  fc.string({ unit: fc.constantFrom('a', 'Ñ', '😀', '&', '<', '"', "'", '>', ' ', '.', '7'), maxLength: 8 }),
);
/** Some of the attributes. */
const attributes = (...names: string[]) =>
  fc
    .tuple(
      ...names.map((name) =>
        fc.option(
          value.map((text) => ` ${name}="${escaped(text)}"`),
          { nil: '' },
        ),
      ),
    )
    .map((parts) => parts.join(''));
const joined = (part: fc.Arbitrary<string>, maxLength = 3) =>
  fc.array(part, { maxLength }).map((parts) => parts.join(''));
const element = (name: string, attrs: fc.Arbitrary<string>, children: fc.Arbitrary<string> = fc.constant('')) =>
  fc.tuple(attrs, children).map(([own, inner]) => `<${name}${own}>${inner}</${name}>`);
const none = fc.constant('');

const TAX = ['Base', 'Impuesto', 'TipoFactor', 'TasaOCuota', 'Importe'];
const taxes = (prefix: string, suffix = '') => {
  const one = (name: string) => element(`${prefix}:${name}${suffix}`, attributes(...TAX.map((each) => each + suffix)));
  const group = (name: string, tax: string) => element(`${prefix}:${name}${suffix}`, none, joined(one(tax)));
  const both = fc.tuple(group('Traslados', 'Traslado'), group('Retenciones', 'Retencion')).map((each) => each.join(''));
  return joined(element(`${prefix}:Impuestos${suffix}`, none, both), 1);
};
const CONCEPT = [
  'ClaveProdServ',
  'NoIdentificacion',
  'Cantidad',
  'ClaveUnidad',
  'Unidad',
  'Descripcion',
  'ValorUnitario',
];
CONCEPT.push('Importe', 'Descuento', 'ObjetoImp');
const PAYMENT = ['FechaPago', 'FormaDePagoP', 'MonedaP', 'TipoCambioP', 'Monto'];
const DOCUMENT = ['IdDocumento', 'Serie', 'Folio', 'MonedaDR', 'EquivalenciaDR', 'NumParcialidad', 'ImpSaldoAnt'];
DOCUMENT.push('ImpPagado', 'ImpSaldoInsoluto', 'ObjetoImpDR');

const comprobante = fc.constantFrom('3.3', '4.0').chain((version) => {
  const isNew = version === '4.0';
  const pagos = isNew ? 'pago20' : 'pago10';
  const names = isNew ? DOCUMENT : DOCUMENT.map((name) => name.replace('EquivalenciaDR', 'TipoCambioDR'));
  const documents = joined(
    element(`${pagos}:DoctoRelacionado`, attributes(...names), isNew ? taxes(pagos, 'DR') : none),
  );
  const payment = fc.tuple(documents, taxes(pagos, isNew ? 'P' : '')).map((parts) => parts.join(''));
  const parts = fc.tuple(
    joined(
      element(
        'cfdi:CfdiRelacionados',
        attributes('TipoRelacion'),
        joined(element('cfdi:CfdiRelacionado', attributes('UUID'))),
      ),
    ),
    element('cfdi:Conceptos', none, joined(element('cfdi:Concepto', attributes(...CONCEPT), taxes('cfdi')))),
    taxes('cfdi'),
    element(`${pagos}:Pagos`, none, joined(element(`${pagos}:Pago`, attributes(...PAYMENT), payment))),
  );
  return parts.map(
    ([relations, concepts, total, payments]) =>
      `<cfdi:Comprobante xmlns:cfdi="http://www.sat.gob.mx/cfd/${version[0]}" xmlns:pago10="http://www.sat.gob.mx/Pagos" ` +
      `xmlns:pago20="http://www.sat.gob.mx/Pagos20" xmlns:tfd="http://www.sat.gob.mx/TimbreFiscalDigital" Version="${version}" ` +
      `Fecha="2026-10-02T10:19:58" TipoDeComprobante="P">${relations}<cfdi:Emisor Rfc="A"/><cfdi:Receptor Rfc="B"/>` +
      `${concepts}${total}<cfdi:Complemento>${payments}<tfd:TimbreFiscalDigital UUID="${uuidOf('99')}"/>` +
      '</cfdi:Complemento></cfdi:Comprobante>',
  );
});

const valueIn = (node: XmlNodeInterface, name: string) => (node.hasAttribute(name) ? node.getAttribute(name) : null);
const valuesIn = (node: XmlNodeInterface, names: readonly string[]) => names.map((name) => valueIn(node, name));
const upper = (text: string | null | undefined) => text?.toUpperCase() ?? null;

/** Rows of taxes of a node, as cfdi-core finds them. */
function taxesIn(node: XmlNodeInterface, place: readonly (string | null)[], prefix: string, suffix = ''): Row[] {
  const groups = [...node.searchNodes(`${prefix}:Impuestos${suffix}`)].flatMap((taxes) => [...taxes.children()]);
  return groups.flatMap((group) =>
    [...group.searchNodes(`${prefix}:Traslado${suffix}`), ...group.searchNodes(`${prefix}:Retencion${suffix}`)].map(
      (one) => [
        ...[...place, one.name().includes('Traslado') ? 'traslado' : 'retencion'],
        ...valuesIn(
          one,
          TAX.map((name) => name + suffix),
        ),
      ],
    ),
  );
}

/** Rows of a document, as cfdi-core finds them. */
function rowsByCfdiCore(document: string, uuid: string): Rows {
  const root = nodeFromXmlString(document);
  const isNew = root.getAttribute('Version') === '4.0';
  const prefix = isNew ? 'pago20' : 'pago10';
  const concepts = [...root.searchNodes('cfdi:Conceptos', 'cfdi:Concepto')];
  const payments = [...root.searchNodes('cfdi:Complemento', `${prefix}:Pagos`, `${prefix}:Pago`)];
  const documentsOf = (payment: XmlNodeInterface) => [...payment.searchNodes(`${prefix}:DoctoRelacionado`)];
  const rate = isNew ? 'EquivalenciaDR' : 'TipoCambioDR';
  const names = DOCUMENT.map((name) => (name === 'EquivalenciaDR' ? rate : name));
  return {
    conceptos: concepts.map((node, at) => [uuid, `${at + 1}`, ...valuesIn(node, CONCEPT)]),
    impuestos: [
      ...concepts.flatMap((node, at) => taxesIn(node, [uuid, 'concepto', `${at + 1}`, null], 'cfdi')),
      ...taxesIn(root, [uuid, 'comprobante', null, null], 'cfdi'),
      ...payments.flatMap((node, at) => [
        ...documentsOf(node).flatMap((one, n) =>
          taxesIn(one, [uuid, 'documento', `${at + 1}`, `${n + 1}`], prefix, 'DR'),
        ),
        ...taxesIn(node, [uuid, 'pago', `${at + 1}`, null], prefix, isNew ? 'P' : ''),
      ]),
    ],
    pagos: payments.flatMap((node, at) => {
      const own = [uuid, `${at + 1}`, ...valuesIn(node, PAYMENT)];
      const rows = documentsOf(node).map((one, n) => {
        const [id, ...rest] = valuesIn(one, names);
        return [...own, `${n + 1}`, upper(id), ...rest];
      });
      return rows.length > 0 ? rows : [[...own, ...Array(11).fill(null)]];
    }),
    ['relacionados']: [...root.searchNodes('cfdi:CfdiRelacionados')].flatMap((group) =>
      [...group.searchNodes('cfdi:CfdiRelacionado')].map((one) => [
        uuid,
        valueIn(group, 'TipoRelacion'),
        upper(valueIn(one, 'UUID')),
      ]),
    ),
  };
}

it('has the rows that cfdi-core finds in generated documents', () => {
  let rows = 0;
  const check = (document: string) => {
    const found = read(document).rows;
    rows += Object.values(found).flat().length;
    expect(found).toEqual(rowsByCfdiCore(document, uuidOf('99')));
  };
  fc.assert(fc.property(comprobante, check), { numRuns: 300 });
  expect(rows).toBeGreaterThan(1_000);
});

it('reads the rows of the invoices and payments that the simulator writes, and none of its payrolls', async () => {
  const world = await createWorld();
  const at = (day: string) => parseWallTime(day) ?? Number.NaN;
  const kinds = new Set<string>();
  // The simulator writes CFDI 3.3 up to the end of 2022.
  for (const row of world.taxpayers.rows('EKU9003173C9', 'emitidos', at('2022-12-01'), at('2023-01-31'))) {
    const document = world.cfdis.xmlOf(row);
    const { facts, rows } = read(document);
    if (facts.version === '3.2') throw new Error('The simulator writes no 3.2');
    const { version, uuid, tipo, rfcEmisor, rfcReceptor } = facts;
    expect([uuid, tipo, rfcEmisor, rfcReceptor]).toEqual([row.uuid, row.efecto, row.rfcEmisor, row.rfcReceptor]);
    if (tipo === 'N') expect(Object.values(rows)).toEqual([[], [], [], []]);
    else expect(rows).toEqual(rowsByCfdiCore(document, uuid));
    kinds.add(`${tipo} ${version}`);
  }
  expect([...kinds]).toEqual(expect.arrayContaining(['I 3.3', 'I 4.0', 'P 3.3', 'P 4.0', 'N 3.3', 'N 4.0']));
});
