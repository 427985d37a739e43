/**
 * Assembles a package that lies in a file, throws the ZIP away as if it had been sent, and prints the rows and by how
 * many bytes the memory of this process grew meanwhile. A process of its own, so that nothing was allocated and freed
 * in it before.
 */
import { createReadStream, statSync } from 'node:fs';
import { Readable } from 'node:stream';
import { FORMATOS } from '@acuse/contract';
import { assemble } from '../src/assemble/assemble.ts';
import type { ObjectStore } from '../src/object-store.ts';
import { DEFAULT_LIMITS } from '../src/zip/sat-package.ts';

const SOURCE = 'source.zip';
const file = process.argv[2] ?? '';
const formato = FORMATOS.find((each) => each === process.argv[3]) ?? 'csv';

let tail = Buffer.alloc(0);
let bytes = 0;
const store: ObjectStore = {
  stat: async (key) => ({ bytes: key === SOURCE ? statSync(file).size : bytes, version: key }),
  read: (key, _version, { start, end }) =>
    key === SOURCE
      ? createReadStream(file, { start, end: end - 1 })
      : Readable.from([tail.subarray(start - bytes + tail.length, end - bytes + tail.length)]),
  async write(_key, body) {
    for await (const chunk of body) {
      bytes += chunk.length;
      tail = Buffer.concat([tail, chunk]).subarray(-200_000);
    }
  },
  list: async () => [],
  removePrefix: async () => {},
};

// As much is alive as in a worker: V8 lets garbage grow in proportion to it.
const alive = Array.from({ length: 600_000 }, (_, index) => ({ index, text: `${index}` }));

const before = process.memoryUsage.rss();
let peak = before;
const sampler = setInterval(() => {
  peak = Math.max(peak, process.memoryUsage.rss());
}, 5);
const { registros } = await assemble(
  { store, limits: DEFAULT_LIMITS, level: 1 },
  {
    solicitudId: 's1',
    rfc: 'EKU9003173C9',
    tipo: 'emitidos',
    desde: '2024-01-01',
    hasta: '2024-01-31',
    formato,
    partes: [
      {
        canal: 'soap',
        folio: 'f',
        periodo: { inicio: '2024-01-01T00:00:00', fin: '2024-01-31T23:59:59' },
        recortar: false,
        confirmada: false,
        paquetes: [{ objectKey: SOURCE, paquete: 'a' }],
      },
    ],
  },
  new AbortController().signal,
);
clearInterval(sampler);
console.log(JSON.stringify({ registros, grownBytes: peak - before, alive: alive.length }));
