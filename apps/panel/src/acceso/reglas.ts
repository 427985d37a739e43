import { normalizeEmail } from '@acuse/db';
import { z } from 'zod';

export const MIN_PASSWORD = 12;
/** Greatest length of a password: longer ones would keep the hash function busy. */
export const MAX_PASSWORD = 200;
const MAX_NOMBRE = 120;
/** RFC 5321, section 4.5.3.1.3, less the brackets. */
const MAX_EMAIL = 254;

/** Words that long passwords are lazily made of; digits, repetitions and rows of the keyboard are looked at apart. */
const COMUNES =
  'acuse admin administrador america bienvenido cambiame caminante chivas clave cliente contabilidad contador contrasena contrasenia cruzazul ' +
  'dios dragon empresa entrar estrella factura facturacion facturas familia futbol guadalajara hacienda hola invitado jesus letmein master ' +
  'mexico monterrey nomina oficina password passw0rd prueba pumas qwerty qwertyuiop root sat secreto seguro sistema sistemas teamo temporal ' +
  'test tequiero tigres usuario welcome';
const PALABRAS = COMUNES.split(' ').sort((a, b) => b.length - a.length);
const FILAS = [
  '01234567890',
  '09876543210',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiop',
  'asdfghjkl',
  'zxcvbnm',
  '1qaz2wsx3edc4rfv',
];

/**
 * Fault of a new password, or null. Only length counts (NIST SP 800-63B, section 3.1.1.2), and common passwords are
 * refused; there are no rules about kinds of characters.
 */
export function faultOfPassword(password: string, email: string): string | null {
  if ([...password].length < MIN_PASSWORD)
    return `Use al menos ${MIN_PASSWORD} caracteres. Varias palabras juntas sirven.`;
  if (password.length > MAX_PASSWORD) return `Use como máximo ${MAX_PASSWORD} caracteres.`;
  if (isCommon(password, email))
    return 'Esa contraseña es de las primeras que alguien probaría. Elija otra menos previsible.';
  return null;
}

/** Whether little is left without the words, rows of keys and repetitions that everybody knows. */
function isCommon(password: string, email: string): boolean {
  const [local = '', domain = ''] = normalizeEmail(email).split('@');
  const plain = password
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '');
  let rest = plain;
  for (const known of [local, domain, domain.split('.')[0] ?? '', ...PALABRAS])
    if (known.length > 2) rest = rest.replaceAll(known, '\n');
  rest = withoutRows(rest).replace(/(.+?)\1+/gs, '$1');
  return [...rest.replace(/[\s\d\W_]/gu, '')].length < 4 && [...rest.replace(/\n/g, '')].length < 8;
}

function withoutRows(text: string): string {
  let rest = text;
  for (const fila of FILAS)
    for (let length = fila.length; length >= 4; length -= 1)
      for (let from = 0; from + length <= fila.length; from += 1)
        rest = rest.replaceAll(fila.slice(from, from + length), '\n');
  return rest;
}

const correo = z.email();

/** The e-mail as stored, or null for an invalid one. */
export function parseEmail(text: string): string | null {
  const email = normalizeEmail(text);
  return email.length <= MAX_EMAIL && correo.safeParse(email).success ? email : null;
}

/** Text that a mail program makes a link of: invitations carry the name of an account to strangers. */
const ENLACE = /:\/\/|\bwww\.|[\p{L}\p{N}-]{2,}[.。．｡]\p{L}{2,}|[.。．｡]\p{L}{2,}[/?#:]/iu;

/** Reason for a name that is refused, after the word for it. */
export const NOMBRE_INVALIDO =
  'de hasta 120 caracteres y sin direcciones de internet. Si lleva punto, deje un espacio después.';

/** A name on one line, without addresses of the web; null for any other. */
export function parseNombre(text: string): string | null {
  const nombre = text.trim().replace(/\s+/gu, ' ');
  const isFit = nombre !== '' && nombre.length <= MAX_NOMBRE && !/\p{Cc}/u.test(nombre) && !ENLACE.test(nombre);
  return isFit ? nombre : null;
}
