import { type HuellaLista, type OpenListaEfos, SatError, type SatMetrics } from '@acuse/core';
import { createDirecciones, type SatHttpSettings } from '../http/direcciones.ts';
import { createSatHttp, type SatHttp } from '../http/sat-http.ts';
import { listaIlegible } from './decode.ts';
import { readLista69b } from './read-lista-69b.ts';

/**
 * The whole list, as the SAT's page of open data links it since 2026; the older address at omawww.sat.gob.mx is frozen
 * at the cut of 2025-12-31.
 */
const LISTA_69B_URL =
  'https://wu1agsprosta001.blob.core.windows.net/agsc-publicaciones/Datos_abiertos/Documents_AGAFF/Listado_completo_69-B.csv';

/** Ten times the list of 2026. */
const MAX_BYTES = 50 * 1024 * 1024;

export interface Lista69bSettings {
  readonly http?: SatHttpSettings;
  /** Full address of the list. Default: {@link LISTA_69B_URL}. */
  readonly url?: string;
  /** Largest body, bytes. */
  readonly maxBytes?: number;
  /** Sees every request. */
  readonly metrics?: SatMetrics;
}

export interface Lista69b {
  readonly abrir: OpenListaEfos;
  close(): Promise<void>;
}

/**
 * The list of article 69-B at its source. `abrir` asks for it unless it is the one already had (ETag, Last-Modified),
 * and resolves once its head has been read; the rows follow as they arrive.
 */
export function createLista69b(settings: Lista69bSettings = {}): Lista69b {
  const url = new URL(settings.url ?? LISTA_69B_URL);
  const httpSettings = (settings.url === undefined ? settings.http : reaching(url, settings.http)) ?? {};
  const http = createSatHttp(httpSettings, settings.metrics ? { metrics: settings.metrics } : {});
  // Where it is really fetched: a simulator's list must not pass for the SAT's when the one gives way to the other.
  const { origin, path } = createDirecciones(httpSettings).locate({ host: url.hostname, path: url.pathname });
  const source = { http, url, fuente: origin + path, maxBytes: settings.maxBytes ?? MAX_BYTES };
  return { abrir: (previa, signal) => abrir(source, previa, signal), close: () => http.close() };
}

/** An address of the operator's is allowed, and reached just there. */
function reaching(url: URL, http: SatHttpSettings = {}): SatHttpSettings {
  return {
    ...http,
    otrosHosts: [...(http.otrosHosts ?? []), url.hostname],
    baseUrls: { ...http.baseUrls, [url.hostname]: url.origin },
  };
}

async function abrir(
  { http, url, fuente, maxBytes }: { http: SatHttp; url: URL; fuente: string; maxBytes: number },
  previa: HuellaLista | null,
  signal: AbortSignal,
): ReturnType<OpenListaEfos> {
  const answer = await http.request({
    host: url.hostname,
    path: `${url.pathname}${url.search}`,
    method: 'GET',
    headers: { accept: 'text/csv, */*;q=0.1', ...(previa?.fuente === fuente ? condition(previa) : {}) },
    signal,
    expect: 'stream',
    maxBytes,
  });
  if (answer.status === 304 && previa?.fuente === fuente) {
    answer.body.resume();
    return null;
  }
  try {
    if (answer.status !== 200) throw listaIlegible(`HTTP ${answer.status}`);
    const header = (name: string) => {
      const value = answer.headers[name];
      return typeof value === 'string' && value.length <= 256 ? value : null;
    };
    const lista = await readLista69b(answer.body, {
      md5: header('content-md5') ?? undefined,
      hasEnd: header('content-length') !== null || header('transfer-encoding') !== null,
    });
    return {
      ...lista,
      fuente,
      etag: header('etag'),
      ultimaModificacion: header('last-modified'),
      close() {
        lista.close();
        answer.body.destroy();
      },
    };
  } catch (error) {
    answer.body.destroy();
    await answer.markFailed();
    throw signal.aborted ? new SatError('CANCELADA') : error;
  }
}

function condition({ etag, ultimaModificacion }: HuellaLista): Record<string, string> {
  return {
    ...(etag === null ? {} : { 'if-none-match': etag }),
    ...(ultimaModificacion === null ? {} : { 'if-modified-since': ultimaModificacion }),
  };
}
