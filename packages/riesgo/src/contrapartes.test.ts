import { FORMATOS } from '@acuse/contract';
import type { PlanEnsamble } from '@acuse/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assemble } from '../../storage/src/assemble/assemble.ts';
import { createMemoryStore } from '../../storage/src/memoria.ts';
import { DEFAULT_LIMITS } from '../../storage/src/zip/sat-package.ts';
import { run as transform } from '../../storage/testing/run-transformer.ts';
import { SAT_HEADER, type SatRow, satLine, satRow, satText } from '../../storage/testing/sat-rows.ts';
import { zipBytes } from '../../storage/testing/zip-bytes.ts';
import { Contrapartes, MAX_CONTRAPARTES } from './contrapartes.ts';
import { RfcsPorHuella } from './rfcs-listados.ts';
import type { RfcsListados } from './riesgo.ts';

const [UNO, DOS, TRES] = ['PRO010101AB1', 'ÑUÑ&030303AB', 'COAJ850101AB4'] as const;

/** A received CFDI of this issuer. */
const de = (rfcEmisor: string, rest: Partial<SatRow> = {}): SatRow =>
  satRow(1, { rfcEmisor, nombreEmisor: `Nombre de ${rfcEmisor}`, efecto: 'I', monto: '100.50', estatus: '1', ...rest });

const suma = (cfdi: number, monto: string) => ({ cfdi, monto });
const nada = suma(0, '0.00');

type Options = NonNullable<Parameters<typeof transform>[2]> & { readonly listados?: readonly string[] };

/** A set of these RFCs. */
function rfcsOf(rfcs: readonly string[]): RfcsListados {
  const set = new RfcsPorHuella(rfcs.length);
  for (const rfc of rfcs) set.add(rfc);
  return set;
}

/** Runs the transformer with an observer of these listed RFCs; without RFCs, with none. */
function run(text: string | Buffer, cuts: readonly number[] = [], { listados, ...options }: Options = {}) {
  const contrapartes = listados === undefined ? null : new Contrapartes(options.tipo ?? 'recibidos', rfcsOf(listados));
  const ran = transform(text, cuts, { ...options, observers: contrapartes === null ? [] : [contrapartes] });
  return { ...ran, contrapartes: contrapartes?.observed ?? null };
}

describe('counterparties that may stand on a list', () => {
  test('are those whose RFC is in the set, with the last name and the CFDI in force of ingreso and of egreso', () => {
    const rows = [
      de(UNO),
      de(UNO, { monto: '0.000001', nombreEmisor: 'EL ÚLTIMO, "SA"' }),
      de(UNO, { estatus: '0', monto: '7' }),
      de(UNO, { efecto: 'E', monto: '12345678901.999999' }),
      de(UNO, { efecto: 'P', monto: '9' }),
      de(DOS, { estatus: '0' }),
      de('OTR010101AB1'),
      de(TRES, { monto: '-5.5' }),
      de(TRES, { monto: 'sin monto' }),
      de(TRES, { monto: '' }),
      de('OTR010101AB1', { rfcReceptor: UNO }),
    ];
    // The last one of UNO is the payment, whose name is the usual one again.
    const expected = [
      { rfc: UNO, nombre: `Nombre de ${UNO}`, ingresos: suma(2, '100.500001'), egresos: suma(1, '12345678901.999999') },
      { rfc: DOS, nombre: `Nombre de ${DOS}`, ingresos: nada, egresos: nada },
      { rfc: TRES, nombre: `Nombre de ${TRES}`, ingresos: suma(3, '-5.50'), egresos: nada },
    ];
    const listados = [UNO, DOS, TRES, 'NAD010101AB1'];
    expect(run(satText(rows), [], { listados }).contrapartes).toEqual(expected);
    // Whatever the columns' order: then every record takes the general way.
    const back = (line: string) => line.split('~').reverse().join('~');
    const reversed = [SAT_HEADER, ...rows.map(satLine)].map((line) => `${back(line)}\r\n`).join('');
    expect(run(reversed, [], { listados }).contrapartes).toEqual(expected);
  });

  test('of issued CFDI are their receivers', () => {
    const rows = [de('YOO010101AB1', { rfcReceptor: UNO, nombreReceptor: 'Cliente' }), de(UNO, { rfcReceptor: DOS })];
    const { contrapartes } = run(satText(rows), [], { tipo: 'emitidos', listados: [UNO] });
    expect(contrapartes).toEqual([{ rfc: UNO, nombre: 'Cliente', ingresos: suma(1, '100.50'), egresos: nada }]);
  });

  test('are not looked for without lists, and are none with empty lists', () => {
    expect(run(satText([de(UNO)])).contrapartes).toBeNull();
    expect(run(satText([de(UNO)]), [], { listados: [] }).contrapartes).toEqual([]);
  });

  test('are not those of rows that are outside of the period', () => {
    const rows = [de(UNO, { fechaEmision: '2024-01-31 23:59:59' }), de(DOS, { fechaEmision: '2024-02-01 00:00:00' })];
    const recortar = { inicio: '2024-02-01T00:00:00', fin: '2024-02-29T23:59:59' };
    const { contrapartes } = run(satText(rows), [], { recortar, listados: [UNO, DOS] });
    expect(contrapartes?.map(({ rfc }) => rfc)).toEqual([DOS]);
  });

  test('are the same wherever the chunks end, whatever their names hold, and the rows are those without lists', () => {
    const piece = fc.constantFrom('A', ' ', '"', ',', '""', 'Ñ', '🧾', "'", '|', 'SA DE CV');
    const row = fc
      .record({ rfc: fc.constantFrom(UNO, DOS, TRES, 'OTR010101AB1'), nombre: fc.array(piece, { maxLength: 8 }) })
      .map(({ rfc, nombre }) => de(rfc, { nombreEmisor: `X${nombre.join('')}X` }));
    fc.assert(
      fc.property(fc.array(row, { maxLength: 12 }), fc.array(fc.nat(3000), { maxLength: 20 }), (rows, cuts) => {
        const { contrapartes, csv } = run(satText(rows), cuts, { listados: [UNO, DOS, TRES] });
        const seen = new Map<string, string>();
        for (const { rfcEmisor, nombreEmisor } of rows)
          if (rfcEmisor !== 'OTR010101AB1') seen.set(rfcEmisor, nombreEmisor);
        expect(contrapartes?.map(({ rfc, nombre }) => [rfc, nombre])).toEqual([...seen]);
        expect(csv).toEqual(run(satText(rows)).csv);
      }),
    );
  });

  test('are given as texts that a database takes, whatever bytes the SAT wrote', () => {
    const odd = Buffer.from(satText([de(UNO, { nombreEmisor: `A\0B${'🧾'.repeat(700)}` })]));
    expect(run(odd, [], { listados: [UNO] }).contrapartes?.[0]?.nombre).toBe(`AB${'🧾'.repeat(598)}`);
    const [before = '', after = ''] = satText([de(UNO, { nombreEmisor: '@' })]).split('@');
    const broken = Buffer.concat([Buffer.from(before), Buffer.from([0xff, 0x41]), Buffer.from(after)]);
    expect(run(broken, [], { listados: [UNO] }).contrapartes?.[0]?.nombre).toBe('\ufffdA');
  });

  test('beyond the ten thousand first ones are left out, and those go on being counted', () => {
    const rfcs = Array.from({ length: MAX_CONTRAPARTES + 5 }, (_, n) => `PRO${String(n).padStart(9, '0')}`);
    const rows = [...rfcs, rfcs[0] ?? ''].map((rfc) => de(rfc));
    const { contrapartes } = run(satText(rows), [], { listados: rfcs });
    expect(contrapartes).toHaveLength(MAX_CONTRAPARTES);
    expect(contrapartes?.[0]?.ingresos).toEqual(suma(2, '201.00'));
  });

  test.each(FORMATOS)(
    'are those of all packages of a solicitud, and change no byte of its ZIP, as %s',
    async (formato) => {
      const zipOf = (...rows: SatRow[]) =>
        zipBytes([{ name: '45C5C344-DA01-497A-9271-5AA3852EE6AE_01.txt', content: satText(rows) }]);
      const objects = new Map([
        ['a', zipOf(de(UNO), de('OTR010101AB1'))],
        ['b', zipOf(de(UNO, { monto: '0.50' }), de(TRES))],
      ]);
      const store = createMemoryStore(objects);
      const plan: PlanEnsamble = {
        solicitudId: 's',
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
            confirmada: false,
            periodo: { inicio: '2024-01-01T00:00:00', fin: '2024-01-31T23:59:59' },
            paquetes: ['a', 'b'].map((objectKey) => ({ objectKey, paquete: objectKey })),
          },
        ],
      };
      const { signal } = new AbortController();
      const deps = { store, limits: DEFAULT_LIMITS, level: 6 };
      const without = await assemble(deps, plan, signal);
      const seen = new Contrapartes(plan.tipo, rfcsOf([UNO, TRES]));
      const crossed = await assemble(deps, plan, signal, [seen]);
      expect(without.notas).toEqual({});
      expect(crossed.notas['contrapartes']).toEqual([
        { rfc: UNO, nombre: `Nombre de ${UNO}`, ingresos: suma(2, '101.00'), egresos: nada },
        { rfc: TRES, nombre: `Nombre de ${TRES}`, ingresos: suma(1, '100.50'), egresos: nada },
      ]);
      expect({ ...crossed, notas: {} }).toEqual(without);
    },
  );
});
