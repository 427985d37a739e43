import type { Context } from 'hono';
import { getCookie } from 'hono/cookie';
import type { Nidp } from '../nidp/nidp.ts';
import { createSessions } from '../portal/sessions.ts';
import { redirect, withCookies } from '../portal/web/cookies.ts';
import { htmlResponse } from '../portal/web/html.ts';
import type { World } from '../world/world.ts';

const COOKIE = 'FedAuthDyP';
const IDLE_MS = 20 * 60_000;

/** The portal's own session, begun by an assertion of loginda (WS-Federation). */
export type FederatedSessions = {
  /** The taxpayer of the browser, or null. */
  current(c: Context): string | null;
  /** Sends a browser to the log-in, from where it comes back to the path it asked for. */
  challenge(c: Context): Response;
  /** Takes the form of the log-in host; `rfc` is empty when it proves nobody. */
  signIn(c: Context, form: Record<string, string>): { answer: Response; rfc: string };
  /** Forgets the browser. */
  end(c: Context, answer: Response): Response;
};

/** Creates the sessions of a host mounted at `/${servicio}`; each ends after 20 idle minutes. */
export function createFederatedSessions(
  { world, loginda }: { world: World; loginda: Nidp },
  servicio: string,
): FederatedSessions {
  const sessions = createSessions<{ rfc: string }>({ clock: world.clock, idleMs: () => IDLE_MS });
  const baseOf = (c: Context) => `${new URL(c.req.url).origin}/${servicio}`;
  return {
    current: (c) => sessions.use(getCookie(c, COOKIE) ?? '')?.rfc ?? null,
    challenge: (c) => {
      const { pathname, search } = new URL(c.req.url);
      const ru = c.req.method === 'GET' ? pathname.slice(servicio.length + 1) + search : '/';
      const relayState = `rm=0&id=passive&ru=${encodeURIComponent(ru === '' ? '/' : ru)}`;
      const order = { servicio, regreso: `${baseOf(c)}/`, relayState, protocolo: 'wsfed' } as const;
      return redirect(loginda.loginUrl(c, order));
    },
    signIn: (c, form) => {
      const owner = loginda.redeem(form['wresult'] ?? '', servicio);
      if (owner === null) {
        const page = '<html><body><h1>Server Error</h1><p>ID4243</p></body></html>';
        return { answer: htmlResponse(page, 500), rfc: '' };
      }
      const ru = new URLSearchParams(form['wctx'] ?? '').get('ru') ?? '/';
      const path = /^\/(?!\/)[\w./?=&-]*$/.test(ru) ? ru : '/';
      const answer = withCookies(redirect(baseOf(c) + path), { [COOKIE]: sessions.start(owner) });
      return { answer, rfc: owner.rfc };
    },
    end: (c, answer) => {
      sessions.end(getCookie(c, COOKIE) ?? '');
      return withCookies(answer, { [COOKIE]: '' });
    },
  };
}
