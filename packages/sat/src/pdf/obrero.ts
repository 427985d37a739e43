import { parentPort } from 'node:worker_threads';
import { PdfIlegible, readDocumento } from './documento.ts';
import type { Resultado, Task } from './pagina-pdf.ts';

const port = parentPort;
if (port === null) throw new Error('obrero.ts runs in a worker thread only');

const Bytes = globalThis.Uint8Array;
let maxBloqueBytes = Number.POSITIVE_INFINITY;

/**
 * A stream that unpacks to gigabytes is held outside of the heap, where the limits of the thread do not count it. The
 * reader of PDF grows its buffers by asking for a new array of the length it needs, which is where it can be stopped.
 */
globalThis.Uint8Array = new Proxy(Bytes, {
  construct(target, args, newTarget) {
    const [length] = args;
    if (typeof length === 'number' && length > maxBloqueBytes) throw new RangeError('PDF too large unpacked');
    return Reflect.construct(target, args, newTarget);
  },
});
Reflect.deleteProperty(globalThis, 'DecompressionStream');

port.on('message', async ({ bytes, limites, maxBloqueBytes: max }: Task) => {
  maxBloqueBytes = max;
  try {
    port.postMessage({ paginas: await readDocumento(bytes, limites) } satisfies Resultado);
  } catch (error) {
    const motivo = error instanceof PdfIlegible ? error.motivo : 'PDF dañado';
    port.postMessage({ motivo } satisfies Resultado);
  }
});

port.postMessage('listo');
