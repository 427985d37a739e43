import { type CredencialEfirma, SatError } from '@acuse/core';
import { toForma } from '../../texto/forma.ts';
import type { PageClient, Pagina } from '../page-client.ts';
import { classifyRechazo, readAcceso, readMensaje } from '../paginas/acceso/pagina-acceso.ts';
import { isPaginaEfirma, readPaginaEfirma } from '../paginas/acceso/pagina-efirma.ts';
import { encodeFormulario } from '../paginas/cuerpo-formulario.ts';
import { ilegible } from '../paginas/ilegible.ts';
import { destinoDeAcceso } from './destino-acceso.ts';
import { enviarAcceso } from './enviar-acceso.ts';
import { firmarAcceso } from './firma-acceso.ts';
import type { AccesoDeps } from './portal.ts';

/**
 * Signs the challenge of the page, once. On the page of the CIEC it first follows the button "e.firma". A page of the
 * provider that asks to log in again, or shows an error, means that the SAT refused the e.firma (EFIRMA_RECHAZADA with
 * the codigo REVOCADA, NO_VIGENTE, CUENTA_BLOQUEADA or SIN_MOTIVO), unless it says that the service failed.
 */
export async function accederConEfirma(
  { settings }: AccesoDeps,
  pageClient: PageClient,
  pagina: Pagina,
  credencial: CredencialEfirma,
  hostAcceso: string,
  signal: AbortSignal,
): Promise<Pagina> {
  const actual = await findPaginaEfirma(pageClient, pagina, hostAcceso, signal);
  const acceso = readPaginaEfirma(actual.etiquetas);
  if (acceso === null) throw ilegible('no es la página de acceso con e.firma');
  const destino = destinoDeAcceso(pageClient, actual, acceso.accion, hostAcceso);
  const { token, fert } = firmarAcceso(credencial, acceso.guid);
  const body = encodeFormulario(new Map([...acceso.campos, ['token', token], ['guid', acceso.guid], ['fert', fert]]));
  const after = await enviarAcceso(pageClient, destino, body, settings, signal);
  const mensaje = after.direccion.host === hostAcceso ? readMensaje(after.etiquetas) : '';
  const asksAgain = isPaginaEfirma(after.etiquetas) || readAcceso(after.etiquetas) !== null;
  if (!asksAgain && mensaje === '') return after;
  const codigo = classifyRechazoEfirma(mensaje);
  if (codigo === 'SERVICIO') throw new SatError('SERVICIO_CON_ERROR', { codigo: 'ACCESO' });
  throw new SatError('EFIRMA_RECHAZADA', { codigo });
}

function classifyRechazoEfirma(mensaje: string) {
  const texto = toForma(mensaje);
  if (/\brevocad[oa]\b/.test(texto)) return 'REVOCADA';
  if (/\bno (?:esta|se encuentra) vigente\b|\bcaduc|\bvencid[oa]\b|\bexpirad[oa]\b/.test(texto)) return 'NO_VIGENTE';
  const motivo = classifyRechazo(mensaje);
  return motivo === 'SERVICIO' || motivo === 'CUENTA_BLOQUEADA' ? motivo : 'SIN_MOTIVO';
}

async function findPaginaEfirma(
  pageClient: PageClient,
  pagina: Pagina,
  hostAcceso: string,
  signal: AbortSignal,
): Promise<Pagina> {
  if (isPaginaEfirma(pagina.etiquetas)) return pagina;
  const enlace = readAcceso(pagina.etiquetas)?.efirma;
  if (enlace == null) throw ilegible('no es una página de acceso con e.firma');
  return pageClient.open(destinoDeAcceso(pageClient, pagina, enlace, hostAcceso), signal);
}
