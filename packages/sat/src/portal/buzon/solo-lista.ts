import { SatError } from '@acuse/core';
import type { DireccionSat } from '../../http/direcciones.ts';
import type { SatHttp, SatHttpRequest } from '../../http/sat-http.ts';
import type { PageClient } from '../page-client.ts';

export const HOST_NOTIFICACIONES = 'agr.siat.sat.gob.mx';
/** The one page of the mailbox that may be asked for. */
export const LISTA_NOTIFICACIONES: DireccionSat = {
  host: HOST_NOTIFICACIONES,
  path: '/PTSC/notificacionElectronica/faces/Pages/principalNotificaciones.jsf',
};

/** Where the host's own log-in lives: the session broker and the assertion consumer of SAML. */
const ACCESO = /^\/(?:app\/seg|cloudc\/saml2|cloudc\/saml2slo|saml2\/sp)(?:\/|$)/;
/** What the broker adds to the page's address on the way back. */
const SOLO_DEL_BROKER = new Set(['parametro', 'idSessionBit']);

/**
 * The HTTP layer of the log-in: on the host of the notifications it lets nothing pass but the log-in itself and the GET
 * of the list. Opening a notification makes the taxpayer count as notified (article 134 of the Código Fiscal de la
 * Federación), so a redirect or a form that would do it is refused here, whatever page it is on: PETICION_RECHAZADA.
 */
export function guardHttp(http: SatHttp): SatHttp {
  return {
    ...http,
    request<E extends 'text' | 'stream'>(peticion: SatHttpRequest<E>) {
      if (peticion.host === HOST_NOTIFICACIONES && !isPermitida(peticion)) return Promise.reject(rejectApertura());
      return http.request(peticion);
    },
  };
}

function isPermitida({ method, path }: SatHttpRequest): boolean {
  const [camino = '', query = ''] = path.split('?');
  if (camino.includes('..') || camino.includes('%')) return false;
  if (ACCESO.test(camino)) return true;
  const propia = [...new URLSearchParams(query).keys()].every((clave) => SOLO_DEL_BROKER.has(clave));
  return method === 'GET' && camino === LISTA_NOTIFICACIONES.path && propia;
}

/**
 * A browser that can do one thing: GET the list, once, without going anywhere from it. Everything else is
 * PETICION_RECHAZADA.
 */
export function createListOnlyClient(pageClient: PageClient): PageClient {
  return {
    open: () => Promise.reject(rejectApertura()),
    submit: () => Promise.reject(rejectApertura()),
    request(peticion, signal) {
      const { host, path, method, body } = peticion;
      const lista = host === LISTA_NOTIFICACIONES.host && path === LISTA_NOTIFICACIONES.path;
      if (!lista || method !== 'GET' || body !== undefined) return Promise.reject(rejectApertura());
      return pageClient.request(peticion, signal);
    },
    resolve: (url, desde) => pageClient.resolve(url, desde),
    cookies: () => pageClient.cookies(),
  };
}

function rejectApertura(): SatError {
  return new SatError('PETICION_RECHAZADA', {
    detalle: 'una notificación no se abre: solo se pide la lista',
  });
}
