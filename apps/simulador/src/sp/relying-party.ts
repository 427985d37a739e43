import { attend } from '../portal/web/attend.ts';
import { htmlResponse } from '../portal/web/html.ts';
import type { World } from '../world/world.ts';

/** What a log-in host had a browser post to a host that trusts it (WS-Federation, `wa=wsignin1.0`). */
export type Arrival<I extends { rfc: string }> = {
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
