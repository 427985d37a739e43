import { type ConsultarConstanciaQr, type RespuestaConsultarConstanciaQr, SatError } from '@acuse/core';
import type { SatHttp } from '../http/sat-http.ts';
import { readPaginaQr } from './pagina-qr.ts';

const HOST = 'siat.sat.gob.mx';
const MAX_BYTES = 1024 * 1024;

/**
 * Reads the public page that the QR code of a constancia leads to (phpcfdi/csf-scraper; SAT-CFDI/python-satcfdi,
 * `csf`): names, address, regimes and situation, no obligations. Rejects with RESPUESTA_ILEGIBLE for any page but that
 * one and the page's own "not found".
 */
export async function consultarConstanciaQr(
  http: SatHttp,
  { rfc, idCif }: ConsultarConstanciaQr,
  signal: AbortSignal,
): Promise<RespuestaConsultarConstanciaQr> {
  if (!/^\d{1,15}$/.test(idCif)) throw new SatError('PETICION_RECHAZADA', { detalle: 'idCIF' });
  const respuesta = await http.request({
    host: HOST,
    path: `/app/qr/faces/pages/mobile/validadorqr.jsf?D1=10&D2=1&D3=${idCif}_${encodeURIComponent(rfc.toUpperCase())}`,
    method: 'GET',
    headers: { accept: 'text/html,application/xhtml+xml', 'accept-language': 'es-MX,es;q=0.9' },
    expect: 'text',
    maxBytes: MAX_BYTES,
    titular: rfc,
    signal,
  });
  try {
    if (respuesta.status !== 200) throw new SatError('SERVICIO_CON_ERROR', { codigo: `HTTP ${respuesta.status}` });
    const constancia = readPaginaQr(respuesta.body, rfc, idCif);
    return constancia === null ? { resultado: 'NO_ENCONTRADA' } : { resultado: 'ENCONTRADA', constancia };
  } catch (error) {
    if (error instanceof SatError && error.clase === 'reintentable') await respuesta.markFailed();
    throw error;
  }
}
