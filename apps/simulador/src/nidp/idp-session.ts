import type { Context } from 'hono';
import { getCookie } from 'hono/cookie';
import type { Sessions } from '../portal/sessions.ts';

/** How a taxpayer proved who he is at a log-in host. */
export type Metodo = 'ciec' | 'fiel';

/** What a log-in host remembers of a browser; `P` is what still waits for the taxpayer to log in. */
export type IdpSession<P> = {
  id: string;
  /** The authenticated taxpayer; null before the log-in. */
  rfc: string | null;
  method: Metodo;
  /** The answer to the captcha last shown; empty before the first. */
  captcha: string;
  /** The challenge last shown on the page of the e.firma; empty before the first. */
  guid: string;
  pending: P | null;
};

/** The browser's session, or a new anonymous one; the answer must set the cookie of `session.id`. */
export function openIdpSession<P>(c: Context, sessions: Sessions<IdpSession<P>>, cookie: string): IdpSession<P> {
  return sessions.use(getCookie(c, cookie) ?? '') ?? startIdpSession<P>(sessions, {});
}

/** Starts a session under a new id, keeping what `from` says. */
export function startIdpSession<P>(sessions: Sessions<IdpSession<P>>, from: Partial<IdpSession<P>>): IdpSession<P> {
  const session: IdpSession<P> = {
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
