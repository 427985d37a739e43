import type { Context } from 'hono';
import { createSessions } from '../portal/sessions.ts';
import { attend, type PortalCall } from '../portal/web/attend.ts';
import { withCookies } from '../portal/web/cookies.ts';
import { formOf } from '../portal/web/form-body.ts';
import { loggedOutPage } from '../portal/web/html.ts';
import type { World } from '../world/world.ts';
import { isPartial, partialRedirect } from './jsf.ts';
import { currentSession, type ProviderSession, startSession } from './provider-session.ts';

/** Idle minutes of the simulator's clock after which a host has forgotten a browser. */
const IDLE_MINUTES = 20;

type Answer = (
  session: ProviderSession,
  fault: Parameters<Parameters<typeof attend>[2]>[0],
) => Promise<Response> | Response;

type Guarded = Pick<PortalCall, 'operation' | 'detail'> & {
  /** Path to come back to after the log-in, with its query; default: that of the request. */
  returnTo?: string;
  /** Which log-in page is shown first; default: by password. */
  metodo?: 'ciec' | 'efirma';
};

/** A host of the SAT that shows its pages only to taxpayers it knows by its own cookie. */
export type Host = {
  /** Records the call and answers it to a browser that is inside; sends any other one to the log-in. */
  guard(c: Context, call: Guarded, answer: Answer): Promise<Response>;
  /** Starts a session and gives its cookie along with an answer. */
  enter(identity: Pick<ProviderSession, 'rfc' | 'metodo'>, response: Response): Response;
  /** Forgets the browser and gives this answer; default: a page that says so. */
  logOut(c: Context, answer?: Response): Promise<Response>;
  /** Absolute address of a path of this host, as the caller reaches it. */
  url(c: Context, path: string): string;
};

export type HostOptions = {
  /** Prefix of the host, which is also its name in the log and in fault rules. */
  servicio: string;
  cookie: string;
  /** Answers a browser that is not inside; `returnTo` is where it wanted to go. */
  sendToLogin(c: Context, returnTo: string, call: Guarded): Response;
};

/** Creates a host that knows nobody yet. */
export function createHost(world: World, { servicio, cookie, sendToLogin }: HostOptions): Host {
  const sessions = createSessions<ProviderSession>({
    clock: world.clock,
    idleMs: () => IDLE_MINUTES * 60_000,
  });
  const url: Host['url'] = (c, path) => `${new URL(c.req.url).origin}/${servicio}${path}`;

  const refuse = async (c: Context, call: Guarded) => {
    const { pathname, search } = new URL(c.req.url);
    const returnTo = call.returnTo ?? pathname.slice(servicio.length + 1) + search;
    const form = c.req.method === 'POST' ? await formOf(c) : {};
    return isPartial(form) ? partialRedirect(url(c, returnTo)) : sendToLogin(c, returnTo, call);
  };

  return {
    url,
    guard: (c, call, answer) => {
      const session = currentSession(c, sessions, cookie);
      const named: PortalCall = {
        service: servicio,
        operation: call.operation,
        rfc: session?.rfc ?? '',
        ...(call.detail && { detail: call.detail }),
      };
      return attend(world, named, (fault) => (session ? answer(session, fault) : refuse(c, call)));
    },
    enter: (identity, response) => withCookies(response, { [cookie]: startSession(sessions, identity).id }),
    logOut: (c, answer = loggedOutPage()) => {
      const session = currentSession(c, sessions, cookie);
      return attend(world, { service: servicio, operation: 'Salir', rfc: session?.rfc ?? '' }, () => {
        if (session) sessions.end(session.id);
        return withCookies(answer, { [cookie]: '' });
      });
    },
  };
}
