import { SatError } from '@acuse/core';
import { untilCancelled } from '../http/cuerpo.ts';
import type { SatHttp } from '../http/sat-http.ts';
import { ilegible } from '../texto.ts';
import { call, type ReadFalla, type RespuestaSoap } from './call.ts';
import type { Signer } from './efirma.ts';
import { NS_AUTENTICA, type ServicioSoap, sobreAutentica, WSSE, WSU } from './sobres.ts';
import { onlyChild, resultOf } from './xml.ts';

export type Tokens = ReturnType<typeof createTokens>;

interface EnCurso {
  readonly promise: Promise<string>;
  readonly controller: AbortController;
  waiting: number;
}

/**
 * Keeps tokens in memory, under the certificate they were made with, and never longer than they live. Handing a token
 * to another query with the same certificate gives nothing away: `openEfirma` demands the private key first, and every
 * message is signed with it; those signed beforehand are kept apart.
 */
export function createTokens(deps: {
  authenticate: (signer: Signer, signal: AbortSignal) => Promise<Token>;
  now: () => number;
  marginMs: number;
}) {
  const vigentes = new Map<string, { valor: string; renewAt: number }>();
  const enCurso = new Map<string, EnCurso>();

  function start(signer: Signer): EnCurso {
    const controller = new AbortController();
    const sentAt = deps.now();
    const promise = deps
      .authenticate(signer, controller.signal)
      .then(({ valor, vidaMs }) => {
        for (const [huella, { renewAt }] of vigentes) if (renewAt <= deps.now()) vigentes.delete(huella);
        vigentes.set(signer.huella, { valor, renewAt: sentAt + vidaMs - deps.marginMs });
        return valor;
      })
      .finally(() => {
        if (enCurso.get(signer.huella)?.promise === promise) enCurso.delete(signer.huella);
      });
    const flight = { promise, controller, waiting: 0 };
    enCurso.set(signer.huella, flight);
    return flight;
  }

  return {
    /**
     * A token that is good for at least the margin; one authentication at a time per certificate, shared by all who
     * wait.
     */
    async get(signer: Signer, signal: AbortSignal): Promise<string> {
      if (signal.aborted) throw new SatError('CANCELADA');
      const vigente = vigentes.get(signer.huella);
      if (vigente !== undefined && deps.now() < vigente.renewAt) return vigente.valor;
      const flight = enCurso.get(signer.huella) ?? start(signer);
      flight.waiting += 1;
      try {
        return await untilCancelled(() => flight.promise, signal);
      } finally {
        flight.waiting -= 1;
        if (flight.waiting === 0) {
          if (enCurso.get(signer.huella) === flight) enCurso.delete(signer.huella);
          flight.controller.abort();
        }
      }
    },
    /** Forgets a token that the SAT refused, unless it has been replaced meanwhile. */
    discard(signer: Signer, token: string): void {
      if (vigentes.get(signer.huella)?.valor === token) vigentes.delete(signer.huella);
    },
  };
}

interface Token {
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
export async function requestToken(
  http: SatHttp,
  servicio: ServicioSoap,
  signer: Signer,
  now: () => number,
  options: { maxBytes: number; signal: AbortSignal },
): Promise<Token> {
  const respuesta = await call(
    http,
    { paso: servicio.autentica, sobre: sobreAutentica(signer, new Date(now())), signal: options.signal },
    options.maxBytes,
    readFalla(signer, now),
  );
  return { valor: readToken(respuesta), vidaMs: readLifetime(respuesta) };
}

/**
 * `InvalidSecurity` says that the message was not believed, not why: a wrong signature, a clock that is off, or a bad
 * hour of the service. Revoked, expired and non-e.firma certificates were reported to pass here and to be refused later
 * with 304 and 305 (luisiturrios1/python-cfdiclient#11, #48). Blaming the e.firma stops the taxpayer's work until it is
 * stored again, so it is blamed only on evidence of our own: its certificate is not valid at the server's time. (That
 * the key fits the certificate was checked before sending.) Everything else may be tried again.
 */
function readFalla(signer: Signer, now: () => number): ReadFalla {
  return (codigo, fecha) => {
    const servidor = fecha?.getTime() ?? now();
    const desfase = Math.abs(servidor - now());
    const outside = servidor < signer.validoDesde.getTime() || servidor > signer.validoHasta.getTime();
    if (codigo.endsWith(':InvalidSecurity') && outside) {
      return new SatError('EFIRMA_RECHAZADA', { codigo, detalle: 'certificado fuera de su vigencia' });
    }
    const detalle = desfase > DESFASE_MAXIMO_MS ? `relojes desfasados ${Math.round(desfase / 1000)} s` : undefined;
    return new SatError('SERVICIO_CON_ERROR', { codigo, ...(detalle === undefined ? {} : { detalle }) });
  };
}

function readToken({ contenido }: RespuestaSoap): string {
  const valor = resultOf(contenido, NS_AUTENTICA, 'Autentica').texto;
  // It becomes part of a header: visible ASCII without the quote that ends it there.
  if (!/^[\x21\x23-\x7e]{1,8192}$/.test(valor)) throw ilegible('token ilegible');
  return valor;
}

/** Its life by the SAT's own clock, so that a difference between that clock and ours does not matter. */
function readLifetime({ header }: RespuestaSoap): number {
  if (header === undefined) throw ilegible('falta Header');
  const timestamp = onlyChild(onlyChild(header, WSSE, 'Security'), WSU, 'Timestamp');
  const created = Date.parse(onlyChild(timestamp, WSU, 'Created').texto);
  const expires = Date.parse(onlyChild(timestamp, WSU, 'Expires').texto);
  if (!(expires > created)) throw ilegible('vigencia del token ilegible');
  return Math.min(expires - created, VIDA_MAXIMA_MS);
}
