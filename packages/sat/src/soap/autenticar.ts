import { SatError } from '@acuse/core';
import type { SatHttp } from '../http/sat-http.ts';
import type { Firmante } from './efirma.ts';
import { type LeerFalla, llamar, type RespuestaSoap } from './llamar.ts';
import type { ServicioSoap } from './servicio.ts';
import { sobreAutentica } from './sobres.ts';
import { onlyChild, unreadable } from './xml.ts';

export interface Token {
  /** Passed on exactly as received. */
  readonly valor: string;
  /** Milliseconds that it lives, counted from its making. */
  readonly vidaMs: number;
}

/** The widest difference of clocks that is not called one; the SAT allows a message five minutes. */
const DESFASE_MAXIMO_MS = 4 * 60_000;

/** No token is believed to live longer than this, whatever the answer says. */
const VIDA_MAXIMA_MS = 10 * 60_000;

/** Asks one service of the SAT for a token, which is good for that service only. Rejects with a SatError. */
export async function autenticar(
  http: SatHttp,
  servicio: ServicioSoap,
  firmante: Firmante,
  now: () => number,
  options: { maxBytes: number; signal: AbortSignal },
): Promise<Token> {
  const respuesta = await llamar(
    http,
    {
      paso: servicio.autentica,
      sobre: sobreAutentica(firmante, new Date(now())),
      signal: options.signal,
    },
    options.maxBytes,
    leerFalla(firmante, now),
  );
  return { valor: readToken(respuesta), vidaMs: readVida(respuesta) };
}

/**
 * `InvalidSecurity` says that the message was not believed, not why: a wrong signature, a clock that is off, or a bad
 * hour of the service. Revoked, expired and non-e.firma certificates were reported to pass here and to be refused later
 * with 304 and 305 (luisiturrios1/python-cfdiclient#11, #48). Blaming the e.firma stops the taxpayer's work until it is
 * stored again, so it is blamed only on evidence of our own: its certificate is not valid at the server's time. (That
 * the key fits the certificate was checked before sending.) Everything else may be tried again.
 */
function leerFalla(firmante: Firmante, now: () => number): LeerFalla {
  return (codigo, fecha) => {
    const servidor = fecha?.getTime() ?? now();
    const desfase = Math.abs(servidor - now());
    const outside = servidor < firmante.validoDesde.getTime() || servidor > firmante.validoHasta.getTime();
    if (codigo.endsWith(':InvalidSecurity') && outside) {
      return new SatError('EFIRMA_RECHAZADA', { codigo, detalle: 'certificado fuera de su vigencia' });
    }
    const detalle = desfase > DESFASE_MAXIMO_MS ? `relojes desfasados ${Math.round(desfase / 1000)} s` : undefined;
    return new SatError('SERVICIO_CON_ERROR', { codigo, ...(detalle === undefined ? {} : { detalle }) });
  };
}

function readToken({ contenido }: RespuestaSoap): string {
  if (contenido.nombre !== 'AutenticaResponse') throw unreadable('falta AutenticaResponse');
  const valor = onlyChild(contenido, 'AutenticaResult').texto;
  // It becomes part of a header: visible ASCII without the quote that ends it there.
  if (!/^[\x21\x23-\x7e]{1,8192}$/.test(valor)) throw unreadable('token ilegible');
  return valor;
}

/** Its life by the SAT's own clock, so that a difference between that clock and ours does not matter. */
function readVida({ header }: RespuestaSoap): number {
  if (header === undefined) throw unreadable('falta Header');
  const timestamp = onlyChild(onlyChild(header, 'Security'), 'Timestamp');
  const created = Date.parse(onlyChild(timestamp, 'Created').texto);
  const expires = Date.parse(onlyChild(timestamp, 'Expires').texto);
  if (!(expires > created)) throw unreadable('vigencia del token ilegible');
  return Math.min(expires - created, VIDA_MAXIMA_MS);
}
