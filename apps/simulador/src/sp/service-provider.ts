import type { Context } from 'hono';
import type { Nidp } from '../nidp/nidp.ts';
import { createSessions } from '../portal/sessions.ts';
import { attend, type PortalCall } from '../portal/web/attend.ts';
import { redirect, withCookies } from '../portal/web/cookies.ts';
import { formOf } from '../portal/web/form-body.ts';
import { autoSubmittedForm, htmlResponse } from '../portal/web/html.ts';
import type { World } from '../world/world.ts';
import { isPartial, partialRedirect } from './jsf.ts';
import { currentSession, type ProviderSession, startSession } from './provider-session.ts';

/** Idle minutes of the simulator's clock after which a host has forgotten a browser. */
export const IDLE_MINUTES = 20;

type Answer = (
  session: ProviderSession,
  fault: Parameters<Parameters<typeof attend>[2]>[0],
) => Promise<Response> | Response;

export type Guarded = Pick<PortalCall, 'operation' | 'detail'> & {
  /** Path to come back to after the log-in, with its query; default: that of the request. */
  returnTo?: string;
  metodo?: 'ciec' | 'efirma' | undefined;
};

/** A host that trusts the log-in host: it has its own cookie session and takes an assertion to start one. */
export type ServiceProvider = {
  /** Records the call and answers it to a browser that is inside; sends any other one to the log-in. */
  guard(c: Context, call: Guarded, answer: Answer): Promise<Response>;
  /** Takes the assertion that the log-in host has the browser bring, and sends it on to where it wanted to go. */
  consume(c: Context): Promise<Response>;
  /** Forgets the browser and answers with a page. */
  logOut(c: Context): Promise<Response>;
  /** Absolute address of a path of this host, as the caller reaches it. */
  url(c: Context, path: string): string;
};

export type ProviderOptions = {
  /** Prefix of the host, which is also its name in the log and in fault rules. */
  servicio: string;
  cookie: string;
  /** Path that takes the assertion. */
  acs: string;
  /** Where a browser goes that brings no RelayState. */
  inicio: string;
  /** What a browser with a fresh session gets; default: a redirection. */
  arrive?: (location: string) => Response;
};

/** Creates the host's side of the single sign-on. */
export function createServiceProvider(
  deps: { world: World; nidp: Nidp },
  options: ProviderOptions,
): ServiceProvider {
  const { world, nidp } = deps;
  const { servicio, cookie } = options;
  const sessions = createSessions<ProviderSession>({
    clock: world.clock,
    idleMs: () => IDLE_MINUTES * 60_000,
  });
  const url = (c: Context, path: string) => `${new URL(c.req.url).origin}/${servicio}${path}`;
  const pathOf = (c: Context) => {
    const { pathname, search } = new URL(c.req.url);
    return pathname.slice(servicio.length + 1) + search;
  };

  const sendToLogin = async (c: Context, { returnTo = pathOf(c), metodo }: Guarded) => {
    if (c.req.method === 'POST' && isPartial(await formOf(c))) return partialRedirect(url(c, returnTo));
    const { action, fields } = nidp.loginForm(c, {
      servicio,
      regreso: url(c, options.acs),
      relayState: returnTo,
      metodo,
    });
    return htmlResponse(autoSubmittedForm('Access rights validated', action, fields));
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
      return attend(world, named, (fault) => (session ? answer(session, fault) : sendToLogin(c, call)));
    },
    consume: async (c) => {
      const form = await formOf(c);
      const identity = nidp.redeem(form['SAMLResponse'] ?? '', servicio);
      const call = { service: servicio, operation: 'RecibirAsercion', rfc: identity?.rfc ?? '' };
      return attend(world, call, () => {
        if (identity === null) return htmlResponse(REFUSED, 403);
        const location = url(c, ownPath(form['RelayState'] ?? '') ?? options.inicio);
        const response = (options.arrive ?? redirect)(location);
        return withCookies(response, { [cookie]: startSession(sessions, identity).id });
      });
    },
    logOut: (c) => {
      const session = currentSession(c, sessions, cookie);
      return attend(world, { service: servicio, operation: 'Salir', rfc: session?.rfc ?? '' }, () => {
        if (session) sessions.end(session.id);
        const page = '<html><head><title>SAT</title></head><body><p>Ha cerrado su sesión.</p></body></html>';
        return withCookies(htmlResponse(page), { [cookie]: '' });
      });
    },
  };
}

const REFUSED =
  '<html><head><title>SAT</title></head><body><h1>Acceso denegado</h1><p>La respuesta de autenticación no es válida o ya fue utilizada.</p></body></html>';

/** The text when it is a path of the host itself, else null. */
function ownPath(text: string): string | null {
  return /^\/(?!\/)[\w./?=&%:~+-]*$/.test(text) ? text : null;
}
