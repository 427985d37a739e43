import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { performance } from 'node:perf_hooks';
import { linkSignals, parseIp } from '@acuse/runtime';
import { Agent, type Dispatcher } from 'undici';
import { createFiltro, ipOfHost, type PoliticaDestino, readUrlDestino } from './destino.ts';
import type { FalloDeEntrega } from './fallos.ts';

/** Why there is no answer. */
export type ErrorEnvio = Exclude<FalloDeEntrega, 'SECRETO_ILEGIBLE'>;

/** What came of one try. */
export interface Envio {
  readonly ms: number;
  readonly status: number | null;
  readonly error: ErrorEnvio | null;
  /** How the answer began, as text without control characters. */
  readonly respuesta: string | null;
  /** Seconds that the receiver asks to be left alone for. */
  readonly retryAfter: number | null;
}

export interface Sender {
  /** Never rejects. `signal` gives the try up. */
  send(
    mensaje: { readonly url: string; readonly headers: Readonly<Record<string, string>>; readonly cuerpo: string },
    signal: AbortSignal,
  ): Promise<Envio>;
  close(): Promise<void>;
}

/** Of an answer: bytes read, so that a connection can be used again, and characters kept. */
const MAX_READ = 64 * 1_024;
const MAX_KEPT = 1_000;
const DNS = { timeout: 2_000, tries: 2 };
/** A day, in seconds: the longest `Retry-After` that counts. */
const MAX_RETRY_AFTER = 86_400;

class DireccionNoPermitida extends Error {
  readonly code = 'DIRECCION_NO_PERMITIDA';
}

const LOCAL = /(^|\.)localhost\.?$/i;

/**
 * All addresses of a name by the name servers of this machine, without the thread that `getaddrinfo` would block.
 * `localhost` is this machine, whatever they say (RFC 6761, 6.3).
 */
function createResolve(): (hostname: string) => Promise<readonly string[]> {
  const resolver = new Resolver(DNS);
  return async (hostname) => {
    if (LOCAL.test(hostname)) return ['127.0.0.1', '::1'];
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  };
}

/**
 * Sends messages to untrusted receivers. A name is resolved once for a connection, each of its addresses is checked,
 * and the connection goes to those and no others. A redirect is an ordinary answer and is not followed. `resolve`
 * stands in for the name servers.
 */
export function createSender({
  timeoutMs,
  resolve = createResolve(),
  ...politica
}: PoliticaDestino & {
  /** Milliseconds for one attempt, from the first packet to the last byte that is read. */
  readonly timeoutMs: number;
  readonly resolve?: (hostname: string) => Promise<readonly string[]>;
}): Sender {
  const isAllowed = createFiltro(politica);

  async function addressesOf(hostname: string) {
    const found = await resolve(hostname);
    if (found.length === 0) throw Object.assign(new Error('the name has no address'), { code: 'ENOTFOUND' });
    // One that is refused refuses all: who mixes them wants to see which one is taken.
    for (const address of found) {
      const ip = parseIp(address);
      if (ip === null || !isAllowed(ip)) throw new DireccionNoPermitida(address);
    }
    return found.map((address) => ({ address, family: isIP(address) }));
  }

  const lookup: LookupFunction = (hostname, options, done) => {
    addressesOf(hostname).then(
      (addresses) => {
        const wanted = addresses.filter(({ family }) => !options.family || family === options.family);
        const [first] = wanted;
        if (first === undefined) done(Object.assign(new Error('no such address'), { code: 'ENOTFOUND' }), '');
        else if (options.all) done(null, wanted);
        else done(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => done(error, ''),
    );
  };

  const agent = new Agent({
    // Certificates are checked whatever NODE_TLS_REJECT_UNAUTHORIZED says: only the named receiver gets the message.
    connect: { lookup, timeout: timeoutMs, rejectUnauthorized: true },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    keepAliveTimeout: 4_000,
    keepAliveMaxTimeout: 30_000,
    pipelining: 1,
  });

  return {
    async send({ url: text, headers, cuerpo }, signal) {
      const started = performance.now();
      const ended = (rest: Partial<Envio>): Envio => ({
        ms: Math.round(performance.now() - started),
        status: null,
        error: null,
        respuesta: null,
        retryAfter: null,
        ...rest,
      });
      // The policy may have changed since the URL was stored, and the agent resolves no name when the host is an
      // address.
      const { url, reparo } = readUrlDestino(text, politica);
      if (reparo !== undefined) return ended({ error: 'DIRECCION_NO_PERMITIDA' });
      const target = new URL(url);
      const ip = ipOfHost(target.hostname);
      if (ip !== null && !isAllowed(ip)) return ended({ error: 'DIRECCION_NO_PERMITIDA' });
      const limit = linkSignals([signal], timeoutMs);
      try {
        const answer = await agent.request({
          origin: target.origin,
          path: target.pathname + target.search,
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json', 'user-agent': 'Acuse-Webhooks/1.0' },
          body: cuerpo,
          signal: limit.signal,
        });
        const respuesta = await beginningOf(answer);
        return ended({ status: answer.statusCode, respuesta, retryAfter: retryAfterOf(answer.headers) });
      } catch (error) {
        return ended({ error: limit.signal.aborted ? 'TIEMPO_AGOTADO' : errorOf(error) });
      } finally {
        limit.release();
      }
    },
    close: () => agent.destroy(),
  };
}

/** The status is the answer: a body that breaks off or never ends changes nothing of it. */
async function beginningOf({ body }: Dispatcher.ResponseData): Promise<string> {
  const parts: Buffer[] = [];
  let read = 0;
  body.on('error', () => {});
  try {
    for await (const part of body) {
      const bytes = Buffer.from(part);
      if (read < MAX_KEPT * 4) parts.push(bytes);
      read += bytes.length;
      if (read >= MAX_READ) break;
    }
  } catch {
    // As far as it came.
  }
  body.destroy();
  return plain(Buffer.concat(parts).toString('utf8'));
}

/** What a page can show and a database can keep: control characters as spaces. */
const plain = (text: string): string =>
  [...text.slice(0, MAX_KEPT * 2).replace(/\p{C}/gu, ' ')].slice(0, MAX_KEPT).join('').trim();

function retryAfterOf(headers: Dispatcher.ResponseData['headers']): number | null {
  const value = headers['retry-after'];
  if (typeof value !== 'string') return null;
  const seconds = /^\d{1,9}$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1_000;
  return Number.isFinite(seconds) ? Math.min(Math.max(0, Math.ceil(seconds)), MAX_RETRY_AFTER) : null;
}

const BY_CODE: ReadonlyMap<unknown, ErrorEnvio> = new Map([
  ['DIRECCION_NO_PERMITIDA', 'DIRECCION_NO_PERMITIDA'],
  ['ENOTFOUND', 'NOMBRE_SIN_DIRECCION'],
  ['ECONNREFUSED', 'CONEXION_RECHAZADA'],
  ['EHOSTUNREACH', 'CONEXION_RECHAZADA'],
  ['ENETUNREACH', 'CONEXION_RECHAZADA'],
  ['ETIMEDOUT', 'TIEMPO_AGOTADO'],
  ['UND_ERR_CONNECT_TIMEOUT', 'TIEMPO_AGOTADO'],
  ['UND_ERR_HEADERS_TIMEOUT', 'TIEMPO_AGOTADO'],
  ['UND_ERR_BODY_TIMEOUT', 'TIEMPO_AGOTADO'],
]);

const TLS =
  /^(ERR_TLS|ERR_SSL|ERR_OSSL|EPROTO|CERT_|CRL_|CA_|EE_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|ERROR_IN_CERT|INVALID_(CA|PURPOSE)|PATH_LENGTH|HOSTNAME_MISMATCH)/;

function errorOf(error: unknown): ErrorEnvio {
  const { code, errors } = error as { code?: unknown; errors?: readonly unknown[] };
  const known = BY_CODE.get(code);
  if (known !== undefined) return known;
  if (typeof code === 'string' && TLS.test(code)) return 'TLS_INVALIDO';
  // Several addresses were tried: the first tells.
  if (Array.isArray(errors) && errors.length > 0) return errorOf(errors[0]);
  return 'CONEXION_CORTADA';
}
