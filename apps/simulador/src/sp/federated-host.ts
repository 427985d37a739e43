import type { Context } from 'hono';
import type { Nidp } from '../nidp/nidp.ts';
import { redirect } from '../portal/web/cookies.ts';
import { formOf } from '../portal/web/form-body.ts';
import type { World } from '../world/world.ts';
import { createHost, type Host } from './host.ts';
import { receiveToken, returnContext } from './relying-party.ts';

/** A host that trusts a log-in host by WS-Federation. */
export type FederatedHost = Host & {
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
