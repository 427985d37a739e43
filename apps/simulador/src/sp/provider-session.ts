import type { Context } from 'hono';
import { getCookie } from 'hono/cookie';
import type { Sessions } from '../portal/sessions.ts';

/** What a host behind the log-in remembers of a browser. */
export type ProviderSession = {
  id: string;
  rfc: string;
  metodo: 'ciec' | 'efirma';
  /** What the host's pages note down between two requests. */
  notes: Map<string, string>;
};

/** The browser's session at the host whose cookie has this name, or null. */
export function currentSession(
  c: Context,
  sessions: Sessions<ProviderSession>,
  cookie: string,
): ProviderSession | null {
  return sessions.use(getCookie(c, cookie) ?? '');
}

/** Starts the session of a taxpayer. */
export function startSession(
  sessions: Sessions<ProviderSession>,
  { rfc, metodo }: Pick<ProviderSession, 'rfc' | 'metodo'>,
): ProviderSession {
  const session: ProviderSession = { id: '', rfc, metodo, notes: new Map() };
  session.id = sessions.start(session);
  return session;
}
