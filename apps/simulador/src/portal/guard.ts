import type { Context } from 'hono';
import { returnContext } from '../web/host.ts';
import { attend, type PortalCall, redirect } from '../web/http.ts';
import type { World } from '../world/world.ts';
import { deltaResponse, redirectDelta } from './page.ts';
import { currentPortalSession, type PortalSession, type PortalState } from './portal-state.ts';

/** Whether the request is an asynchronous postback of an UpdatePanel. */
export function isDelta(c: Context): boolean {
  return (c.req.header('x-microsoftajax') ?? '').includes('Delta=true');
}

/**
 * Answers a call to the portal that needs a session. Without one a page redirects to the log-in host, an asynchronous
 * postback gets a `pageRedirect` record with the same address, and a page method gets 401 with ASP.NET's JSON.
 */
export function withPortalSession(
  deps: { world: World; state: PortalState },
  c: Context,
  call: Pick<PortalCall, 'operation' | 'detail'>,
  answer: (session: PortalSession, fault: Parameters<Parameters<typeof attend>[2]>[0]) => Promise<Response> | Response,
): Promise<Response> {
  const session = currentPortalSession(c, deps.state.portalSessions);
  const named = { service: 'portalcfdi', rfc: session?.rfc ?? '', ...call } as const;
  return attend(deps.world, named, (fault) => {
    if (session && fault?.kind !== 'expired') return answer(session, fault);
    if (session) deps.state.portalSessions.end(session.id);
    return sendToLogin(deps.world, c);
  });
}

function sendToLogin(world: World, c: Context): Response {
  const isPageMethod = (c.req.header('content-type') ?? '').startsWith('application/json');
  if (isPageMethod) return pageMethodError(401, 'Authentication failed.', 'System.InvalidOperationException');
  const returnTo = new URL(c.req.url).pathname.replace(/^\/portalcfdi\/?/, '/');
  const address = signInAddress(addressesOf(c), returnTo, world.clock.now());
  return isDelta(c) ? deltaResponse(redirectDelta(address)) : redirect(address);
}

/** The JSON with which ASP.NET refuses a call of a page method. */
export function pageMethodError(status: number, message: string, type: string): Response {
  const body = JSON.stringify({ Message: message, StackTrace: null, ExceptionType: type });
  const headers = { 'content-type': 'application/json; charset=utf-8', jsonerror: 'true' };
  return new Response(body, { status, headers });
}

/**
 * The absolute addresses of the log-in host and of those that trust it, as the caller reaches them. No slash at the
 * end.
 */
type Addresses = { cfdiau: string; portalcfdi: string; prodretencioncontribuyente: string };

/**
 * The first page of a mounted host. Mounting drops the slash of `/`, so the root with its slash is written as a segment
 * that is empty.
 */
export const ROOT = ['/', '/:vacio{^$}'];

/** Where the log-in host asks for a password or an e.firma. */
export const CIEC_CONTRACT = 'SATUPCFDiCon';
export const FIEL_CONTRACT = 'SATx509Custom';

/** Builds the addresses from the request's own Host header. */
export function addressesOf(c: Context): Addresses {
  const { origin } = new URL(c.req.url);
  return {
    cfdiau: `${origin}/cfdiau`,
    portalcfdi: `${origin}/portalcfdi`,
    prodretencioncontribuyente: `${origin}/prodretencioncontribuyente`,
  };
}

/** The log-in page of a contract, for instance `/nidp/app/login?id=SATUPCFDiCon&sid=0&option=credential&sid=0`. */
export function loginAddress({ cfdiau }: Addresses, contract: string, endpoint = 'app/login'): string {
  return `${cfdiau}/nidp/${endpoint}?id=${contract}&sid=0&option=credential&sid=0`;
}

/**
 * Where a portal (`realm`, its address) sends a browser without session: WS-Federation's passive request (wa, wtrealm,
 * wctx, wct).
 */
export function signInAddress(
  { cfdiau, portalcfdi }: Addresses,
  returnTo: string,
  now: Date,
  realm: string = portalcfdi,
): string {
  const query = new URLSearchParams({
    wa: 'wsignin1.0',
    wtrealm: realm,
    wctx: returnContext(returnTo),
    wct: `${now.toISOString().slice(0, 19)}Z`,
  });
  return `${cfdiau}/nidp/wsfed/ep?${query}`;
}
