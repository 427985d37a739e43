import type { Context } from 'hono';
import { getCookie } from 'hono/cookie';
import type { Nidp } from '../nidp/nidp.ts';
import type { World } from '../world/world.ts';
import {
  attend,
  autoSubmittedForm,
  formOf,
  htmlResponse,
  loggedOutPage,
  originOf,
  type PortalCall,
  redirect,
  withCookies,
} from './http.ts';
import { isPartial, partialRedirect } from './jsf.ts';
import { createSessions } from './sessions.ts';

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
type Host = {
  /** Records the call and answers it to a browser that is inside; sends any other one to the log-in. */
  guard(c: Context, call: Guarded, answer: Answer): Promise<Response>;
  /** Starts a session and gives its cookie along with an answer. */
  enter(identity: Pick<ProviderSession, 'rfc' | 'metodo'>, response: Response): Response;
  /** Forgets the browser and gives this answer; default: a page that says so. */
  logOut(c: Context, answer?: Response): Promise<Response>;
  /** Absolute address of a path of this host, as the caller reaches it. */
  url(c: Context, path: string): string;
};

type HostOptions = {
  /** Prefix of the host, which is also its name in the log and in fault rules. */
  servicio: string;
  cookie: string;
  /** Answers a browser that is not inside; `returnTo` is where it wanted to go. */
  sendToLogin(c: Context, returnTo: string, call: Guarded): Response;
};

/** Creates a host that knows nobody yet. */
export function createHost(world: World, { servicio, cookie, sendToLogin }: HostOptions): Host {
  const sessions = createSessions<ProviderSession>({ clock: world.clock, idleMs: () => IDLE_MINUTES * 60_000 });
  const current = (c: Context) => sessions.use(getCookie(c, cookie) ?? '');
  const url: Host['url'] = (c, path) => `${originOf(c)}/${servicio}${path}`;

  const refuse = async (c: Context, call: Guarded) => {
    const { pathname, search } = new URL(c.req.url);
    const returnTo = call.returnTo ?? pathname.slice(servicio.length + 1) + search;
    const form = c.req.method === 'POST' ? await formOf(c) : {};
    return isPartial(form) ? partialRedirect(url(c, returnTo)) : sendToLogin(c, returnTo, call);
  };

  return {
    url,
    guard: (c, call, answer) => {
      const session = current(c);
      const { operation, detail = {} } = call;
      const named = { service: servicio, operation, rfc: session?.rfc ?? '', detail };
      return attend(world, named, (fault) => {
        if (session && fault?.kind !== 'expired') return answer(session, fault);
        if (session) sessions.end(session.id);
        return refuse(c, call);
      });
    },
    enter: ({ rfc, metodo }, response) => {
      const session: ProviderSession = { id: '', rfc, metodo, notes: new Map() };
      session.id = sessions.start(session);
      return withCookies(response, { [cookie]: session.id });
    },
    logOut: (c, answer = loggedOutPage()) => {
      const session = current(c);
      return attend(world, { service: servicio, operation: 'Salir', rfc: session?.rfc ?? '' }, () => {
        if (session) sessions.end(session.id);
        return withCookies(answer, { [cookie]: '' });
      });
    },
  };
}

/** What a host behind the log-in remembers of a browser. */
export type ProviderSession = {
  id: string;
  rfc: string;
  metodo: 'ciec' | 'efirma';
  /** What the host's pages note down between two requests. */
  notes: Map<string, string>;
};

/** What a log-in host had a browser post to a host that trusts it (WS-Federation, `wa=wsignin1.0`). */
type Arrival<I extends { rfc: string }> = {
  /** Prefix of the host that it came to. */
  servicio: string;
  /** Whom its `wresult` proves; null when it proves nobody. */
  identity: I | null;
  wctx: string | undefined;
  /** Starts the session and sends the browser on to a path of the host, which is `ru` of the context, or else `/`. */
  enter(identity: I, path: string): Response;
};

/** Records and answers an arrival; one that proves nobody gets the platform's error. */
export function receiveToken<I extends { rfc: string }>(
  world: World,
  { servicio, identity, wctx = '', enter }: Arrival<I>,
): Promise<Response> {
  const call = { service: servicio, operation: 'RecibirToken', rfc: identity?.rfc ?? '' };
  return attend(world, call, () => (identity ? enter(identity, returnPath(wctx)) : htmlResponse(REFUSED, 500)));
}

/** `wctx` of a request that is to come back to a path, as the platform writes it. */
export function returnContext(returnTo: string): string {
  return `rm=0&id=passive&ru=${encodeURIComponent(returnTo)}`;
}

const REFUSED = '<html><body><h1>Server Error</h1><p>ID4243</p></body></html>';

/** Only a path of the host itself. */
function returnPath(wctx: string): string {
  const path = new URLSearchParams(wctx).get('ru') ?? '/';
  return /^\/(?!\/)[\w./?=&-]*$/.test(path) ? path : '/';
}

type FederatedHost = Host & {
  /** Takes a posted `wresult`, starts a session and sends the browser on; any other form gets the first page. */
  signIn(home: (c: Context) => Promise<Response>): (c: Context) => Promise<Response>;
};

/** Creates the host's side of WS-Federation's passive request; its first page is where the token is posted to. */
export function createFederatedHost(
  { world, nidp }: { world: World; nidp: Nidp },
  { servicio, cookie }: { servicio: string; cookie: string },
): FederatedHost {
  const host = createHost(world, {
    servicio,
    cookie,
    sendToLogin: (c, returnTo) => {
      const relayState = returnContext(returnTo || '/');
      const order = { servicio, regreso: host.url(c, '/'), relayState, protocolo: 'wsfed' } as const;
      return redirect(nidp.loginUrl(c, order));
    },
  });
  return {
    ...host,
    signIn: (home) => async (c) => {
      const form = await formOf(c);
      if (form['wa'] !== 'wsignin1.0') return home(c);
      return receiveToken(world, {
        servicio,
        identity: nidp.redeem(form['wresult'] ?? '', servicio),
        wctx: form['wctx'],
        enter: (identity, path) => host.enter(identity, redirect(host.url(c, path))),
      });
    },
  };
}

/**
 * A host that trusts the log-in host: it sends a browser there with a SAMLRequest and takes the SAMLResponse it brings
 * back.
 */
type ServiceProvider = Host & {
  /** Takes the assertion, starts a session and sends the browser on to where it wanted to go (RelayState). */
  consume(c: Context): Promise<Response>;
};

type ProviderOptions = {
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

/** Creates the host's side of the single sign-on (SAML 2.0, HTTP-POST binding both ways). */
export function createServiceProvider(
  { world, nidp }: { world: World; nidp: Nidp },
  { servicio, cookie, acs, inicio, arrive = redirect }: ProviderOptions,
): ServiceProvider {
  const host = createHost(world, {
    servicio,
    cookie,
    sendToLogin: (c, relayState, { metodo }) => {
      const order = { servicio, regreso: host.url(c, acs), relayState, metodo };
      const { action, fields } = nidp.loginForm(c, order);
      return htmlResponse(autoSubmittedForm('Access rights validated', action, fields));
    },
  });
  return {
    ...host,
    consume: async (c) => {
      const form = await formOf(c);
      const identity = nidp.redeem(form['SAMLResponse'] ?? '', servicio);
      const call = { service: servicio, operation: 'RecibirAsercion', rfc: identity?.rfc ?? '' };
      return attend(world, call, () => {
        if (identity === null) return htmlResponse(NOT_VOUCHED, 403);
        const location = host.url(c, ownPath(form['RelayState'] ?? '') ?? inicio);
        return host.enter(identity, arrive(location));
      });
    },
  };
}

const NOT_VOUCHED =
  '<html><head><title>SAT</title></head><body><h1>Acceso denegado</h1><p>La respuesta de autenticación no es válida o ya fue utilizada.</p></body></html>';

/** The text when it is a path of the host itself, else null. */
function ownPath(text: string): string | null {
  return /^\/(?!\/)[\w./?=&%:~+-]*$/.test(text) ? text : null;
}
