import { createSemaphore } from '@acuse/core';
import type { PanelDeps } from '../../deps.ts';
import { readCatalogo, type SandboxOperation } from './catalogo.ts';
import type { Cuerpo } from './cuerpo.ts';

const FRESH_MS = 60_000;
/** Calls of one person at a time: each may wait for the SAT for a minute. */
const MAX_POR_PERSONA = 3;

/** What the sandbox keeps for as long as its panel runs. */
export function createSandbox(deps: Pick<PanelDeps, 'settings' | 'now' | 'log'>) {
  const { settings, now, log } = deps;
  const userAgent = `acuse-panel/${settings.version}`;
  const api = createApiPropia({ url: settings.apiInternalUrl, userAgent });
  const turnos = createSemaphore({ perKey: MAX_POR_PERSONA });
  let known: { readonly at: number; readonly operaciones: readonly SandboxOperation[] } | null = null;

  return {
    api,
    /** The operations as the API describes them, read again after a minute; null while it does not answer. */
    async catalogo(): Promise<readonly SandboxOperation[] | null> {
      if (known && now().getTime() - known.at < FRESH_MS) return known.operaciones;
      // A known answer serves another minute while the API is down, so that pages do not wait for it.
      if (known) known = { ...known, at: now().getTime() };
      try {
        known = { at: now().getTime(), operaciones: readCatalogo(await api.describe()) };
      } catch (err) {
        log.warn({ err }, 'api_document_unavailable');
      }
      return known?.operaciones ?? null;
    },
    /** Runs a call unless the person already has as many under way as one may; then null. */
    withSlot: async <T>(usuarioId: string, run: () => Promise<T>) => turnos.tryRun(usuarioId, run),
  };
}

const sandboxes = new WeakMap<PanelDeps, ReturnType<typeof createSandbox>>();

/** The sandbox of this panel: one for each set of deps, made when it is first needed. */
export function sandboxOf(deps: PanelDeps) {
  const found = sandboxes.get(deps) ?? createSandbox(deps);
  sandboxes.set(deps, found);
  return found;
}

interface LlamadaPrueba {
  /** Path without /api/v1/, of an operation that the API has described itself. */
  readonly nombre: string;
  readonly cuerpo: Cuerpo;
  readonly apiKey: string;
  /** Of the person in front of the panel; the API believes it when it trusts the panel as a proxy. */
  readonly ip: string;
  readonly idempotencyKey: string | null;
}

export type SandboxResult =
  | {
      readonly tipo: 'respuesta';
      readonly status: number;
      readonly texto: string;
      /** The answer went on after `texto`. */
      readonly cortado: boolean;
      readonly requestId: string | null;
      readonly ms: number;
    }
  | { readonly tipo: 'sin-respuesta'; readonly motivo: 'tiempo' | 'conexion'; readonly ms: number };

export type ApiPropia = ReturnType<typeof createApiPropia>;

interface ApiPropiaOptions {
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
const DESCRIBE_TIMEOUT_MS = 5_000;
const MAX_DESCRIPTION_BYTES = 4_194_304;

/** The way from the panel to the API of the same installation. It goes to no other host, and follows no redirect. */
export function createApiPropia(options: ApiPropiaOptions) {
  const { url, userAgent, timeoutMs = TIMEOUT_MS, maxBytes = MAX_BYTES } = options;
  return {
    /** Calls one operation. Never rejects. */
    async call({ nombre, cuerpo, apiKey, ip, idempotencyKey }: LlamadaPrueba): Promise<SandboxResult> {
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
    /** The API's description of itself. Rejects when it does not answer. */
    async describe(): Promise<unknown> {
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

/** What an answer says; undefined when it is no JSON. */
export function readJson(texto: string): unknown {
  try {
    return JSON.parse(texto);
  } catch {
    return undefined;
  }
}

/** Whether a text can be sent as a Bearer token at all (RFC 6750, 2.1); anything else would not be a header. */
export function isTokenText(text: string): boolean {
  return /^[A-Za-z0-9._~+/=-]{1,512}$/.test(text);
}
