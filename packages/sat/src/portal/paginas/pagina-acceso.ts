import { decodeHTML } from 'entities';
import { ilegible, toForma } from '../../texto.ts';
import { type Etiqueta, findElement, readTexto } from './etiquetas.ts';
import { type Formulario, readCampos, readForms } from './formulario.ts';

/**
 * The log-in page of the CIEC: `Ecom_User_ID`, `Ecom_Password`, `userCaptcha` (phpcfdi/cfdi-sat-scraper,
 * src/Sessions/Ciec).
 */
export interface PaginaAcceso {
  /** The captcha image as it came, PNG or JPEG. Null when the page shows none. */
  readonly captcha: Buffer | null;
  /** Where the form goes; '' for the page's own address. */
  readonly accion: string;
  /** Fields that the page put in the form itself. */
  readonly campos: ReadonlyMap<string, string>;
  /** Why the last attempt was refused, in the portal's words; '' on a fresh page. */
  readonly mensaje: string;
  /** Where the button "e.firma" of the page leads; null when it has none. */
  readonly efirma: string | null;
}

/** What the log-in page says about the attempt before it. */
type Rechazo = 'CAPTCHA' | 'CIEC' | 'CUENTA_BLOQUEADA' | 'SERVICIO' | 'SIN_MOTIVO';

const DATA_URI = /^data:image\/[\w.+-]{1,32};base64,/i;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const MAX_IMAGEN = 512 * 1024;

/** Reads the log-in page; null when the tags are of some other page. */
export function readAcceso(etiquetas: readonly Etiqueta[]): PaginaAcceso | null {
  const formulario = readForms(etiquetas).find(isFormularioCiec);
  if (formulario === undefined) return null;
  const campos = readCampos(formulario.etiquetas);
  return {
    captcha: readCaptcha(etiquetas),
    accion: formulario.accion,
    campos,
    mensaje: readMessage(etiquetas),
    efirma: readEnlaceEfirma(etiquetas),
  };
}

/**
 * Sorts a refusal. A locked account comes first and doubt counts as a refused CIEC: a text that names both the captcha
 * and the password, or none, must not lead to the password being sent again, because the SAT locks accounts.
 */
export function classifyRechazo(mensaje: string): Rechazo {
  const texto = toForma(mensaje);
  if (/bloque|inhabilit|suspendid|limite de intentos|numero de intentos|intentos permitidos/.test(texto)) {
    return 'CUENTA_BLOQUEADA';
  }
  const secreto = /contrasena|incorrect|credencial|usuario|clave|\brfc\b/.test(texto);
  if (/captcha|caracteres de la imagen/.test(texto)) {
    return /contrasena|credencial|usuario|\brfc\b/.test(texto) ? 'CIEC' : 'CAPTCHA';
  }
  if (secreto) return 'CIEC';
  return /no (?:esta |se encuentra )?disponible|mas tarde|mantenimiento|error interno/.test(texto)
    ? 'SERVICIO'
    : 'SIN_MOTIVO';
}

/** Whether a page asks to log in, with the CIEC or the e.firma. */
export function isPaginaAcceso(etiquetas: readonly Etiqueta[]): boolean {
  return readForms(etiquetas).some(isFormularioCiec) || isPaginaEfirma(etiquetas);
}

function isFormularioCiec({ etiquetas }: Formulario): boolean {
  return etiquetas.some(isCampoRfc);
}

function isCampoRfc(etiqueta: Etiqueta): boolean {
  return etiqueta.nombre === 'input' && etiqueta.attrs.get('name') === 'Ecom_User_ID';
}

function readCaptcha(etiquetas: readonly Etiqueta[]): Buffer | null {
  const img = findElement(etiquetas, /^divCaptcha$/)?.find((e) => e.nombre === 'img');
  if (img === undefined) return null;
  const src = img.attrs.get('src') ?? '';
  const prefijo = DATA_URI.exec(src)?.[0];
  if (prefijo === undefined || src.length > MAX_IMAGEN) throw ilegible('imagen del captcha');
  const base64 = src.slice(prefijo.length).replace(/\s+/g, '');
  if (!BASE64.test(base64)) throw ilegible('imagen del captcha');
  return Buffer.from(base64, 'base64');
}

const CAMBIO = /#buttonFiel['"]\s*\)\s*\.\s*click\b[^}]{0,200}?['"]href['"]\s*,\s*['"]([^'"\s]{1,8000})['"]/i;

/**
 * The script behind `#buttonFiel` opens the page of the e.firma (phpcfdi/cfdi-sat-scraper,
 * tests/_files/sample-response-fiel-login-form.html).
 */
function readEnlaceEfirma(etiquetas: readonly Etiqueta[]): string | null {
  for (const { nombre, closes, texto } of etiquetas) {
    const destino = nombre === 'script' && !closes ? CAMBIO.exec(texto)?.[1] : undefined;
    if (destino !== undefined) return decodeHTML(destino);
  }
  const boton = etiquetas.find((e) => e.nombre === 'a' && e.attrs.get('id') === 'buttonFiel');
  return boton?.attrs.get('href') ?? null;
}

/**
 * The page writes the reason into `#msgError`, on the page of the e.firma into `#divError` (soycontadorAI/sat-dm,
 * opinion.py), or hands it to the script that does as `var error = '…'`.
 */
export function readMessage(etiquetas: readonly Etiqueta[]): string {
  for (const id of [/^msgError$/, /^divError$/]) {
    const visto = findElement(etiquetas, id);
    const texto = visto === null ? '' : readTexto(visto);
    if (texto !== '') return texto;
  }
  for (const { nombre, closes, texto: fuente } of etiquetas) {
    if (nombre !== 'script' || closes) continue;
    const literal = /\bvar\s+error\s*=\s*(?:'((?:[^'\\\n]|\\.){1,2000})'|"((?:[^"\\\n]|\\.){1,2000})")/.exec(fuente);
    if (literal !== null) return decodeHTML(unescapeScript(literal[1] ?? literal[2] ?? '')).trim();
  }
  return '';
}

function unescapeScript(literal: string): string {
  return literal
    .replace(/\\u([0-9a-f]{4})|\\x([0-9a-f]{2})/gi, (_all, u: string | undefined, x: string | undefined) =>
      String.fromCharCode(Number.parseInt(u ?? x ?? '20', 16)),
    )
    .replace(/\\(.)/g, '$1');
}

/** No blanks and no `|`, which separates it from RFC and certificate number in the text that is signed. */
const GUID = /^[^|\s\p{Cc}]{1,512}$/u;

/** Whether a form is the one that a script of the e.firma's page signs and submits. */
export function isFormularioEfirma({ id, etiquetas }: Formulario): boolean {
  if (id.toLowerCase() === 'certform') return true;
  const campos = readCampos(etiquetas);
  return campos.has('guid') && campos.has('token');
}

export function isPaginaEfirma(etiquetas: readonly Etiqueta[]): boolean {
  return readForms(etiquetas).some(isFormularioEfirma);
}

/**
 * Reads the log-in page of the e.firma: `#certform` with the challenge in `guid` (phpcfdi/cfdi-sat-scraper,
 * src/Sessions/Fiel); null when the page is some other one. Throws RESPUESTA_ILEGIBLE for one without a challenge.
 */
export function readEfirmaPage(etiquetas: readonly Etiqueta[]) {
  const formulario = readForms(etiquetas).find(isFormularioEfirma);
  if (formulario === undefined) return null;
  const campos = readCampos(formulario.etiquetas);
  const guid = campos.get('guid') ?? '';
  if (!GUID.test(guid)) throw ilegible('pagina de e.firma sin guid');
  return { accion: formulario.accion, campos, guid };
}

const ASSIGNMENT =
  /(?<![\w$.])(?:(?:window|top|self|parent|document)\.location(?:\.href)?\s*=|(?:\w+\.)?location\.(?:replace|assign)\(|location\.href\s*=)\s*(?:"([^"\s]{1,8000})"|'([^'\s]{1,8000})')/;
/** A page with more to read than this is one for people, whatever its scripts do. */
const MAX_TEXTO = 400;

/**
 * Where a page that is nothing but a script sends the browser: how the identity providers go on after a log-in
 * (phpcfdi/opinion-cumplimiento-sat-scraper, src/HtmlParser.php). Null for a page with a form or with something to
 * read.
 */
export function readScriptJump(etiquetas: readonly Etiqueta[]): string | null {
  if (readForms(etiquetas).length > 0 || readTexto(etiquetas).length > MAX_TEXTO) return null;
  for (const { nombre, closes, texto } of etiquetas) {
    if (nombre !== 'script' || closes) continue;
    const found = ASSIGNMENT.exec(texto);
    if (found !== null) return decodeHTML(found[1] ?? found[2] ?? '');
  }
  return null;
}
