import { buffer } from 'node:stream/consumers';
import type { PlanEnsamble } from '@acuse/core';
import { nodeFromXmlString } from '@nodecfdi/cfdi-core';
import { parse } from 'csv-parse/sync';
import { strFromU8, unzipSync } from 'fflate';
import { expect, it } from 'vitest';
import { createCfdiZip, createMetadataZip } from '../../apps/simulador/src/world/packages.ts';
import { parseWallTime } from '../../apps/simulador/src/world/wall-time.ts';
import { createWorld } from '../../apps/simulador/src/world/world.ts';
import { createMemoryStore } from '../../packages/storage/src/memoria.ts';
import { paquetesIn } from '../../packages/storage/src/paquetes.ts';
import { DEFAULT_LIMITS } from '../../packages/storage/src/zip/sat-package.ts';

const RFC = 'EKU9003173C9';
const at = (day: string) => parseWallTime(day) ?? Number.NaN;
const world = await createWorld();
// Both versions of the CFDI: the simulator writes 3.3 up to the end of 2022.
const rows = [...world.taxpayers.rows(RFC, 'emitidos', at('2022-06-01'), at('2023-12-31'))].slice(0, 1_000);
const PERIODO = { inicio: '2022-06-01T00:00:00', fin: '2023-12-31T23:59:59' };

/** Entries of the ZIP of both packages of these rows, read by fflate. */
async function assembled(): Promise<Record<string, Uint8Array>> {
  const content = { id: 'F0B2A9E4-6C1D-4B7A-9F3E-2D5C8A7B6E10_01', rows: () => rows, basura: true, fecha: new Date(0) };
  const objects = new Map([
    ['metadata', await buffer(createMetadataZip({ ...content, fecha: new Date('2026-06-01T00:00:00Z') }))],
    [
      'xml',
      await buffer(createCfdiZip({ ...content, fecha: new Date('2026-06-01T00:00:00Z') }, world.cfdis.xmlOf, 'todo')),
    ],
  ]);
  const parte = { canal: 'soap', folio: 'f', periodo: PERIODO } as const;
  const plan: PlanEnsamble = {
    solicitudId: 's1',
    rfc: RFC,
    tipo: 'emitidos',
    desde: '2022-06-01',
    hasta: '2023-12-31',
    formato: 'csv',
    partes: [{ ...parte, recortar: false, confirmada: true, paquetes: [{ objectKey: 'metadata', paquete: 'm' }] }],
    xml: { tablas: true, partes: [{ ...parte, motivo: null, paquetes: [{ objectKey: 'xml', paquete: 'x' }] }] },
  };
  const paquetes = paquetesIn(createMemoryStore(objects), DEFAULT_LIMITS, 6);
  const { objectKey } = await paquetes.assemble(plan, new AbortController().signal, []);
  return unzipSync(objects.get(objectKey) ?? new Uint8Array());
}

it('a ZIP of 1,000 CFDI has what the SAT gave, and tables that say what cfdi-core reads in them', async () => {
  expect(rows).toHaveLength(1_000);
  const zip = await assembled();
  const table = (name: string) =>
    parse(Buffer.from(zip[`${name}.csv`] ?? ''), { columns: true, record_delimiter: '\r\n' }) as Record<
      string,
      string
    >[];
  const [lost, ...given] = rows;
  const pathOf = (row: (typeof rows)[number]) => `cfdi/${row.fechaEmision.slice(0, 7)}/${row.uuid}.xml`;
  expect(Object.keys(zip).filter((name) => name.startsWith('cfdi/'))).toEqual(given.map(pathOf));
  expect(table('faltantes')).toEqual([{ uuid: lost?.uuid, motivo: 'NO_ENTREGADO_POR_EL_SAT' }]);
  expect(table('metadata').map(({ xml }) => xml)).toEqual(['', ...given.map(pathOf)]);
  const read = given.map((row) => {
    const text = strFromU8(zip[pathOf(row)] ?? new Uint8Array());
    expect(text).toBe(world.cfdis.xmlOf(row));
    return { uuid: row.uuid, root: nodeFromXmlString(text) };
  });
  const withRows = read.filter(({ root }) => root.getAttribute('TipoDeComprobante') !== 'N');
  expect(withRows.length).toBeLessThan(read.length);
  const conceptos = withRows.flatMap(({ uuid, root }) =>
    [...root.searchNodes('cfdi:Conceptos', 'cfdi:Concepto')].map((node, n) => [
      ...[uuid, `${n + 1}`, node.getAttribute('ClaveProdServ'), node.getAttribute('Descripcion')],
      ...[node.getAttribute('Cantidad'), node.getAttribute('Importe')],
    ]),
  );
  expect(
    table('conceptos').map((row) =>
      ['uuid', 'numero', 'clave_prod_serv', 'descripcion', 'cantidad', 'importe'].map((name) => row[name]),
    ),
  ).toEqual(conceptos);
  const pagos = withRows.flatMap(({ uuid, root }) =>
    ['pago10', 'pago20'].flatMap((prefix) =>
      [...root.searchNodes('cfdi:Complemento', `${prefix}:Pagos`, `${prefix}:Pago`)].flatMap((pago) =>
        [...pago.searchNodes(`${prefix}:DoctoRelacionado`)].map((node) => [
          ...[uuid, pago.getAttribute('Monto'), node.getAttribute('IdDocumento').toUpperCase()],
          ...[node.getAttribute('ImpPagado'), node.getAttribute('NumParcialidad')],
        ]),
      ),
    ),
  );
  expect(pagos.length).toBeGreaterThan(10);
  expect(
    table('pagos').map((row) =>
      ['uuid', 'monto', 'id_documento', 'imp_pagado', 'num_parcialidad'].map((name) => row[name]),
    ),
  ).toEqual(pagos);
  const count = (root: (typeof read)[number]['root'], pattern: RegExp): number =>
    [...root.children()].reduce((sum, node) => sum + count(node, pattern), pattern.test(root.name()) ? 1 : 0);
  const sumOf = (pattern: RegExp) => withRows.reduce((sum, { root }) => sum + count(root, pattern), 0);
  expect(table('impuestos')).toHaveLength(sumOf(/^(cfdi|pago[12]0):(Traslado|Retencion)(P|DR)?$/));
  expect(table('relacionados')).toHaveLength(sumOf(/^cfdi:CfdiRelacionado$/));
  const manifest = JSON.parse(strFromU8(zip['manifest.json'] ?? new Uint8Array()));
  expect(manifest.xml).toMatchObject({ esperados: 1_000, entregados: 999, faltantes: 1, repetidos: 1, apartados: [] });
  expect(manifest.tablas.map(({ tabla }: { tabla: string }) => tabla)).toEqual([
    'conceptos',
    'impuestos',
    'pagos',
    'relacionados',
  ]);
});
