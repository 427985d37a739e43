import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { calendarDay, SatError, type SatMetrics } from '@acuse/core';
import { createDirecciones, createSatHttp, type SatHttp, type SatHttpSettings } from '@acuse/sat';
import type { ClaveListado } from '../listados.ts';
import type { FilaEfos, FilaListado, HuellaLista, OpenLista } from '../listas.ts';
import { listaIlegible } from './decode.ts';
import { FORMATO_69B, type Formato, formatoDeListado } from './formatos.ts';
import { readLista } from './read-lista.ts';

const DATOS_ABIERTOS = 'https://wu1agsprosta001.blob.core.windows.net/agsc-publicaciones/Datos_abiertos';

/**
 * Where the SAT's page of open data links the files since 2026 (read there in August 2026 by public repositories). The
 * older addresses at omawww.sat.gob.mx still answer, with files of January 2026. Of the files that are not here no
 * address of today is known: they are not asked for until the operator says where.
 */
export const DIRECCIONES_LISTADOS: Readonly<Partial<Record<ClaveListado, string>>> = {
  '69-b': `${DATOS_ABIERTOS}/Documents_AGAFF/Listado_completo_69-B.csv`,
  '69-b-bis': `${DATOS_ABIERTOS}/Documents_AGGC/Listado_69_B_Bis_Completo.csv`,
  csd: `${DATOS_ABIERTOS}/Documents_AGR/CSDsinefectos.csv`,
  firmes: `${DATOS_ABIERTOS}/Documents_AGR/Firmes.csv`,
  exigibles: `${DATOS_ABIERTOS}/Documents_AGR/Exigibles.csv`,
  'no-localizados': `${DATOS_ABIERTOS}/Documents_AGR/No_localizados.csv`,
  cancelados: `${DATOS_ABIERTOS}/Documents_AGR/Cancelados.csv`,
  sentencias: `${DATOS_ABIERTOS}/Documents_AGR/Sentencias.csv`,
  'entes-publicos': `${DATOS_ABIERTOS}/Documents_AGR/EntespublicosydeGobiernoomisos.csv`,
  'reduccion-74': `${DATOS_ABIERTOS}/Documents_AGR/ReduccionArt74CFF.csv`,
};

/** Ten times the largest of 2026, which had 21 MB. */
const MAX_BYTES = 200 * 1024 * 1024;

export interface ListadoSettings {
  readonly http?: SatHttpSettings;
  /** Its full address. */
  readonly url: string;
  /** Largest body, bytes. */
  readonly maxBytes?: number;
  /** Sees every request. */
  readonly metrics?: SatMetrics;
}

/** A list at its source. */
export interface Fuente<F> {
  /** Asks for it unless it is the one already had (ETag, Last-Modified); resolves once its head has been read. */
  readonly abrir: OpenLista<F>;
  close(): Promise<void>;
}

/** The list of article 69-B at its source. */
export const createLista69b = (settings: ListadoSettings): Fuente<FilaEfos> => createFuente(FORMATO_69B, settings);

/** Any other list at its source. */
export const createListado = (clave: Exclude<ClaveListado, '69-b'>, settings: ListadoSettings): Fuente<FilaListado> =>
  createFuente(formatoDeListado(clave), settings);

/** The list of article 69-B in a file of this machine. */
export const openLista69b = (path: string): OpenLista<FilaEfos> => openArchivo(FORMATO_69B, path, null);

/** Any other list in a file of this machine; `fecha`: the day of its cut, `yyyy-MM-dd`, where it does not tell one. */
export const openListado = (
  clave: Exclude<ClaveListado, '69-b'>,
  path: string,
  fecha: string | null,
): OpenLista<FilaListado> => openArchivo(formatoDeListado(clave), path, fecha);

/** The bytes of a file are all there, however its last line ends. */
function openArchivo<F extends FilaEfos | FilaListado>(
  formato: Formato<F>,
  path: string,
  fecha: string | null,
): OpenLista<F> {
  return async (_previa, signal) => {
    const body = createReadStream(path, { signal });
    const lista = await readLista(body, formato, { hasEnd: true, fechaFuente: fecha });
    return { ...lista, fuente: `archivo:${basename(path)}`, etag: null, ultimaModificacion: null };
  };
}

function createFuente<F extends FilaEfos | FilaListado>(formato: Formato<F>, settings: ListadoSettings): Fuente<F> {
  const url = new URL(settings.url);
  const httpSettings = (isOurs(url) ? settings.http : reaching(url, settings.http)) ?? {};
  const http = createSatHttp(httpSettings, settings.metrics ? { metrics: settings.metrics } : {});
  // Where it is really fetched: a simulator's list must not pass for the SAT's when the one gives way to the other.
  const { origin, path } = createDirecciones(httpSettings).locate({ host: url.hostname, path: url.pathname });
  const source = { http, url, formato, fuente: origin + path, maxBytes: settings.maxBytes ?? MAX_BYTES };
  return { abrir: (previa, signal) => abrir(source, previa, signal), close: () => http.close() };
}

/** Whether it is where the SAT publishes; a simulator takes the place of that host. */
const isOurs = (url: URL) => url.href.startsWith(`${DATOS_ABIERTOS}/`);

/** An address of the operator's is allowed, and reached just there. */
function reaching(url: URL, http: SatHttpSettings = {}): SatHttpSettings {
  return {
    ...http,
    otrosHosts: [...(http.otrosHosts ?? []), url.hostname],
    baseUrls: { ...http.baseUrls, [url.hostname]: url.origin },
  };
}

async function abrir<F extends FilaEfos | FilaListado>(
  {
    http,
    url,
    formato,
    fuente,
    maxBytes,
  }: { http: SatHttp; url: URL; formato: Formato<F>; fuente: string; maxBytes: number },
  previa: HuellaLista | null,
  signal: AbortSignal,
): ReturnType<OpenLista<F>> {
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
    const lastModified = header('last-modified');
    const changed = new Date(lastModified ?? '');
    const lista = await readLista(answer.body, formato, {
      fechaFuente: Number.isNaN(changed.getTime()) ? null : calendarDay(changed),
      md5: header('content-md5') ?? undefined,
      hasEnd: header('content-length') !== null || header('transfer-encoding') !== null,
    });
    return {
      ...lista,
      fuente,
      etag: header('etag'),
      ultimaModificacion: lastModified,
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
