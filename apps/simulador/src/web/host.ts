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

/** Idle time of the simulator's clock after which a host has forgotten a browser. */
const IDLE_MS = 20 * 60_000;
/** Signs of a session's id in each of several cookies but the last. */
const COOKIE_PART = 20;

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

type HostOptions = {
  /** Prefix of the host, which is also its name in the log and in fault rules. */
  servicio: string;
  /** One cookie, or several over which a session's id is spread, as the identity framework does with long ones. */
  cookie: string | readonly string[];
  idleMs?: (() => number) | undefined;
  /** Answers a browser that is not inside; `returnTo` is where it wanted to go. */
  sendToLogin(c: Context, returnTo: string, call: Guarded): Response;
};

/** Creates a host of the SAT that shows its pages to taxpayers with its own cookie; without sessions at first. */
export function createHost(world: World, options: HostOptions) {
  const { servicio, cookie, idleMs = () => IDLE_MS, sendToLogin } = options;
  const sessions = createSessions<ProviderSession>({ clock: world.clock, idleMs });
  const names = [cookie].flat();
  const current = (c: Context) => sessions.use(names.map((name) => getCookie(c, name) ?? '').join(''));
  const withId = (response: Response, id: string) => {
    const part = (i: number) => id.slice(i * COOKIE_PART, i === names.length - 1 ? undefined : (i + 1) * COOKIE_PART);
    return withCookies(response, Object.fromEntries(names.map((name, i) => [name, part(i)])));
  };
  /** Absolute address of a path of this host, as the caller reaches it. */
  const url = (c: Context, path: string) => `${originOf(c)}/${servicio}${path}`;

  const refuse = async (c: Context, call: Guarded) => {
    const { pathname, search } = new URL(c.req.url);
    const returnTo = call.returnTo ?? pathname.slice(servicio.length + 1) + search;
    const form = c.req.method === 'POST' ? await formOf(c) : {};
    return isPartial(form) ? partialRedirect(url(c, returnTo)) : sendToLogin(c, returnTo, call);
  };

  return {
    url,
    /** Records the call and answers it to a browser that is inside; sends any other one to the log-in. */
    guard: (c: Context, call: Guarded, answer: Answer) => {
      const session = current(c);
      const { operation, detail = {} } = call;
      const named = { service: servicio, operation, rfc: session?.rfc ?? '', detail };
      return attend(world, named, (fault) => {
        if (session && fault?.kind !== 'expired') return answer(session, fault);
        if (session) sessions.end(session.id);
        return refuse(c, call);
      });
    },
    /** Starts a session and gives its cookie along with an answer. */
    enter: ({ rfc, metodo }: Pick<ProviderSession, 'rfc' | 'metodo'>, response: Response) => {
      const session: ProviderSession = { id: '', rfc, metodo, notes: new Map() };
      session.id = sessions.start(session);
      return withId(response, session.id);
    },
    /** Forgets the browser and gives this answer. */
    logOut: (c: Context, answer = loggedOutPage()) => {
      const session = current(c);
      return attend(world, { service: servicio, operation: 'Salir', rfc: session?.rfc ?? '' }, () => {
        if (session) sessions.end(session.id);
        return withId(answer, '');
      });
    },
    /** How many browsers it remembers. */
    countSessions: sessions.count,
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

const REFUSED = '<html><body><h1>Server Error</h1><p>ID4243</p></body></html>';

/** Only a path of the host itself. */
function returnPath(wctx: string): string {
  const path = new URLSearchParams(wctx).get('ru') ?? '/';
  return /^\/(?!\/)[\w./?=&-]*$/.test(path) ? path : '/';
}

type FederatedOptions = Omit<HostOptions, 'sendToLogin'> & {
  /** Where a browser goes that wanted no page but the first; default: `/`. */
  inicio?: string;
  /** Answers a browser that is not inside with the address of its log-in; default: a redirection. */
  leadTo?: (address: string, c: Context) => Response;
};

/** Creates the host's side of WS-Federation's passive request; its first page is where the token is posted to. */
export function createFederatedHost(
  { world, nidp }: { world: World; nidp: Nidp },
  { inicio = '/', leadTo = redirect, ...options }: FederatedOptions,
) {
  const { servicio } = options;
  const host = createHost(world, {
    ...options,
    sendToLogin: (c, returnTo) => {
      const relayState = `rm=0&id=passive&ru=${encodeURIComponent(returnTo || '/')}`;
      const order = { servicio, regreso: host.url(c, '/'), relayState, protocolo: 'wsfed' } as const;
      return leadTo(nidp.loginUrl(c, order), c);
    },
  });
  return {
    ...host,
    /** Takes a posted `wresult`, starts a session and sends the browser on; any other form gets the first page. */
    signIn: (home: (c: Context) => Promise<Response>) => async (c: Context) => {
      const form = await formOf(c);
      if (form['wa'] !== 'wsignin1.0') return home(c);
      const identity = nidp.redeem(form['wresult'] ?? '', servicio);
      const call = { service: servicio, operation: 'RecibirToken', rfc: identity?.rfc ?? '' };
      return attend(world, call, () => {
        if (identity === null) return htmlResponse(REFUSED, 500);
        const path = returnPath(form['wctx'] ?? '');
        return host.enter(identity, redirect(host.url(c, path === '/' ? inicio : path)));
      });
    },
  };
}

type ProviderOptions = Pick<HostOptions, 'servicio' | 'cookie'> & {
  /** Path that takes the assertion. */
  acs: string;
  /** Where a browser goes that brings no RelayState. */
  inicio: string;
  /** What a browser with a fresh session gets; default: a redirection. */
  arrive?: (location: string) => Response;
};

/**
 * Creates a host that sends a browser to the log-in host with a SAMLRequest and takes the SAMLResponse that it brings
 * back (SAML 2.0, HTTP-POST binding both ways).
 */
export function createServiceProvider(
  { world, nidp }: { world: World; nidp: Nidp },
  { servicio, cookie, acs, inicio, arrive = redirect }: ProviderOptions,
) {
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
    /** Takes the assertion, starts a session and sends the browser on to where it wanted to go (RelayState). */
    consume: async (c: Context) => {
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
