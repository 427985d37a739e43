import type { Context } from 'hono';
import type { World } from '../../world/world.ts';
import { deltaResponse, redirectDelta } from '../consulta/delta.ts';
import { currentPortalSession, type PortalSession } from '../portal-session.ts';
import type { PortalState } from '../portal-state.ts';
import { addressesOf, signInAddress } from './addresses.ts';
import { attend, type PortalCall } from './attend.ts';
import { redirect } from './cookies.ts';

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
  return attend(deps.world, named, (fault) => (session ? answer(session, fault) : sendToLogin(deps.world, c)));
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
