import type { Context } from 'hono';
import type { Nidp } from '../nidp/nidp.ts';
import { attend } from '../portal/web/attend.ts';
import { redirect } from '../portal/web/cookies.ts';
import { formOf } from '../portal/web/form-body.ts';
import { autoSubmittedForm, htmlResponse } from '../portal/web/html.ts';
import type { World } from '../world/world.ts';
import { createHost, type Host } from './host.ts';

/**
 * A host that trusts the log-in host: it sends a browser there with a SAMLRequest and takes the SAMLResponse it brings
 * back.
 */
export type ServiceProvider = Host & {
  /** Takes the assertion, starts a session and sends the browser on to where it wanted to go (RelayState). */
  consume(c: Context): Promise<Response>;
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
        if (identity === null) return htmlResponse(REFUSED, 403);
        const location = host.url(c, ownPath(form['RelayState'] ?? '') ?? inicio);
        return host.enter(identity, arrive(location));
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
