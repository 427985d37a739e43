import { X509Certificate } from 'node:crypto';
import { type CredencialCiec, type CredencialEfirma, SatError } from '@acuse/core';
import type { DireccionSat } from '../../http/direcciones.ts';
import { openEfirma } from '../../soap/efirma.ts';
import { ilegible, toForma } from '../../texto.ts';
import { askCaptcha } from '../captcha.ts';
import type { PageClient, Pagina } from '../page-client.ts';
import { encodeForm, hasVisibleFields, readCampos, readForms } from '../paginas/formulario.ts';
import {
  classifyRechazo,
  isPaginaAcceso,
  isPaginaEfirma,
  type PaginaAcceso,
  readAcceso,
  readEfirmaPage,
  readMessage,
  readScriptJump,
} from '../paginas/pagina-acceso.ts';
import type { Login } from '../portal.ts';
import type { PortalSettings } from '../settings.ts';

/**
 * Opens the door of a portal, the page that sends a browser without session to log in, and logs in where it leads.
 * Gives the page of the portal that follows; rejects like {@link logIn}, and with RESPUESTA_ILEGIBLE when the browser
 * does not end on the portal's host.
 */
export async function signIn(login: Login, entry: DireccionSat, hostAcceso: string): Promise<Pagina> {
  assertMayLogIn(login);
  const { pageClient } = login;
  const after = await passAcceso(login, await pageClient.open(entry), hostAcceso);
  const pagina = after.direccion.host === entry.host ? after : await pageClient.open(entry);
  if (pagina.direccion.host !== entry.host) throw ilegible('el acceso no llegó al portal');
  return pagina;
}

/** Logs in when a page asks for it, and gives the page after it; any other page is given back as it is. */
export async function passAcceso(login: Login, pagina: Pagina, hostAcceso: string): Promise<Pagina> {
  const acceso = await toPaginaAcceso(login, pagina, hostAcceso);
  if (acceso.direccion.host !== hostAcceso || !isPaginaAcceso(acceso.etiquetas)) return acceso;
  return logIn(login, acceso, hostAcceso);
}

/**
 * The provider's first answer is an empty form that a script sends on; its address says by `id=` which log-in comes,
 * the CIEC's unless it is changed (SAT-CFDI/python-satcfdi, satcfdi/portal: `id=ciec` becomes `id=fiel`).
 */
async function toPaginaAcceso({ pageClient, credencial }: Login, pagina: Pagina, hostAcceso: string): Promise<Pagina> {
  const { direccion, etiquetas } = pagina;
  if (direccion.host !== hostAcceso || isPaginaAcceso(etiquetas)) return pagina;
  const formulario = readForms(etiquetas)[0];
  if (formulario?.metodo !== 'POST' || hasVisibleFields(formulario.etiquetas)) return pagina;
  const destino = pageClient.resolve(formulario.accion, direccion);
  if (destino.host !== hostAcceso) return pagina;
  const path = credencial.tipo === 'efirma' ? toEfirma(destino.path) : destino.path;
  const body = encodeForm(readCampos(formulario.etiquetas));
  return pageClient.submit({ host: destino.host, path }, body);
}

function toEfirma(path: string): string {
  return path.replace(/([?&]id=)(?:ptsc-)?ciec(?=&|$)/i, '$1fiel');
}

/**
 * Completes the log-in page of one of the SAT's identity providers (NetIQ Access Manager) and gives the page after it.
 * Takes the page of the CIEC with its captcha and the one of the e.firma; with an e.firma on the page of the CIEC it
 * goes over by the page's own button.
 *
 * What follows by itself is followed: redirects, auto-submitted forms, and a page of the provider that only a script
 * leaves, unless that leads to the provider's own lobby (`/nidp/app`). Whether the page after it names the RFC is for
 * the caller to check.
 *
 * Rejects with CIEC_RECHAZADA or EFIRMA_RECHAZADA (the credential was sent once and is not to be sent again),
 * CAPTCHA_RECHAZADO, SIN_RESOLVEDOR_DE_CAPTCHA, SERVICIO_CON_ERROR, HOST_NO_PERMITIDO (a form that leaves
 * `hostAcceso`), and RESPUESTA_ILEGIBLE for anything that is not such a page. No error carries the credential, the
 * captcha or a cookie.
 */
export async function logIn(login: Login, pagina: Pagina, hostAcceso: string): Promise<Pagina> {
  assertMayLogIn(login);
  if (pagina.direccion.host !== hostAcceso) throw ilegible('la página de acceso es de otro servidor');
  const { credencial } = login;
  const after =
    credencial.tipo === 'ciec'
      ? await logInWithCiec(login, credencial, pagina, hostAcceso)
      : await logInWithEfirma(login, credencial, pagina, hostAcceso);
  login.onAceptada?.();
  return after;
}

/** Throws SIN_RESOLVEDOR_DE_CAPTCHA before any request, for a CIEC without a reader of captchas. */
export function assertMayLogIn({ captcha, credencial }: Login): void {
  if (credencial.tipo === 'ciec' && captcha === null) throw new SatError('SIN_RESOLVEDOR_DE_CAPTCHA');
}

/**
 * Sends RFC and CIEC. A refused captcha is tried again with a new image, at most `captchaIntentos` times
 * (CAPTCHA_RECHAZADO). A refused CIEC is never sent a second time (CIEC_RECHAZADA), nor is one that was refused without
 * a reason we know, because the SAT locks accounts.
 */
async function logInWithCiec(
  { captcha, settings, pageClient }: Login,
  credencial: CredencialCiec,
  pagina: Pagina,
  hostAcceso: string,
): Promise<Pagina> {
  if (captcha === null) throw new SatError('SIN_RESOLVEDOR_DE_CAPTCHA');
  let actual = pagina;
  for (let intento = 1; intento <= settings.captchaIntentos; intento += 1) {
    if (intento > 1) actual = await pageClient.open(pagina.direccion);
    const acceso = readAcceso(actual.etiquetas);
    if (acceso === null) throw ilegible('no es una página de acceso con CIEC');
    if (acceso.captcha === null) throw ilegible('página de acceso sin captcha');
    const respuesta = await askCaptcha(captcha, acceso.captcha, settings.captchaEsperaMs, pageClient.signal);
    if (respuesta === null) continue;
    const destino = destinoDeAcceso(pageClient, actual, acceso.accion, hostAcceso);
    const body = fillIn(acceso, credencial, respuesta);
    const after = await submitAcceso(pageClient, destino, body, settings);
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
  return encodeForm(
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

/**
 * Signs the challenge of the page, once. On the page of the CIEC it first follows the button "e.firma". A page of the
 * provider that asks to log in again, or shows an error, means that the SAT refused the e.firma (EFIRMA_RECHAZADA with
 * the codigo REVOCADA, NO_VIGENTE, CUENTA_BLOQUEADA or SIN_MOTIVO), unless it says that the service failed.
 */
async function logInWithEfirma(
  { settings, pageClient }: Login,
  credencial: CredencialEfirma,
  pagina: Pagina,
  hostAcceso: string,
): Promise<Pagina> {
  const actual = await findEfirmaPage(pageClient, pagina, hostAcceso);
  const acceso = readEfirmaPage(actual.etiquetas);
  if (acceso === null) throw ilegible('no es la página de acceso con e.firma');
  const destino = destinoDeAcceso(pageClient, actual, acceso.accion, hostAcceso);
  const { token, fert } = signAcceso(credencial, acceso.guid);
  const body = encodeForm(new Map([...acceso.campos, ['token', token], ['guid', acceso.guid], ['fert', fert]]));
  const after = await submitAcceso(pageClient, destino, body, settings);
  const mensaje = after.direccion.host === hostAcceso ? readMessage(after.etiquetas) : '';
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

async function findEfirmaPage(pageClient: PageClient, pagina: Pagina, hostAcceso: string): Promise<Pagina> {
  if (isPaginaEfirma(pagina.etiquetas)) return pagina;
  const enlace = readAcceso(pagina.etiquetas)?.efirma;
  if (enlace == null) throw ilegible('no es una página de acceso con e.firma');
  return pageClient.open(destinoDeAcceso(pageClient, pagina, enlace, hostAcceso));
}

/**
 * Signs the challenge `guid` of the log-in page: `guid|RFC|certificate number` in UTF-8, then base64( base64(text) `#`
 * base64(base64(RSA-SHA1 of the text)) ) (phpcfdi/cfdi-sat-scraper, src/Sessions/Fiel/ChallengeResolver.php;
 * SAT-CFDI/python-satcfdi, satcfdi/portal/utils.py). Throws EFIRMA_RECHAZADA for an e.firma that cannot be read.
 */
export function signAcceso(credencial: CredencialEfirma, guid: string) {
  const signer = openEfirma(credencial);
  const texto = `${guid}|${credencial.rfc.toUpperCase()}|${numeroDe(credencial.cer)}`;
  return {
    token: base64(`${base64(texto)}#${base64(signer.sign(texto))}`),
    /** End of the certificate, UTC, as `yyMMddHHmmssZ`. */
    fert: `${signer.validoHasta.toISOString().slice(2, 19).replace(/\D/g, '')}Z`,
  };
}

/** The bytes of the serial number of a certificate of the SAT are its twenty digits in ASCII. */
function numeroDe(cer: Buffer): string {
  const numero = Buffer.from(new X509Certificate(cer).serialNumber, 'hex').toString('latin1');
  if (!/^\d{1,40}$/.test(numero)) {
    throw new SatError('EFIRMA_RECHAZADA', { detalle: 'el número del certificado no es del SAT' });
  }
  return numero;
}

const base64 = (texto: string) => Buffer.from(texto, 'utf8').toString('base64');

/** The lobby of an identity provider, where a log-in that no service asked for ends. */
const ENTRANCE = /^\/nidp\/app\/?(?:\?|$)/;

/**
 * Sends a filled-in log-in form and returns the final page: follows redirects, auto-submitted forms, and pages of the
 * provider that only a script leaves, except its lobby. Zeroes the body.
 *
 * Rejects with CANCELADA when the caller has left before the form is sent. Afterwards it reads the answer in any case:
 * a lost answer would let the next log-in send a refused credential again.
 */
async function submitAcceso(
  pageClient: PageClient,
  destino: DireccionSat,
  body: Buffer,
  { maxSaltos }: PortalSettings,
): Promise<Pagina> {
  try {
    if (pageClient.signal.aborted) throw new SatError('CANCELADA');
    const always = pageClient.withSignal(new AbortController().signal);
    // An empty answer does not say that the SAT refused: the portal's own page shows who is logged in.
    let pagina = await always.submit(destino, body, { mayBeEmpty: true });
    for (let saltos = 0; saltos <= maxSaltos; saltos += 1) {
      if (pagina.direccion.host !== destino.host) return pagina;
      const url = readScriptJump(pagina.etiquetas);
      if (url === null) return pagina;
      const next = pageClient.resolve(url, pagina.direccion);
      if (next.host === destino.host && ENTRANCE.test(next.path)) return pagina;
      pagina = await always.open(next);
    }
    throw ilegible('demasiadas redirecciones');
  } finally {
    body.fill(0);
  }
}

/**
 * The address of a form of a log-in page. Throws HOST_NO_PERMITIDO when it is not on the log-in host: credentials go
 * nowhere else.
 */
function destinoDeAcceso(
  pageClient: PageClient,
  { direccion }: Pagina,
  accion: string,
  hostAcceso: string,
): DireccionSat {
  const destino = pageClient.resolve(accion, direccion);
  if (destino.host !== hostAcceso) {
    throw new SatError('HOST_NO_PERMITIDO', { detalle: 'la credencial solo va a la página de acceso' });
  }
  return destino;
}
