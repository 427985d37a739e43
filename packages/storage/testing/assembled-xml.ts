import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { ManifestSigner, ParteLista, ParteXml, PlanEnsamble, RowObserver } from '@acuse/core';
import { parse } from 'csv-parse/sync';
import { assemble } from '../src/assemble/assemble.ts';
import { evidenciaKey, paqueteKey } from '../src/keys.ts';
import { createMemoryStore } from '../src/memoria.ts';
import type { ObjectStore } from '../src/object-store.ts';
import { DEFAULT_LIMITS } from '../src/zip/sat-package.ts';
import { cfdiXml } from './cfdi-xml.ts';
import { type SatRow, satRow, satText } from './sat-rows.ts';
import { type RawEntry, readZip, zipBytes } from './zip-bytes.ts';

const signal = new AbortController().signal;
export const ENERO = { inicio: '2024-01-01T00:00:00', fin: '2024-01-31T23:59:59' };
export const rowsOf = (count: number) => Array.from({ length: count }, (_, index) => satRow(index, { estatus: '1' }));
export const memberOf = (row: SatRow, name = `${row.uuid}.xml`): RawEntry => ({ name, content: cfdiXml(row) });
export const pathOf = (row: SatRow) => `cfdi/${row.fechaEmision.slice(0, 7)}/${row.uuid}.xml`;

interface World {
  readonly rows: readonly SatRow[];
  /** Members of each package of XML. */
  readonly packages: readonly (readonly RawEntry[])[];
  readonly plan?: Partial<PlanEnsamble>;
  readonly parte?: Partial<ParteLista>;
  readonly parteXml?: Partial<ParteXml>;
  readonly observers?: readonly RowObserver[];
  readonly tablas?: boolean;
  readonly signer?: ManifestSigner;
  /** Saved answers of the SAT by name. */
  readonly evidencia?: Readonly<Record<string, string>>;
  /** Changes the store that the packages are read from. */
  readonly through?: (store: ObjectStore) => ObjectStore;
}

/** Assembles a ZIP with XML and reads it. */
export async function assembled(world: World) {
  const { rows, packages, plan, parte, parteXml, observers, tablas = false, through = (store) => store } = world;
  const evidencia = Object.entries(world.evidencia ?? {});
  const metadata = zipBytes([{ name: '45C5C344-DA01-497A-9271-5AA3852EE6AE_01.txt', content: satText(rows) }]);
  const objects = new Map([
    ['m', metadata],
    ...packages.map((each, index) => [`x${index}`, zipBytes(each)] as const),
    ...evidencia.map(([nombre, text]) => [evidenciaKey('s1', nombre), Buffer.from(text)] as const),
  ]);
  const store = createMemoryStore(objects);
  const result = await assemble(
    { store: through(store), limits: DEFAULT_LIMITS, level: 6, signer: world.signer },
    {
      solicitudId: 's1',
      rfc: 'EKU9003173C9',
      tipo: 'recibidos',
      desde: '2024-01-01',
      hasta: '2024-01-31',
      formato: 'csv',
      partes: [
        {
          canal: 'soap',
          folio: 'f',
          periodo: ENERO,
          recortar: false,
          confirmada: false,
          ...parte,
          paquetes: [{ objectKey: 'm', paquete: 'm' }],
        },
      ],
      ...plan,
      xml: {
        tablas,
        partes: [
          {
            canal: 'soap',
            folio: 'g',
            periodo: ENERO,
            motivo: null,
            ...parteXml,
            paquetes: packages.map((_, index) => ({ objectKey: `x${index}`, paquete: `P/${index}` })),
          },
        ],
      },
    },
    signal,
    observers,
  );
  const file = objects.get(paqueteKey('s1')) ?? Buffer.alloc(0);
  const zip = await readZip(file);
  return { ...result, file, zip, store, manifest: JSON.parse(String(zip.get('manifest.json'))) };
}

export const linesOf = (zip: ReadonlyMap<string, Buffer>, name: string) =>
  parse(zip.get(name) ?? Buffer.alloc(0), { columns: true }) as Record<string, string>[];
export const faltantesOf = (zip: ReadonlyMap<string, Buffer>) =>
  Object.fromEntries(linesOf(zip, 'faltantes.csv').map(({ uuid, motivo }) => [uuid, motivo]));
export const xmlOf = (zip: ReadonlyMap<string, Buffer>) => [...zip.keys()].filter((name) => name.startsWith('cfdi/'));

export const hashOf = (content: Buffer) => createHash('sha256').update(content).digest('hex');

const streamOf = (chunks: AsyncIterable<Buffer>) => Readable.from(chunks, { objectMode: false });

/** The store, with what it reads cut into chunks of this many bytes. */
export const chunked = (store: ObjectStore, chunkBytes: number): ObjectStore => ({
  ...store,
  read: (...args) => streamOf(cut(store.read(...args), chunkBytes)),
});

async function* cut(stream: AsyncIterable<Buffer>, chunkBytes: number) {
  for await (const chunk of stream)
    for (let at = 0; at < chunk.length; at += chunkBytes) yield chunk.subarray(at, at + chunkBytes);
}

/** The stream, which fails after half of its bytes. */
export const failing = (stream: Readable, error: Error): Readable => streamOf(half(stream, error));

async function* half(stream: AsyncIterable<Buffer>, error: Error) {
  for await (const chunk of stream) yield chunk.subarray(0, chunk.length / 2);
  throw error;
}
