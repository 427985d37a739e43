import type { Context } from 'hono';
import { getCookie } from 'hono/cookie';
import type { Sessions } from '../sessions.ts';

/** A sign-in that the portal asked for and that still waits for the taxpayer to log in. */
export type PendingSignIn = { realm: string; wctx: string };

/** What the log-in host remembers of a browser. */
export type IdpSession = {
  id: string;
  /** The authenticated taxpayer; null before the log-in. */
  rfc: string | null;
  method: 'ciec' | 'fiel';
  /** The answer to the captcha last shown; empty before the first. */
  captcha: string;
  /** The challenge last shown on the page of the e.firma; empty before the first. */
  guid: string;
  pending: PendingSignIn | null;
};

export const IDP_COOKIE = 'JSESSIONID';

/** The browser's session, or a new anonymous one; the answer must set the cookie of `session.id`. */
export function openIdpSession(c: Context, sessions: Sessions<IdpSession>): IdpSession {
  const known = sessions.use(getCookie(c, IDP_COOKIE) ?? '');
  return known ?? startIdpSession(sessions, {});
}

/** Starts a session under a new id, keeping what `from` says. */
export function startIdpSession(sessions: Sessions<IdpSession>, from: Partial<IdpSession>): IdpSession {
  const session: IdpSession = {
    rfc: null,
    method: 'ciec',
    captcha: '',
    guid: '',
    pending: null,
    ...from,
    id: '',
  };
  session.id = sessions.start(session);
  return session;
}
