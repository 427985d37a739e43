import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { FORMATOS, type Formato } from '@acuse/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { query } from '../../testing/read-formats.ts';
import { satRow, satText } from '../../testing/sat-rows.ts';
import { readZip, zipBytes } from '../../testing/zip-bytes.ts';
import { assemble } from '../assemble/assemble.ts';
import { paqueteKey } from '../keys.ts';
import { createMemoryStore } from '../memoria.ts';
import { DEFAULT_LIMITS } from '../zip/sat-package.ts';
import { COLUMNS, type ColumnType, describeColumns, metadataLayout } from './columns.ts';

const run = promisify(execFile);
const guide = readFileSync(new URL('../../../../docs/integrators/es/formatos.md', import.meta.url), 'utf8');
const samplesOf = (language: string) =>
  [...guide.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)]
    .filter(([, name]) => name === language)
    .map(([, , code = '']) => code);
/** Cells of every row of a table, as they are read. */
const tableRows = [...guide.matchAll(/^\| (.+) \|$/gm)].map(([, row = '']) =>
  row.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|')),
);

const ROWS = 500;
const files = new Map<string, Buffer>();

beforeAll(async () => {
  const rows = Array.from({ length: ROWS }, (_, index) => satRow(index));
  const sat = zipBytes([{ name: '45C5C344-DA01-497A-9271-5AA3852EE6AE_01.txt', content: satText(rows) }]);
  const periodo = { inicio: '2024-01-01T00:00:00', fin: '2024-01-31T23:59:59' };
  for (const formato of FORMATOS) {
    const objects = new Map([['a', sat]]);
    const parte = { canal: 'soap', folio: 'f', periodo, recortar: false, confirmada: true } as const;
    const partes = [{ ...parte, paquetes: [{ objectKey: 'a', paquete: 'a' }] }];
    const criterios = { rfc: 'EKU9003173C9', tipo: 'recibidos', desde: '2024-01-01', hasta: '2024-01-31' } as const;
    await assemble(
      { store: createMemoryStore(objects), limits: DEFAULT_LIMITS, level: 6 },
      { solicitudId: 's1', ...criterios, formato, partes },
      new AbortController().signal,
    );
    const zip = await readZip(objects.get(paqueteKey('s1')) ?? Buffer.alloc(0));
    for (const [name, content] of zip) if (name.startsWith('metadata')) files.set(name, content);
  }
});

describe('docs/integrators/es/formatos.md', () => {
  test('tells every column as the manifest does', () => {
    const told = tableRows.filter(([name = '']) => COLUMNS.some(({ nombre }) => name === `\`${nombre}\``));
    expect(told).toEqual(COLUMNS.map(({ nombre, tipo, significado }) => [`\`${nombre}\``, tipo, significado]));
  });

  test.each(['texto', 'fecha_hora', 'decimal', 'booleano'] satisfies ColumnType[])(
    'tells how %s is written in each format as the manifest does',
    (tipo) => {
      const [, ...told] = tableRows.find(([name]) => name === tipo) ?? [];
      const written = (formato: Formato) =>
        describeColumns(formato, metadataLayout(false)).find((column) => column.tipo === tipo);
      expect(told).toEqual(FORMATOS.map((formato) => written(formato)?.representacion ?? ''));
    },
  );

  test.each(samplesOf('sql'))('has SQL that DuckDB runs: %s', async (sql) => {
    const answer = await query(files, sql.replace(/'(metadata\.\w+)'/g, "'$dir/$1'").replace(/;\s*$/, ''));
    expect(answer.length).toBeGreaterThan(0);
    expect(Number(answer[0]?.['cfdi'])).toBeGreaterThan(0);
    expect(Number(answer[0]?.['total'])).toBeGreaterThan(0);
  });

  test.each(samplesOf('python'))('has Python that pandas runs, where it is installed: %s', async (code) => {
    if (!(await hasPandas())) return;
    const dir = await mkdtemp(join(tmpdir(), 'acuse-pandas-'));
    try {
      for (const [name, content] of files) await writeFile(join(dir, name), content);
      const { stdout } = await run('python3', ['-c', code], { cwd: dir });
      expect(stdout).toMatch(/^I\s/m);
    } finally {
      await rm(dir, { recursive: true });
    }
  });
});

async function hasPandas(): Promise<boolean> {
  return run('python3', ['-c', 'import pandas, pyarrow']).then(
    () => true,
    () => false,
  );
}
