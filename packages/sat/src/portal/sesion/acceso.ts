import { type Credencial, type CredencialCiec, SatError } from '@acuse/core';
import { askCaptcha } from '../captcha/resolvedor-captcha.ts';
import { createNavegador, type Navegador, type Pagina } from '../navegador.ts';
import { encodeFormulario } from '../paginas/cuerpo-formulario.ts';
import { ilegible } from '../paginas/ilegible.ts';
import { classifyRechazo, type PaginaAcceso, readPaginaAcceso } from '../paginas/pagina-acceso.ts';
import { readRfcAutenticado } from '../paginas/pagina-portal.ts';
import { HOST_ACCESO, HOST_PORTAL } from '../settings.ts';
import type { AccesoDeps, Portal } from './portal.ts';

/** The CFDI portal (issued and received). */
export const PORTAL_CFDI: Portal = {
  nombre: 'cfdi',
  open: openSesion,
  salida: { host: HOST_PORTAL, path: '/logout.aspx?salir=y' },
};

const PAGINA_ACCESO = '/nidp/app/login?id=SATUPCFDiCon&sid=0&option=credential&sid=0';

/**
 * Logs in to the CFDI portal with RFC and CIEC and gives back the browser that holds the session.
 *
 * A refused captcha is tried again with a new image, at most `captchaIntentos` times (CAPTCHA_RECHAZADO). A refused CIEC is
 * never sent a second time (CIEC_RECHAZADA), nor is one that was refused without a reason we know, because the SAT locks
 * accounts. The portal's page must name the RFC of the credential, else RESPUESTA_ILEGIBLE.
 */
export async function openSesion(
  { http, captcha, settings }: AccesoDeps,
  credencial: Credencial,
  signal: AbortSignal,
): Promise<Navegador> {
  if (credencial.tipo !== 'ciec') throw new SatError('CANAL_DESACTIVADO', { detalle: 'cfdi: e.firma' });
  if (captcha === null) throw new SatError('SIN_RESOLVEDOR_DE_CAPTCHA');
  const navegador = createNavegador(http, settings);
  for (let intento = 1; intento <= settings.captchaIntentos; intento += 1) {
    const pagina = await navegador.open({ host: HOST_ACCESO, path: PAGINA_ACCESO }, signal);
    const acceso = readPaginaAcceso(pagina.texto);
    if (acceso?.captcha == null) throw ilegible('pagina de acceso sin captcha');
    const respuesta = await askCaptcha(captcha, acceso.captcha, settings.captchaEsperaMs, signal);
    if (respuesta === null) continue;
    const after = await sendAcceso(navegador, pagina, acceso, credencial, respuesta, signal);
    const rechazo = readPaginaAcceso(after.texto);
    if (rechazo === null) {
      await enterPortal(navegador, credencial.rfc, signal);
      return navegador;
    }
    const motivo = classifyRechazo(rechazo.mensaje);
    if (motivo === 'SERVICIO') throw new SatError('SERVICIO_CON_ERROR', { codigo: 'ACCESO' });
    if (motivo !== 'CAPTCHA') throw new SatError('CIEC_RECHAZADA', { codigo: motivo });
  }
  throw new SatError('CAPTCHA_RECHAZADO', { detalle: `${settings.captchaIntentos} imágenes` });
}

async function sendAcceso(
  navegador: Navegador,
  { direccion }: Pagina,
  acceso: PaginaAcceso,
  { rfc, ciec }: CredencialCiec,
  userCaptcha: string,
  signal: AbortSignal,
): Promise<Pagina> {
  const destino = navegador.resolve(acceso.accion === '' ? direccion.path : acceso.accion, direccion);
  if (destino.host !== HOST_ACCESO) {
    throw new SatError('HOST_NO_PERMITIDO', { detalle: 'la CIEC solo va a la página de acceso' });
  }
  const body = encodeFormulario(
    new Map<string, string | Buffer>([
      ...acceso.campos,
      ['Ecom_User_ID', rfc],
      ['Ecom_Password', ciec],
      ['option', 'credential'],
      ['userCaptcha', userCaptcha],
      ['submit', 'Enviar'],
    ]),
  );
  try {
    return await navegador.submit(destino, body, signal);
  } finally {
    body.fill(0);
  }
}

/** The portal sends the browser through the identity provider (WS-Federation) and ends on a page that names the RFC. */
async function enterPortal(navegador: Navegador, rfc: string, signal: AbortSignal): Promise<void> {
  const pagina = await navegador.open({ host: HOST_PORTAL, path: '/' }, signal);
  if (pagina.direccion.host !== HOST_PORTAL) throw ilegible('el acceso no llegó al portal');
  const autenticado = readRfcAutenticado(pagina.etiquetas);
  if (autenticado === null) throw ilegible('el portal no nombra al RFC autenticado');
  if (autenticado !== rfc.toUpperCase()) throw ilegible('el portal nombra a otro RFC');
}
