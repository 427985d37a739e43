import { type Context, Hono } from 'hono';
import {
  attend,
  autoSubmittedForm,
  encode,
  formOf,
  htmlResponse,
  originOf,
  redirect,
  scriptedMove,
} from '../web/http.ts';
import { createSessions } from '../web/sessions.ts';
import type { World } from '../world/world.ts';
import { type Acceso, createLoginDesk, type IdpSession, type Metodo, openIdpSession } from './login-desk.ts';
import { createOauth, type OauthClient } from './oauth.ts';
import { createAssertions, readAuthnRequest, writeAuthnRequest } from './saml.ts';

type LoginOrder = {
  /** Name of the service; only it can redeem the assertion. */
  servicio: string;
  /** Absolute address of the simulator that the assertion is posted to. */
  regreso: string;
  /** Comes back unchanged (`RelayState`, or `wctx`). */
  relayState?: string | undefined;
  /** Which page the browser sees first; the taxpayer may change to the other. Default: by password. */
  metodo?: 'ciec' | 'efirma' | undefined;
  /** `saml` answers SAMLResponse and RelayState, `wsfed` answers wa, wresult and wctx. Default: `saml`. */
  protocolo?: 'saml' | 'wsfed' | undefined;
};

/** An identity provider with its own cookie session, mounted at `/${prefijo}`. */
export type Nidp = ReturnType<typeof createNidp>;

type NidpOptions = {
  prefijo: Prefijo;
  /** Accounts and captchas shared with the other log-in hosts. */
  acceso: Acceso;
  /** Applications that log in by OAuth 2.0. */
  clientes?: readonly OauthClient[] | undefined;
};

/** Creates a log-in host (NetIQ Access Manager) without sessions. */
export function createNidp(world: World, { prefijo, acceso, clientes = [] }: NidpOptions) {
  const service = prefijo;
  const { cookie, services } = HOSTS[prefijo];
  const idleMs = () => acceso.settings.minutos_sesion * 60_000;
  const sessions = createSessions<IdpSession<Pending>>({ clock: world.clock, idleMs });
  const assertions = createAssertions(world);
  const oauth = createOauth(world.clock, clientes);
  const open = (c: Context) => openIdpSession(c, sessions, cookie);

  /**
   * What a browser that is inside gets: the form with the assertion that is waited for, or the way to where it goes on.
   */
  const goOn = (c: Context, session: IdpSession<Pending>): Response => {
    const { rfc, method: metodo } = session;
    const pending = session.pending ?? (services && endpointOf(c) === 'wsfed/ep' ? pendingOf(c, services) : null);
    session.pending = null;
    const issuer = `${baseOf(c, prefijo)}/nidp/`;
    if (pending?.protocolo === 'oauth') return scriptedMove(pending.authz);
    if (pending === null || rfc === null) {
      if (services && c.req.method === 'POST')
        return htmlResponse(autoSubmittedForm('SAT Autenticaci&oacute;n', `${issuer}wsfed/ep?sid=0`, {}));
      const isFresh = c.req.method === 'POST' && c.req.path.endsWith('/nidp/idff/sso');
      return scriptedMove(`${issuer}${isFresh ? 'idff/sso' : 'app'}?sid=0`);
    }
    const claims = { rfc, metodo, servicio: pending.servicio };
    if (pending.protocolo === 'saml') {
      const SAMLResponse = assertions.samlResponse(claims, issuer);
      const fields = { SAMLResponse, RelayState: pending.relayState };
      return htmlResponse(autoSubmittedForm('Access rights validated', pending.regreso, fields));
    }
    const wresult = assertions.wresult(claims, `${issuer}wsfed/`, pending.regreso.slice(0, -1));
    const fields = { wa: 'wsignin1.0', wresult, wctx: pending.wctx };
    return htmlResponse(autoSubmittedForm('PostIt', pending.regreso, fields));
  };

  const desk = createLoginDesk<Pending>({
    world,
    acceso,
    sessions,
    service,
    cookie,
    fielAddress: (c) => {
      const endpoint = services ? 'app/login' : endpointOf(c);
      return loginPage(c, prefijo, { metodo: 'fiel', endpoint, target: c.req.query('target') });
    },
    enter: (c, session): Response => desk.withSession(goOn(c, session), session),
  });

  const hop = (c: Context, session: IdpSession<Pending>, metodo: Metodo, endpoint?: string) => {
    const target = c.req.query('target');
    const next = loginPage(c, prefijo, { metodo, endpoint, target, id: c.req.query('id') });
    const fields = services ? {} : { option: 'credential', ...(target !== undefined && { target }) };
    return desk.withSession(htmlResponse(autoSubmittedForm('SAT Autenticaci&oacute;n', next, fields)), session);
  };

  const showLogin = (c: Context, session: IdpSession<Pending>) => {
    const metodo = metodoOf(prefijo, c.req.query('id'));
    const operation = metodo === 'fiel' ? 'PaginaFiel' : 'PaginaCiec';
    return attend(world, { service, operation, rfc: session.rfc ?? '' }, () => {
      if (session.rfc !== null) return desk.withSession(goOn(c, session), session);
      if (metodo === null) return htmlResponse(unknownContract(c.req.query('id') ?? ''), 400);
      const isEntry = !services && c.req.method === 'GET' && c.req.query('option') !== 'credential';
      if (!isEntry && isWithoutOrigin(c)) return desk.withSession(htmlResponse(''), session);
      if (!isEntry) return desk.show(c, session, metodo);
      return hop(c, session, metodo, endpointOf(c));
    });
  };

  const login = async (c: Context) => {
    const session = open(c);
    const form = c.req.method === 'POST' ? await formOf(c) : {};
    return desk.submit(c, session, form) ?? showLogin(c, session);
  };

  const federate = async (c: Context) => {
    const session = open(c);
    const form = c.req.method === 'POST' ? await formOf(c) : {};
    const submitted = desk.submit(c, session, form);
    if (submitted) return submitted;
    const { wa, wtrealm = '', wctx } = c.req.query();
    const isAsked = wa === 'wsignin1.0';
    if (!isAsked && !(services && session.rfc !== null)) return showLogin(c, session);
    return attend(world, { service, operation: 'EmitirToken', rfc: session.rfc ?? '' }, () => {
      if (isAsked) session.pending = pendingOf(c, services, wtrealm, wctx);
      if (isAsked && session.pending === null) return htmlResponse(unknownContract(wtrealm), 400);
      if (session.rfc !== null) return desk.withSession(goOn(c, session), session);
      return hop(c, session, c.req.query('metodo') === 'efirma' ? 'fiel' : 'ciec', 'wsfed/ep');
    });
  };

  const samlSso = async (c: Context) => {
    const session = open(c);
    const form = c.req.method === 'POST' ? await formOf(c) : c.req.query();
    const submitted = desk.submit(c, session, form);
    if (submitted) return submitted;
    return attend(world, { service, operation: 'EmitirToken', rfc: session.rfc ?? '' }, () => {
      const request = readAuthnRequest(form['SAMLRequest'] ?? '');
      if (!request || !isOwnAddress(c, request.regreso)) return htmlResponse(unknownContract('SAMLRequest'), 400);
      session.pending = { protocolo: 'saml', ...request, relayState: form['RelayState'] ?? '' };
      if (session.rfc !== null) return desk.withSession(goOn(c, session), session);
      return hop(c, session, metodoOf(prefijo, c.req.query('id')) ?? 'ciec');
    });
  };

  const authorize = (c: Context) => {
    const session = open(c);
    return attend(world, { service, operation: 'Autorizar', rfc: session.rfc ?? '' }, () => {
      const request = oauth.read(c);
      if (request instanceof Response) return request;
      const { rfc, method } = session;
      if (rfc !== null) return desk.withSession(oauth.grant(request, { rfc, method }), session);
      session.pending = { protocolo: 'oauth', authz: c.req.url };
      const page = `${baseOf(c, prefijo)}/nidp/app/login?target=${encodeURIComponent(c.req.url)}`;
      return desk.withSession(redirect(page), session);
    });
  };

  const exchange = async (c: Context) => {
    const { answer, rfc } = await oauth.token(c);
    return attend(world, { service, operation: 'CambiarCodigo', rfc }, () => answer);
  };

  const home = (c: Context) => {
    const session = open(c);
    return attend(world, { service, operation: 'Aplicacion', rfc: session.rfc ?? '' }, () => {
      if (session.rfc === null) return hop(c, session, 'ciec');
      const page = `<html><head><title>SAT</title></head><body><p>Bienvenido ${encode(session.rfc)}</p></body></html>`;
      return desk.withSession(htmlResponse(page), session);
    });
  };

  /** The way to the log-in as the form that a service's page submits by script. */
  const loginForm = (c: Context, { servicio, regreso, relayState = '', metodo }: LoginOrder) => ({
    action: `${baseOf(c, prefijo)}/nidp/saml2/sso${metodo === 'efirma' ? '?id=fiel' : ''}`,
    fields: { SAMLRequest: writeAuthnRequest({ servicio, regreso }, world.clock.now()), RelayState: relayState },
  });

  const app = new Hono()
    .on(['GET', 'POST'], ['/nidp/app/login', '/nidp//app/login', '/nidp/idff/sso'], login)
    .on(['GET', 'POST'], '/nidp/wsfed/ep', federate)
    .on(['GET', 'POST'], '/nidp/saml2/sso', samlSso)
    .get('/nidp/oauth/nam/authz', authorize)
    .post('/nidp/oauth/nam/token', exchange)
    .on(['GET', 'POST'], '/nidp/app', home)
    .get('/nidp', () => redirect(`/${prefijo}/nidp/app`))
    .on('GET', ['/nidp/app/logout', '/nidp/app/plogout'], (c) => desk.logOut(open(c)));

  return {
    app,
    loginForm,
    /** Absolute address, built from the request's own Host, to send a browser to that must log in for a service. */
    loginUrl: (c: Context, order: LoginOrder) => {
      if (order.protocolo !== 'wsfed') {
        const { action, fields } = loginForm(c, order);
        const query = new URLSearchParams(fields).toString();
        return `${action}${action.includes('?') ? '&' : '?'}${query}`;
      }
      const query = new URLSearchParams({
        wa: 'wsignin1.0',
        wtrealm: order.regreso,
        wctx: order.relayState ?? '',
        wct: `${world.clock.now().toISOString().slice(0, 19)}Z`,
        ...(order.metodo === 'efirma' && { metodo: 'efirma' }),
      });
      return `${baseOf(c, prefijo)}/nidp/wsfed/ep?${query}`;
    },
    /**
     * Reads and spends the assertion that the browser brought; null for a foreign, altered, old or used one, or that of
     * another service.
     */
    redeem: (asercion: string, servicio: string) => {
      const claims = assertions.take(asercion, servicio);
      return claims && { rfc: claims.rfc, metodo: nameOf(claims.metodo) };
    },
    /** Whose access token it is, and what it allows; null for an unknown or old one. */
    introspect: (accessToken: string) => {
      const grant = oauth.introspect(accessToken);
      return grant && { rfc: grant.rfc, metodo: nameOf(grant.metodo), scope: grant.scope };
    },
    /** How many browsers it remembers. */
    countSessions: sessions.count,
  };
}

/**
 * Whether a browser asks for the page of the contract `fiel` and does not say where it comes from: the SAT's answer has
 * no text then (SAT-CFDI/python-satcfdi, issue 63, live in 2026).
 */
function isWithoutOrigin(c: Context): boolean {
  return c.req.query('id') === 'fiel' && !c.req.header('referer');
}

function nameOf(metodo: Metodo): 'ciec' | 'efirma' {
  return metodo === 'fiel' ? 'efirma' : 'ciec';
}

/** The end point whose page shows itself again: the one that was asked for. */
function endpointOf(c: Context): string {
  return /\/nidp\/+(.+)$/.exec(c.req.path)?.[1] ?? 'app/login';
}

function unknownContract(what: string): string {
  return `<html><head><title>SAT</title></head><body><p>Unable to authenticate. (300101008-${encode(what)})</p></body></html>`;
}

/** The log-in hosts that `createNidp` plays, by the first label of their names. */
type Prefijo = 'login' | 'loginda' | 'cfdiau';

/**
 * What differs between them. Ids of authentication contracts by what they ask for; the first is the one that a service
 * sends a browser to.
 * Sources: phpcfdi/csf-sat-scraper, phpcfdi/opinion-cumplimiento-sat-scraper, phpcfdi/cfdi-sat-scraper,
 * luffynando/sat-scrapers-auth, SAT-CFDI/python-satcfdi.
 */
type HostFacts = Readonly<Record<Metodo, readonly [string, ...string[]]>> & {
  cookie: string;
  /**
   * The services that it vouches to, the first of them where a browser asks for none of them; without a list, all of
   * the simulator. A host with a list shows its page without a hop before it, that by password for an unknown contract.
   */
  services?: readonly [string, ...string[]];
};

const HOSTS: Readonly<Record<Prefijo, HostFacts>> = {
  login: { ciec: ['ptsc-ciec', 'ciec', 'mat-ptsc-totp'], fiel: ['fiel', 'fiel_Aviso'], cookie: 'JSESSIONID_login' },
  loginda: {
    ciec: ['ciec', 'contr-dual-totp-eFirma', 'mat-ptsc-totp', 'ptsc-ciec'],
    fiel: ['fiel', 'fiel_Aviso'],
    cookie: 'JSESSIONID_loginda',
  },
  cfdiau: {
    ciec: ['SATUPCFDiCon'],
    fiel: ['SATx509Custom'],
    cookie: 'JSESSIONID',
    services: ['portalcfdi', 'prodretencioncontribuyente'],
  },
};

/** What the contract of an id asks for; null for an unknown id. Without an id a host asks for the password. */
function metodoOf(prefijo: Prefijo, id: string | undefined): Metodo | null {
  const { ciec, fiel, services } = HOSTS[prefijo];
  if (id === undefined || ciec.includes(id)) return 'ciec';
  if (fiel.includes(id)) return 'fiel';
  return services ? 'ciec' : null;
}

/** The host's address as the caller reaches it, without a slash at its end. */
function baseOf(c: Context, prefijo: string): string {
  return `${originOf(c)}/${prefijo}`;
}

type LoginPage = {
  metodo: Metodo;
  /** `app/login` (default), `idff/sso` or `wsfed/ep`. */
  endpoint?: string | undefined;
  /** Id of the contract; default: the first one of the method. */
  id?: string | undefined;
  /** Where the browser goes after it; the host remembers that too, so it is only for show. */
  target?: string | undefined;
};

function loginPage(c: Context, prefijo: Prefijo, page: LoginPage): string {
  const id = page.id ?? HOSTS[prefijo][page.metodo][0];
  const suffix = page.target === undefined ? '' : `&target=${encodeURIComponent(page.target)}`;
  const endpoint = page.endpoint ?? 'app/login';
  return `${baseOf(c, prefijo)}/nidp/${endpoint}?id=${encodeURIComponent(id)}&sid=0&option=credential&sid=0${suffix}`;
}

/** Whether an address belongs to this simulator, so that no assertion ever leaves it. */
function isOwnAddress(c: Context, address: string): boolean {
  return URL.canParse(address) && new URL(address).origin === originOf(c);
}

/** What a service asked for and that still waits for the taxpayer to log in. */
type Pending =
  | { protocolo: 'saml'; servicio: string; regreso: string; relayState: string }
  | { protocolo: 'wsfed'; servicio: string; regreso: string; wctx: string }
  | { protocolo: 'oauth'; authz: string };

const DEFAULT_WCTX = 'rm=0&id=passive&ru=%2f';

/**
 * What a service asks for by WS-Federation with its address (`wtrealm`). Any address that is none of a host's services
 * stands for the first of them; where a host lists none, null for one that is not of this simulator.
 */
function pendingOf(c: Context, services: HostFacts['services'], wtrealm = '', wctx = DEFAULT_WCTX): Pending | null {
  const address = wtrealm.replace(/\/$/, '');
  if (services) {
    const servicio = services.find((name) => address === `${originOf(c)}/${name}`) ?? services[0];
    return { protocolo: 'wsfed', servicio, regreso: `${originOf(c)}/${servicio}/`, wctx };
  }
  if (!isOwnAddress(c, address)) return null;
  const servicio = new URL(address).pathname.split('/')[1] ?? '';
  return { protocolo: 'wsfed', servicio, regreso: `${address}/`, wctx };
}
