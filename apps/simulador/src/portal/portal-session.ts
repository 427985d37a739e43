import { randomBytes } from 'node:crypto';
import type { Context } from 'hono';
import { getCookie } from 'hono/cookie';
import type { Sessions } from './sessions.ts';
import { withCookies } from './web/cookies.ts';

/** What the portal remembers of a browser. */
export type PortalSession = { id: string; rfc: string; csrf: string };

const COOKIES = ['FedAuth', 'FedAuth1'] as const;
const FIRST_PART = 20;

/** The browser's session, or null when it has none or it idled too long. */
export function currentPortalSession(c: Context, sessions: Sessions<PortalSession>): PortalSession | null {
  return sessions.use(COOKIES.map((name) => getCookie(c, name) ?? '').join(''));
}

/**
 * Starts the session of a taxpayer; its id is spread over two cookies, as the identity framework does with long ones.
 */
export function startPortalSession(sessions: Sessions<PortalSession>, rfc: string): PortalSession {
  const session = { id: '', rfc, csrf: randomBytes(30).toString('base64') };
  session.id = sessions.start(session);
  return session;
}

/** Gives the browser a session's cookies. */
export function withSessionCookies(response: Response, { id }: PortalSession): Response {
  return withCookies(response, { FedAuth: id.slice(0, FIRST_PART), FedAuth1: id.slice(FIRST_PART) });
}

/** Takes the session's cookies from the browser. */
export function withoutSessionCookies(response: Response): Response {
  return withCookies(response, { FedAuth: '', FedAuth1: '' });
}
