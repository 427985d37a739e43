import { createHash, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import type { AvisoGuardado, FaseSesion, NuevaSesion, SesionPanel } from '@acuse/db';
import type { Context } from 'hono';
import { generateSignedCookie, getCookie, getSignedCookie } from 'hono/cookie';
import type { PageDeps } from '../deps.ts';

/** The id of a session: 256 random bits, known to one browser. */
type IdSesion = string & { readonly __marca: 'IdSesion' };

const FORMA = /^[\w-]{43}$/;

/** A new id. A session gets one whenever what it allows changes, so that an id known to others never gains rights. */
export function newIdSesion(): IdSesion {
  return randomBytes(32).toString('base64url') as IdSesion;
}

/** Stored hash of an id: a plain hash of 256 random bits cannot be reversed. */
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

const avisoNameOf = (cookieHost: boolean) => `${nameOf(cookieHost)}-aviso`;

/** The message that the panel left in a browser without a session; null without one that carries the panel's signature. */
export async function readAviso(
  c: Context,
  [clave]: readonly Buffer[],
  cookieHost: boolean,
): Promise<AvisoGuardado | null> {
  const value = clave && (await getSignedCookie(c, new Uint8Array(clave), avisoNameOf(cookieHost)));
  return value ? (JSON.parse(value) as AvisoGuardado) : null;
}

/** The `Set-Cookie` that leaves a message in a browser for `BREVE` seconds, or takes it away (null). */
export async function avisoCookieFor(
  aviso: AvisoGuardado | null,
  [clave]: readonly Buffer[],
  cookieHost: boolean,
): Promise<string> {
  if (clave === undefined) throw new RangeError('there is no key');
  return generateSignedCookie(avisoNameOf(cookieHost), JSON.stringify(aviso), new Uint8Array(clave), {
    path: '/',
    httpOnly: true,
    sameSite: 'Lax',
    secure: cookieHost,
    maxAge: aviso === null ? 0 : BREVE,
  });
}

/** The token of every form of a session, under the first key: only the holder of the id can make it. */
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

/** Time for the second step of a log-in, and for a message to be read, in seconds. */
const BREVE = 300;
const MAX_AGENTE = 300;

/** The session of the browser that asks. */
export type Browser = ReturnType<typeof createBrowser>;

interface BrowserInput {
  /** What the browser sent. */
  readonly id: IdSesion | null;
  readonly sesion: SesionPanel | null;
  /** What `readAviso` found. */
  readonly mensaje: AvisoGuardado | null;
  readonly agente: string;
  readonly ip: string;
  readonly deps: Pick<PageDeps, 'sesiones' | 'settings' | 'newId' | 'clavesCsrf'>;
}

/** Keeps the session of one request. Nothing is stored for a visitor who only reads. */
export function createBrowser({ id: sent, sesion, mensaje, agente, ip, deps }: BrowserInput) {
  const { sesiones, settings, newId, clavesCsrf } = deps;
  let id = sent ?? newIdSesion();
  let isStored = sesion !== null;
  let left: AvisoGuardado | null | undefined;

  return {
    /** As it was when the request came; null without a live one. */
    sesion,
    /** The message for this page. */
    aviso: sesion?.aviso ?? mensaje,
    /** Stored hash of the id that the browser sent or got. */
    huella: () => huellaDe(id),
    csrf: () => csrfOf(clavesCsrf, id),
    /** 32 bytes from this session's cookie alone: data sealed under them are lost when the id changes. */
    sealKey: () => Buffer.from(hkdfSync('sha256', id, clavesCsrf[0] ?? '', 'acuse/panel/llave', 32)),
    isCsrf: (token: string | undefined) => isCsrf(clavesCsrf, id, token),
    /** Begins a session under a new id; the earlier one is over. `entrada` is noted in the audit log. */
    async open(usuarioId: string, fase: FaseSesion, entrada?: NuevaSesion['entrada']): Promise<void> {
      const [before, next] = [id, newIdSesion()];
      const isShort = fase !== 'COMPLETA';
      await sesiones.open(
        {
          usuarioId,
          fase,
          ...(entrada && { entrada }),
          huella: huellaDe(next),
          id: newId(),
          agente: agente.slice(0, MAX_AGENTE),
          ip,
          inactividad: isShort ? BREVE : settings.sesionInactiva,
          duracion: isShort ? BREVE : settings.sesionMaxima,
        },
        isStored ? huellaDe(before) : null,
      );
      id = next;
      isStored = true;
    },
    /** The same session under a new id, since what it is good for has changed. */
    async rotate(): Promise<void> {
      const next = newIdSesion();
      await sesiones.rotate(huellaDe(id), huellaDe(next));
      id = next;
    },
    /** The session goes on in another account of its user, under a new id. False when that is none of the user's. */
    async enter(cuentaId: string): Promise<boolean> {
      const next = newIdSesion();
      const entered = { nueva: huellaDe(next), id: newId(), cuentaId, ip };
      if (!(await sesiones.enter(huellaDe(id), entered))) return false;
      id = next;
      return true;
    },
    /** Ends the session and gives the browser another id. */
    async close(): Promise<void> {
      await sesiones.close(huellaDe(id));
      id = newIdSesion();
      isStored = false;
    },
    /** Leaves a message for the next page: with the session, or without one in the browser alone. */
    async leave(aviso: AvisoGuardado): Promise<void> {
      if (isStored) await sesiones.setAviso(huellaDe(id), aviso);
      else left = aviso;
    },
    /** Takes the message of this page away. */
    async forgetAviso(): Promise<void> {
      if (sesion?.aviso) await sesiones.setAviso(huellaDe(id), null);
      else left ??= null;
    },
    /** The message to give to the browser with the answer; null to take away the one it has, undefined for neither. */
    newAviso: () => left,
    /** The id to give to the browser with the answer, or null when it has it already. */
    newCookie: () => (id === sent ? null : id),
  };
}
