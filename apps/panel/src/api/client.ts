import type { ApiClient } from '@acuse/page';

interface ApiClientOptions {
  /** The only place that is ever called, without a slash at the end. */
  readonly url: string;
  readonly userAgent: string;
  /** Milliseconds; longer than the API lets a query at the SAT take. */
  readonly timeoutMs?: number;
  /** Bytes of an answer that are read. */
  readonly maxBytes?: number;
}

const TIMEOUT_MS = 95_000;
const MAX_BYTES = 262_144;
/** The API makes its description when it is first asked: seconds on a busy machine. */
const DESCRIBE_TIMEOUT_MS = 15_000;
const MAX_DESCRIPTION_BYTES = 4_194_304;

/** The way from the panel to the API of the same installation. It goes to no other host, and follows no redirect. */
export function createApiClient(options: ApiClientOptions): ApiClient {
  const { url, userAgent, timeoutMs = TIMEOUT_MS, maxBytes = MAX_BYTES } = options;
  return {
    async call({ nombre, cuerpo, apiKey, ip, idempotencyKey }) {
      const started = performance.now();
      const elapsed = () => Math.round(performance.now() - started);
      const signal = AbortSignal.timeout(timeoutMs);
      try {
        const response = await fetch(`${url}/api/v1/${nombre}`, {
          method: 'POST',
          redirect: 'manual',
          signal,
          headers: {
            'User-Agent': userAgent,
            'Content-Type': 'application/json',
            'X-Forwarded-For': ip,
            Authorization: `Bearer ${apiKey}`,
            ...(idempotencyKey ? { 'Idempotency-Key': idempotencyKey } : {}),
          },
          body: JSON.stringify(cuerpo),
        });
        const read = await readUpTo(response, maxBytes);
        const requestId = response.headers.get('x-request-id');
        return { tipo: 'respuesta', status: response.status, requestId, ms: elapsed(), ...read };
      } catch {
        return { tipo: 'sin-respuesta', motivo: signal.aborted ? 'tiempo' : 'conexion', ms: elapsed() };
      }
    },
    async describe() {
      const response = await fetch(`${url}/openapi.json`, {
        redirect: 'error',
        signal: AbortSignal.timeout(DESCRIBE_TIMEOUT_MS),
        headers: { 'User-Agent': userAgent },
      });
      const { texto, cortado } = await readUpTo(response, MAX_DESCRIPTION_BYTES);
      if (!response.ok || cortado) throw new Error(`the API answered ${response.status} for its description`);
      return JSON.parse(texto);
    },
  };
}

/** Reads at most `maxBytes` and lets the rest go. */
async function readUpTo(response: Response, maxBytes: number): Promise<{ texto: string; cortado: boolean }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk.subarray(0, maxBytes - size));
    size += chunk.length;
    if (size > maxBytes) break;
  }
  return { texto: new TextDecoder().decode(Buffer.concat(chunks)), cortado: size > maxBytes };
}

/** Whether a text can be sent as a Bearer token at all (RFC 6750, 2.1); anything else would not be a header. */
export function isTokenText(text: string): boolean {
  return /^[A-Za-z0-9._~+/=-]{1,512}$/.test(text);
}
