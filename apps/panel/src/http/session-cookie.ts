import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Context } from 'hono';
import { getCookie } from 'hono/cookie';

/** The id of a session: 256 random bits, known to one browser. */
export type IdSesion = string & { readonly __marca: 'IdSesion' };

const FORMA = /^[\w-]{43}$/;

/**
 * A new id. Sessions get one whenever what they allow changes, so that an id somebody else may know never gains rights.
 */
export function newIdSesion(): IdSesion {
  return randomBytes(32).toString('base64url') as IdSesion;
}

/** What is stored of an id. The id has 256 bits, so a plain hash cannot be turned back. */
export function huellaDe(id: IdSesion): Buffer {
  return createHash('sha256').update(id).digest();
}

/** The `__Host-` prefix (RFC 6265bis, section 4.1.3.2) keeps other hosts of the domain from setting the cookie. */
const nameOf = (cookieHost: boolean) => (cookieHost ? '__Host-acuse' : 'acuse');

/** The id that the browser sent, or null. */
export function readIdSesion(c: Context, cookieHost: boolean): IdSesion | null {
  const value = getCookie(c, nameOf(cookieHost)) ?? '';
  return FORMA.test(value) ? (value as IdSesion) : null;
}

/** The `Set-Cookie` that gives the browser an id until it is closed. */
export function cookieFor(id: IdSesion, cookieHost: boolean): string {
  return `${nameOf(cookieHost)}=${id}; Path=/; HttpOnly; SameSite=Lax${cookieHost ? '; Secure' : ''}`;
}

/** The token that every form of a session carries, under the first key: nobody who does not have the id can make it. */
export function csrfOf([clave]: readonly Buffer[], id: IdSesion): string {
  if (clave === undefined) throw new RangeError('there is no key');
  return createHmac('sha256', clave).update(`csrf\n${id}`).digest('base64url');
}

/** Compares a posted token with the session's, under any of the keys. */
export function isCsrf(claves: readonly Buffer[], id: IdSesion, token: string | undefined): boolean {
  const theirs = Buffer.from(token ?? '');
  return claves.some((clave) => {
    const mine = Buffer.from(csrfOf([clave], id));
    return mine.length === theirs.length && timingSafeEqual(mine, theirs);
  });
}
