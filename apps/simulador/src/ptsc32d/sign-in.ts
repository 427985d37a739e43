import { randomBytes } from 'node:crypto';
import type { Context } from 'hono';
import { getCookie } from 'hono/cookie';
import type { Nidp } from '../nidp/nidp.ts';
import { challengeOf, type OauthClient } from '../nidp/oauth.ts';
import { formOf, htmlResponse, originOf, redirect, withCookies } from '../web/http.ts';
import { createSessions } from '../web/sessions.ts';
import type { World } from '../world/world.ts';

/** The application at loginda; id and scopes as public traces of the SAT's application have them. */
export const CLIENTE_32D: OauthClient = {
  clientId: '50bffab8-793c-41c4-b639-9abe2a93cb2c',
  redirectPath: '/ptsc32d/oauth2/callback',
  scopes: ['openid', 'mscontribuyente'],
};

const COOKIE = '.AspNetCore.Cookies';
const CORRELATION = '.AspNetCore.Correlation.';
const IDLE_MS = 20 * 60_000;
const REFUSED =
  '<html><head><title>Error</title></head><body><p>An error was encountered while handling the remote login.</p></body></html>';

type Attempt = { correlation: string; verifier: string; returnTo: string };

/**
 * Creates the sign-in by OAuth 2.0 with PKCE at loginda; each attempt is good once and for the browser that began it.
 */
export function createSignIn({ world, loginda }: { world: World; loginda: Nidp }) {
  const idle = { clock: world.clock, idleMs: () => IDLE_MS };
  const sessions = createSessions<{ rfc: string }>(idle);
  const attempts = createSessions<Attempt>(idle);

  const exchange = async (c: Context, code: string, verifier: string) => {
    const body = new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: CLIENTE_32D.clientId,
      redirect_uri: originOf(c) + CLIENTE_32D.redirectPath,
      code,
      code_verifier: verifier,
    });
    const answer = await loginda.app.request(`${originOf(c)}/nidp/oauth/nam/token`, { method: 'POST', body });
    // A fault may have put anything in its place.
    const given = (await answer.json().catch(() => ({}))) as { access_token?: string };
    return loginda.introspect(given.access_token ?? '');
  };

  return {
    /** The taxpayer of the browser's cookie or of its bearer token, or null. */
    current: (c: Context) => {
      const bearer = /^Bearer (\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1];
      if (bearer !== undefined) return loginda.introspect(bearer)?.rfc ?? null;
      return sessions.use(getCookie(c, COOKIE) ?? '')?.rfc ?? null;
    },
    /** Sends a browser to the log-in, from where it comes back to this path. */
    challenge: (c: Context, returnTo: string) => {
      const random = (bytes: number) => randomBytes(bytes).toString('base64url');
      const attempt = { correlation: random(16), verifier: random(48), returnTo };
      const state = attempts.start(attempt);
      const query = new URLSearchParams({
        client_id: CLIENTE_32D.clientId,
        redirect_uri: originOf(c) + CLIENTE_32D.redirectPath,
        response_type: 'code',
        scope: CLIENTE_32D.scopes.join(' '),
        code_challenge: challengeOf(attempt.verifier),
        code_challenge_method: 'S256',
        response_mode: 'form_post',
        nonce: random(32),
        state,
      });
      const response = redirect(`${originOf(c)}/loginda/nidp/oauth/nam/authz?${query}`);
      return withCookies(response, { [CORRELATION + attempt.correlation]: 'N' });
    },
    /** Takes the code that the browser brings back. */
    callback: async (c: Context) => {
      const { state = '', code = '' } = await formOf(c);
      const attempt = attempts.use(state);
      attempts.end(state);
      const isItsOwn = attempt !== null && getCookie(c, CORRELATION + attempt.correlation) === 'N';
      const owner = isItsOwn ? await exchange(c, code, attempt.verifier) : null;
      if (!owner || !isItsOwn) return { answer: htmlResponse(REFUSED, 500), rfc: '' };
      const answer = withCookies(redirect(`${originOf(c)}/ptsc32d${attempt.returnTo}`), {
        [COOKIE]: sessions.start({ rfc: owner.rfc }),
        [CORRELATION + attempt.correlation]: '',
      });
      return { answer, rfc: owner.rfc };
    },
    /** Forgets the browser. */
    end: (c: Context, answer: Response) => {
      sessions.end(getCookie(c, COOKIE) ?? '');
      return withCookies(answer, { [COOKIE]: '' });
    },
  };
}
