import { type CredencialCiec, SatError } from '@acuse/core';
import { askCaptcha } from '../captcha/resolvedor-captcha.ts';
import type { PageClient, Pagina } from '../page-client.ts';
import { classifyRechazo, type PaginaAcceso, readAcceso } from '../paginas/acceso/pagina-acceso.ts';
import { isPaginaEfirma } from '../paginas/acceso/pagina-efirma.ts';
import { encodeFormulario } from '../paginas/cuerpo-formulario.ts';
import { ilegible } from '../paginas/ilegible.ts';
import { destinoDeAcceso } from './destino-acceso.ts';
import { enviarAcceso } from './enviar-acceso.ts';
import type { AccesoDeps } from './portal.ts';

/**
 * Sends RFC and CIEC. A refused captcha is tried again with a new image, at most `captchaIntentos` times
 * (CAPTCHA_RECHAZADO). A refused CIEC is never sent a second time (CIEC_RECHAZADA), nor is one that was refused without
 * a reason we know, because the SAT locks accounts.
 */
export async function accederConCiec(
  { captcha, settings }: AccesoDeps,
  pageClient: PageClient,
  pagina: Pagina,
  credencial: CredencialCiec,
  hostAcceso: string,
  signal: AbortSignal,
): Promise<Pagina> {
  if (captcha === null) throw new SatError('SIN_RESOLVEDOR_DE_CAPTCHA');
  let actual = pagina;
  for (let intento = 1; intento <= settings.captchaIntentos; intento += 1) {
    if (intento > 1) actual = await pageClient.open(pagina.direccion, signal);
    const acceso = readAcceso(actual.etiquetas);
    if (acceso === null) throw ilegible('no es una página de acceso con CIEC');
    if (acceso.captcha === null) throw ilegible('página de acceso sin captcha');
    const respuesta = await askCaptcha(captcha, acceso.captcha, settings.captchaEsperaMs, signal);
    if (respuesta === null) continue;
    const destino = destinoDeAcceso(pageClient, actual, acceso.accion, hostAcceso);
    const body = fillIn(acceso, credencial, respuesta);
    const after = await enviarAcceso(pageClient, destino, body, settings, signal);
    const rechazo = readAcceso(after.etiquetas);
    if (rechazo === null) {
      if (isPaginaEfirma(after.etiquetas)) throw ilegible('tras la CIEC se pidió la e.firma');
      return after;
    }
    const motivo = classifyRechazo(rechazo.mensaje);
    if (motivo === 'SERVICIO') throw new SatError('SERVICIO_CON_ERROR', { codigo: 'ACCESO' });
    if (motivo !== 'CAPTCHA') throw new SatError('CIEC_RECHAZADA', { codigo: motivo });
  }
  throw new SatError('CAPTCHA_RECHAZADO', { detalle: `${settings.captchaIntentos} imágenes` });
}

function fillIn({ campos }: PaginaAcceso, { rfc, ciec }: CredencialCiec, userCaptcha: string): Buffer {
  return encodeFormulario(
    new Map<string, string | Buffer>([
      ...campos,
      ['Ecom_User_ID', rfc],
      ['Ecom_Password', ciec],
      ['option', 'credential'],
      ['userCaptcha', userCaptcha],
      ['submit', 'Enviar'],
    ]),
  );
}
