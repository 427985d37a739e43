import type { Readable } from 'node:stream';

/** How often in a row a body may break off without having given a byte. */
const MAX_FRUITLESS = 3;

/**
 * The bytes of a range, fetched again from where it broke off when a connection is cut. `open` asks for the bytes from
 * an offset to the end of the range; what it rejects with is final.
 */
export async function* readRange(
  open: (start: number) => Promise<Readable>,
  range: { readonly start: number; readonly end: number },
  signal: AbortSignal,
): AsyncGenerator<Buffer, void, undefined> {
  let at = range.start;
  let fruitless = 0;
  while (at < range.end) {
    const before = at;
    const body = await open(at);
    let failure: unknown = new Error(`the storage ended a body before byte ${range.end}`);
    const stop = () => body.destroy(signal.reason instanceof Error ? signal.reason : undefined);
    signal.addEventListener('abort', stop, { once: true });
    try {
      for await (const chunk of body) {
        const wanted = (chunk as Buffer).subarray(0, range.end - at);
        at += wanted.length;
        if (wanted.length > 0) yield wanted;
        if (at === range.end) return;
      }
    } catch (error) {
      failure = error;
    } finally {
      signal.removeEventListener('abort', stop);
      body.destroy();
    }
    signal.throwIfAborted();
    fruitless = at > before ? 0 : fruitless + 1;
    if (fruitless === MAX_FRUITLESS) throw failure;
  }
}
