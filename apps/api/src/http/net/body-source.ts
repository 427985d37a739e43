import type { IncomingMessage } from 'node:http';
import { CfdiError } from '@acuse/contract';

/** Where the bytes of a body come from. */
export interface BodySource {
  /** Value of Content-Length, or null. */
  readonly declaredBytes: number | null;
  /**
   * Reads everything into one buffer of its own. Throws `CUERPO_DEMASIADO_GRANDE` as soon as `limit` bytes are passed.
   */
  read(limit: number): Promise<Buffer>;
}

/** Reads from the socket without an intermediate copy, so that secrets have as few places in memory as possible. */
export function incomingBody(incoming: IncomingMessage): BodySource {
  return {
    declaredBytes: declared(incoming.headers['content-length']),
    read: (limit) =>
      new Promise((resolve, reject) => {
        const chunks: Buffer[] = [];
        let size = 0;
        const finish = (settle: () => void) => {
          incoming.off('data', onData).off('end', onEnd).off('error', onCut).off('close', onCut);
          settle();
        };
        const onData = (chunk: Buffer) => {
          size += chunk.length;
          chunks.push(chunk);
          if (size <= limit) return;
          incoming.pause();
          wipe(chunks);
          finish(() => reject(new CfdiError('CUERPO_DEMASIADO_GRANDE')));
        };
        const onEnd = () => finish(() => resolve(join(chunks, size)));
        const onCut = () => {
          wipe(chunks);
          finish(() => reject(new CfdiError('PETICION_ILEGIBLE')));
        };
        if (incoming.readableEnded || incoming.destroyed) onCut();
        else incoming.on('data', onData).on('end', onEnd).on('error', onCut).on('close', onCut);
      }),
  };
}

/** Reads from a Request that did not come over a socket. */
export function requestBody(request: Request): BodySource {
  return {
    declaredBytes: declared(request.headers.get('content-length') ?? undefined),
    async read(limit) {
      const chunks: Buffer[] = [];
      let size = 0;
      if (request.body === null) return Buffer.alloc(0);
      const reader = request.body.getReader();
      for (let next = await reader.read(); !next.done; next = await reader.read()) {
        const chunk = Buffer.from(next.value.buffer, next.value.byteOffset, next.value.byteLength);
        size += chunk.length;
        chunks.push(chunk);
        if (size <= limit) continue;
        await reader.cancel();
        throw new CfdiError('CUERPO_DEMASIADO_GRANDE');
      }
      return join(chunks, size);
    },
  };
}

function declared(text: string | undefined): number | null {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : null;
}

/** One buffer outside of Node's shared pool; the pieces are zeroed. */
function join(chunks: readonly Buffer[], size: number): Buffer {
  const whole = Buffer.allocUnsafeSlow(size);
  let offset = 0;
  for (const chunk of chunks) offset += chunk.copy(whole, offset);
  wipe(chunks);
  return whole;
}

function wipe(chunks: readonly Buffer[]): void {
  for (const chunk of chunks) chunk.fill(0);
}
