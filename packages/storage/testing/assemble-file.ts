/**
 * Assembles a package that lies in a file, with another of XML if there is one, into a file beside it, and prints the
 * rows and by how many bytes the memory of this process grew meanwhile. A process of its own, so that nothing was
 * allocated and freed in it before.
 */
import { createReadStream, createWriteStream, statSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { FORMATOS } from '@acuse/contract';
import { assemble } from '../src/assemble/assemble.ts';
import type { ObjectStore } from '../src/object-store.ts';
import { DEFAULT_LIMITS } from '../src/zip/sat-package.ts';

const [, , source = '', name, xml] = process.argv;
const formato = FORMATOS.find((each) => each === name) ?? 'csv';
/** Keys are paths of files; that of the ZIP is none. */
const pathOf = (key: string) => (key.startsWith('/') ? key : `${source}.out`);

const store: ObjectStore = {
  stat: async (key) => ({ bytes: statSync(pathOf(key)).size, version: key }),
  read: (key, _version, { start, end }) => createReadStream(pathOf(key), { start, end: end - 1 }),
  write: (_key, body) => pipeline(body, createWriteStream(`${source}.out`)),
  list: async () => [],
  removePrefix: async () => {},
};
const periodo = { inicio: '2024-01-01T00:00:00', fin: '2024-01-31T23:59:59' };
const parte = { canal: 'soap', folio: 'f', periodo } as const;
const planXml = (objectKey: string) => ({
  tablas: true,
  partes: [{ ...parte, motivo: null, paquetes: [{ objectKey, paquete: 'x' }] }],
});

// As much is alive as in a worker: V8 lets garbage grow in proportion to it.
const alive = Array.from({ length: 600_000 }, (_, index) => ({ index, text: `${index}` }));

const before = process.memoryUsage.rss();
let peak = before;
const sampler = setInterval(() => {
  peak = Math.max(peak, process.memoryUsage.rss());
}, 5);
const { registros, resumen } = await assemble(
  { store, limits: DEFAULT_LIMITS, level: 1 },
  {
    solicitudId: 's1',
    rfc: 'EKU9003173C9',
    tipo: 'emitidos',
    desde: '2024-01-01',
    hasta: '2024-01-31',
    formato,
    partes: [{ ...parte, recortar: false, confirmada: false, paquetes: [{ objectKey: source, paquete: 'a' }] }],
    xml: xml === undefined ? undefined : planXml(xml),
  },
  new AbortController().signal,
);
clearInterval(sampler);
console.log(JSON.stringify({ registros, xml: resumen.xml, grownBytes: peak - before, alive: alive.length }));
