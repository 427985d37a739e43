import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { createSemaphore, SatError } from '@acuse/core';
import { linkSignals } from '@acuse/runtime';
import type { MotivoPdf, PaginaPdf, Resultado, Task } from './pagina-pdf.ts';

const DEFAULTS = {
  /** Documents read at the same time; more wait. */
  maxThreads: 2,
  /** Time for one document, milliseconds, the wait for a thread not counted. */
  timeoutMs: 15_000,
  /** A thread without work ends after this, milliseconds: it holds some 100 MB. */
  inactivoMs: 30_000,
  /** Largest document, bytes. The SAT's have a few hundred KB. */
  maxBytes: 10 * 1024 * 1024,
  /** Heap of a thread, MB. */
  maxHeapMb: 256,
  /** Largest single stream of a document, unpacked, bytes. */
  maxBloqueBytes: 16 * 1024 * 1024,
  maxPaginas: 60,
  maxTrazos: 200_000,
  maxCaracteres: 2_000_000,
};
export type LectorPdfSettings = Partial<typeof DEFAULTS>;

/**
 * Reads the text of a PDF in its own thread, so that a hostile document neither blocks nor ends the process. Rejects
 * with SatError RESPUESTA_ILEGIBLE for a document that is no PDF, incomplete, damaged, encrypted, too large, without
 * text, or too slow to read; with CANCELADA when the caller gave up or the reader is closed.
 */
export type ReadPdf = (
  bytes: Uint8Array,
  envio: { readonly signal: AbortSignal; readonly maxPaginas?: number },
) => Promise<readonly PaginaPdf[]>;

/**
 * Threads are started when first needed, kept for a while if their documents behave, and do not keep the process alive
 * while they are idle.
 */
export function createLectorPdf(settings: LectorPdfSettings = {}) {
  const s = { ...DEFAULTS, ...settings };
  const libres = new Map<Worker, NodeJS.Timeout>();
  const alive = new Set<Worker>();
  const turnos = createSemaphore({ total: s.maxThreads });
  const closing = new AbortController();

  async function start(signal: AbortSignal): Promise<Worker> {
    const thread = new Worker(ENTRADA, {
      execArgv: [],
      env: {},
      name: 'pdf',
      resourceLimits: { maxOldGenerationSizeMb: s.maxHeapMb, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
      stdout: true,
      stderr: true,
    });
    alive.add(thread);
    thread.on('error', () => {});
    thread.once('exit', () => {
      alive.delete(thread);
      // It may have fallen while it was idle.
      takeFree(thread);
    });
    try {
      // A thread that does not even load is a fault of this installation, and its own error says so.
      await once(thread, 'message', { signal });
      return thread;
    } catch (error) {
      await thread.terminate();
      throw signal.aborted ? new SatError('CANCELADA') : error;
    }
  }

  function takeFree(thread: Worker | undefined = [...libres.keys()].at(-1)): Worker | undefined {
    if (thread === undefined || !libres.has(thread)) return undefined;
    clearTimeout(libres.get(thread));
    libres.delete(thread);
    return thread;
  }

  function putFree(thread: Worker): void {
    thread.unref();
    const timer = setTimeout(() => {
      libres.delete(thread);
      void thread.terminate();
    }, s.inactivoMs);
    timer.unref();
    libres.set(thread, timer);
  }

  async function run(task: Task, signal: AbortSignal): Promise<readonly PaginaPdf[]> {
    const thread = takeFree() ?? (await start(signal));
    thread.ref();
    const resultado = await ask(thread, task, s.timeoutMs, signal).catch(async (error: unknown) => {
      await thread.terminate();
      throw error;
    });
    // The parser may have left something running on a document that was not read to its end, which would fall on the
    // next one.
    if ('motivo' in resultado && !SIN_ABRIR.has(resultado.motivo)) await thread.terminate();
    else putFree(thread);
    if ('motivo' in resultado) throw ilegible(resultado.motivo);
    return resultado.paginas;
  }

  const read: ReadPdf = async (bytes, { signal, maxPaginas = s.maxPaginas }) => {
    if (signal.aborted || closing.signal.aborted) throw new SatError('CANCELADA');
    if (bytes.length > s.maxBytes) throw ilegible('PDF demasiado grande');
    const life = linkSignals([signal, closing.signal]);
    try {
      return await turnos.run('', life.signal, () => {
        const { maxTrazos, maxCaracteres, maxBloqueBytes } = s;
        const limites = { maxPaginas, maxTrazos, maxCaracteres };
        return run({ bytes: Uint8Array.from(bytes), limites, maxBloqueBytes }, life.signal);
      });
    } finally {
      life.release();
    }
  };

  return {
    read,
    /** Threads that are alive. */
    get threads() {
      return alive.size;
    },
    /** Ends the threads and whatever they are at. */
    async close() {
      closing.abort();
      for (const thread of [...libres.keys()]) takeFree(thread);
      await Promise.all([...alive].map((thread) => thread.terminate()));
    },
  };
}

/** Refused by its bytes alone, before a parser saw it. */
const SIN_ABRIR: ReadonlySet<MotivoPdf> = new Set<MotivoPdf>(['no es un PDF', 'PDF incompleto']);

/** The program of a thread, beside this file: compiled when this file is, else by its source. */
const ENTRADA = new URL(import.meta.url.endsWith('.ts') ? './obrero-fuente.mjs' : './obrero.js', import.meta.url);

async function ask(thread: Worker, task: Task, timeoutMs: number, signal: AbortSignal): Promise<Resultado> {
  const end = new AbortController();
  const timer = setTimeout(() => end.abort(ilegible('el PDF no se leyó a tiempo')), timeoutMs);
  const cancel = () => end.abort(new SatError('CANCELADA'));
  const gone = () => end.abort(ilegible('el hilo que leía el PDF terminó'));
  signal.addEventListener('abort', cancel, { once: true });
  thread.once('exit', gone);
  if (signal.aborted) cancel();
  try {
    const answer = once(thread, 'message', { signal: end.signal });
    thread.postMessage(task, [task.bytes.buffer as ArrayBuffer]);
    return (await answer)[0] as Resultado;
  } catch {
    // The document caused the end of a working thread, by memory or by an uncaught error.
    throw end.signal.reason ?? ilegible('PDF dañado');
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', cancel);
    thread.off('exit', gone);
  }
}

function ilegible(detalle: string): SatError {
  return new SatError('RESPUESTA_ILEGIBLE', { detalle });
}
