import { verify, X509Certificate } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DOMParser } from '@xmldom/xmldom';
import { afterAll, describe, expect, it } from 'vitest';
import { parseWallTime } from '../wall-time.ts';
import { createWorld } from '../world.ts';
import { itemsOf, taxOf } from './amounts.ts';
import { cadenaOriginal, element } from './element.ts';

const RFC = 'EKU9003173C9';
const dataDir = await mkdtemp(join(tmpdir(), 'simulador-cfdi-'));
const world = await createWorld({ dataDir });
afterAll(() => rm(dataDir, { recursive: true }));

describe('the XML of a row', () => {
  it('has the same bytes at every call and after a restart with the same data folder', async () => {
    const again = await createWorld({ dataDir });
    for (const row of rowsOf('2026-03-01', '2026-03-20')) {
      const xml = world.cfdis.xmlOf(row);
      expect(world.cfdis.xmlOf(row)).toBe(xml);
      expect(again.cfdis.xmlOf(row)).toBe(xml);
      expect(xml).toContain(`Sello="${world.cfdis.selloOf(row)}"`);
    }
  });

  it('is CFDI 4.0 from 2023 on and 3.3 before, with the payments of that version', () => {
    const before = rowsOf('2022-12-01', '2022-12-31').map((row) => world.cfdis.xmlOf(row));
    const after = rowsOf('2023-01-01', '2023-01-31').map((row) => world.cfdis.xmlOf(row));
    expect(before.every((xml) => xml.includes(' Version="3.3" '))).toBe(true);
    expect(after.every((xml) => xml.includes(' Version="4.0" '))).toBe(true);
    expect(before.some((xml) => xml.includes('<pago10:Pagos Version="1.0">'))).toBe(true);
    expect(after.some((xml) => xml.includes('<pago20:Pagos Version="2.0">'))).toBe(true);
    expect(before.join('')).not.toMatch(/Exportacion|ObjetoImp|pago20/);
  });

  it('keeps names and descriptions with &, <, >, quotes, Ñ and line feeds', () => {
    const rows = rowsOf('2026-03-01', '2026-05-31').filter(({ nombreReceptor }) => nombreReceptor !== '');
    const names = rows.map((row) => {
      const xml = new DOMParser().parseFromString(world.cfdis.xmlOf(row), 'text/xml');
      return xml.getElementsByTagName('cfdi:Receptor')[0]?.getAttribute('Nombre');
    });
    expect(names).toEqual(rows.map(({ nombreReceptor }) => nombreReceptor));
    for (const sign of ['\n', '&', '"', 'Ñ']) expect(names.join('')).toContain(sign);
    expect(rows.map((row) => world.cfdis.xmlOf(row)).join('')).toMatch(/&lt;5 mm&gt;/);
  });
});

it('a retención is Retenciones 2.0 with a tenth withheld and a seal that verifies', () => {
  const rows = rowsOf('2026-01-01', '2026-06-30', 'retenciones');
  expect(rows.length).toBeGreaterThan(10);
  for (const row of rows) {
    const xml = new DOMParser().parseFromString(world.cfdis.xmlOf(row, 'retenciones'), 'text/xml');
    const get = (name: string, attribute: string) => {
      const text = xml.getElementsByTagName(name)[0]?.getAttribute(attribute) ?? `${name} ${attribute}`;
      return text.replaceAll('\n', ' ');
    };
    const values = CADENA.flatMap(([name, ...attributes]) =>
      attributes.map((attribute) => get(`retenciones:${name}`, attribute)),
    );
    const root = (attribute: string) => get('retenciones:Retenciones', attribute);
    const { publicKey } = new X509Certificate(Buffer.from(root('Certificado'), 'base64'));
    const cadena = Buffer.from(`||${values.join('|')}||`);
    expect(verify('sha256', cadena, publicKey, Buffer.from(root('Sello'), 'base64'))).toBe(true);
    const total = Number(get('retenciones:Totales', 'MontoTotOperacion'));
    expect(total).toBe(Number(row.monto));
    expect(Math.abs(total / 10 - Number(get('retenciones:Totales', 'MontoTotRet')))).toBeLessThan(0.006);
    expect(get('tfd:TimbreFiscalDigital', 'UUID')).toBe(row.uuid);
  }
});

/** Elements and attributes in the order of the stylesheet of Retenciones 2.0. */
const CADENA = [
  ['Retenciones', 'Version', 'NoCertificado', 'FechaExp', 'LugarExpRetenc', 'CveRetenc', 'DescRetenc'],
  ['Emisor', 'RfcE', 'NomDenRazSocE', 'RegimenFiscalE'],
  ['Receptor', 'NacionalidadR'],
  ['Nacional', 'RfcR', 'NomDenRazSocR', 'DomicilioFiscalR'],
  ['Periodo', 'MesIni', 'MesFin', 'Ejercicio'],
  ['Totales', 'MontoTotOperacion', 'MontoTotGrav', 'MontoTotExent', 'MontoTotRet'],
  ['ImpRetenidos', 'BaseRet', 'ImpuestoRet', 'MontoRet', 'TipoPagoRet'],
] as const;

describe('the items of a total', () => {
  it('add up to any total to the cent with their taxes', () => {
    const wrong: { total: number; chance: number }[] = [];
    for (let total = 0; total < 40_000; total += total < 300 ? 1 : 37) {
      for (let chance = 0; chance < 32; chance++) {
        const items = itemsOf(total, (slot) => chance * (slot + 1));
        const sum = items.reduce(
          (all, { base, taxes }) =>
            taxes.reduce((net, tax) => net + (tax.isWithheld ? -1 : 1) * taxOf(base, tax), all + base),
          0,
        );
        const isWhole = items.every(({ price, discount, base }) => price > 0 && base >= 0 && price - discount === base);
        if (sum !== total || !isWhole) wrong.push({ total, chance });
      }
    }
    expect(wrong).toEqual([]);
  });
});

it('the cadena original normalises blanks and takes a total after its taxes', () => {
  const tax = element('cfdi:Retencion', 'Impuesto Importe', ['001', '1.00']);
  const taxes = element(
    'cfdi:Impuestos',
    'TotalImpuestosRetenidos TotalImpuestosTrasladados',
    ['1.00', undefined],
    [element('cfdi:Retenciones', '', [], [tax])],
  );
  const root = element('cfdi:Comprobante', 'xmlns:cfdi Version Sello Nombre', ['x', '4.0', 'y', ' A\n B '], [taxes]);
  expect(cadenaOriginal(root)).toBe('||4.0|A B|001|1.00|1.00||');
});

function rowsOf(first: string, last: string, documento: 'cfdi' | 'retenciones' = 'cfdi') {
  const at = (day: string) => parseWallTime(day) ?? Number.NaN;
  return [...world.taxpayers.rows(RFC, 'emitidos', at(first), at(last) + 86_399, { documento })];
}
