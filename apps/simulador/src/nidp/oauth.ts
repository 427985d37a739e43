import { createHash, randomBytes } from 'node:crypto';
import type { Context } from 'hono';
import { autoSubmittedForm, encode, formOf, htmlResponse, originOf } from '../web/http.ts';
import { forgetOld } from '../web/sessions.ts';
import type { Clock } from '../world/clock.ts';
import type { Metodo } from './login-desk.ts';

/** An application that may ask for codes; public, so it proves itself by PKCE alone. */
export type OauthClient = {
  clientId: string;
  /** Path of the simulator that codes are sent to, for instance `/ptsc32d/oauth2/callback`. */
  redirectPath: string;
  scopes: readonly string[];
};

type AuthzRequest = {
  client: OauthClient;
  redirectUri: string;
  scope: string;
  state: string | null;
  responseMode: 'form_post' | 'query';
  codeChallenge: string;
};

const S256_CHALLENGE = /^[\w-]{43}$/;
const VERIFIER = /^[\w.~-]{43,128}$/;

/**
 * Creates the end points of a log-in host for these clients: OAuth 2.0 with authorization code and PKCE (RFC 6749, RFC
 * 7636; OAuth 2.0 Form Post Response Mode).
 */
export function createOauth(clock: Clock, clients: readonly OauthClient[]) {
  const grants = createGrants(clock);
  const redirectUriOf = (c: Context, { redirectPath }: OauthClient) => `${originOf(c)}${redirectPath}`;

  /** Reads a request for a code, or gives the answer that refuses it. */
  const read = (c: Context): AuthzRequest | Response => {
    const query = c.req.query();
    const client = clients.find(({ clientId }) => clientId === query['client_id']);
    if (!client) return refused('invalid_client', 'client_id');
    const redirectUri = query['redirect_uri'] ?? '';
    if (redirectUri !== redirectUriOf(c, client)) return refused('invalid_request', 'redirect_uri');
    const responseMode = query['response_mode'] === 'form_post' ? 'form_post' : 'query';
    const state = query['state'] ?? null;
    const back = { redirectUri, responseMode, state } as const;
    if (query['response_type'] === undefined) return fail(back, 'invalid_request', 'response_type');
    if (query['response_type'] !== 'code') return fail(back, 'unsupported_response_type', 'response_type');
    const scope = query['scope'] ?? client.scopes.join(' ');
    if (!scope.split(' ').every((one) => client.scopes.includes(one))) return fail(back, 'invalid_scope', 'scope');
    const codeChallenge = query['code_challenge'] ?? '';
    if (query['code_challenge_method'] !== 'S256' || !S256_CHALLENGE.test(codeChallenge))
      return fail(back, 'invalid_request', 'code_challenge');
    return { client, scope, codeChallenge, ...back };
  };

  const token = async (c: Context) => {
    const form = await formOf(c);
    const { grant_type: type, code, redirect_uri: redirectUri, client_id: clientId } = form;
    const verifier = form['code_verifier'];
    if (!clients.some((client) => client.clientId === clientId))
      return { answer: error('invalid_client', 401), rfc: '' };
    if (type === undefined) return { answer: error('invalid_request'), rfc: '' };
    if (type !== 'authorization_code') return { answer: error('unsupported_grant_type'), rfc: '' };
    if (!code || !redirectUri || !clientId || !verifier || !VERIFIER.test(verifier))
      return { answer: error('invalid_request'), rfc: '' };
    const given = grants.exchange(code, { clientId, redirectUri, verifier });
    if (!given) return { answer: error('invalid_grant'), rfc: '' };
    const body = {
      access_token: given.accessToken,
      token_type: 'bearer',
      expires_in: given.expiresIn,
      scope: given.grant.scope,
    };
    return { answer: json(body, 200), rfc: given.grant.rfc };
  };

  return {
    read,
    /** Sends the browser back with a code. */
    grant: (
      { client, scope, codeChallenge, ...back }: AuthzRequest,
      { rfc, method }: { rfc: string; method: Metodo },
    ) => {
      const grant = { rfc, metodo: method, clientId: client.clientId, scope };
      const code = grants.issueCode(grant, { redirectUri: back.redirectUri, codeChallenge });
      return answer(back, { code });
    },
    token,
    /** What an access token allows, or null. */
    introspect: grants.read,
  };
}

type Back = Pick<AuthzRequest, 'redirectUri' | 'responseMode' | 'state'>;

/** Sends fields back to the client, with its state: in a form that a script sends, or in the address. */
function answer({ redirectUri, responseMode, state }: Back, own: Record<string, string>): Response {
  const fields = { ...own, ...(state !== null && { state }) };
  if (responseMode === 'form_post') return htmlResponse(autoSubmittedForm('Submit', redirectUri, fields));
  const location = `${redirectUri}?${new URLSearchParams(fields)}`;
  return new Response(null, { status: 302, headers: { location } });
}

function fail(back: Back, code: string, what: string): Response {
  return answer(back, { error: code, error_description: `${what} is missing or wrong` });
}

/**
 * A refusal that must not go to the address of the request, because that is not known to be the client's (RFC 6749,
 * 4.1.2.1).
 */
function refused(code: string, what: string): Response {
  return htmlResponse(
    `<html><head><title>SAT</title></head><body><p>${encode(`${code}: ${what}`)}</p></body></html>`,
    400,
  );
}

function error(code: string, status = 400): Response {
  return json({ error: code, error_description: `The request was refused: ${code}` }, status);
}

function json(body: unknown, status: number): Response {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store', pragma: 'no-cache' };
  return new Response(JSON.stringify(body), { status, headers });
}

type Grant = { rfc: string; metodo: Metodo; clientId: string; scope: string };

/** What a code was asked for with, and must be exchanged with. */
type CodeBinding = { redirectUri: string; codeChallenge: string };

type TokenAnswer = { accessToken: string; expiresIn: number; grant: Grant };

const CODE_LIFE_MS = 60_000;
const TOKEN_LIFE_MS = 20 * 60_000;

type Code = Grant & CodeBinding & { expiresAt: number; token: string | null };

/**
 * Creates an empty store. A code lives for a minute of the simulator's clock, a token for twenty; issuing a code
 * removes expired ones.
 */
export function createGrants(clock: Clock) {
  const codes = new Map<string, Code>();
  const tokens = new Map<string, Grant & { expiresAt: number }>();
  const now = () => clock.now().getTime();
  return {
    issueCode: (grant: Grant, binding: CodeBinding) => {
      // A code that comes twice still ends its token.
      forgetOld(codes, ({ expiresAt }) => expiresAt + TOKEN_LIFE_MS <= now());
      forgetOld(tokens, ({ expiresAt }) => expiresAt <= now());
      const code = randomBytes(32).toString('base64url');
      codes.set(code, { ...grant, ...binding, expiresAt: now() + CODE_LIFE_MS, token: null });
      return code;
    },
    /**
     * Exchanges a code for a token; null when it is unknown, old, used before, or the client, the address or the
     * verifier is another than that of its request. A code that comes twice also ends the token that it gave first (RFC
     * 6749, 4.1.2).
     */
    exchange: (text: string, by: { clientId: string; redirectUri: string; verifier: string }): TokenAnswer | null => {
      const { clientId, redirectUri, verifier } = by;
      const code = codes.get(text);
      if (!code) return null;
      if (code.token !== null) {
        tokens.delete(code.token);
        return null;
      }
      const isItsOwn = code.clientId === clientId && code.redirectUri === redirectUri;
      if (!isItsOwn || code.expiresAt <= now() || challengeOf(verifier) !== code.codeChallenge) return null;
      const { rfc, metodo, scope } = code;
      const grant = { rfc, metodo, clientId, scope };
      const accessToken = randomBytes(48).toString('base64url');
      code.token = accessToken;
      tokens.set(accessToken, { ...grant, expiresAt: now() + TOKEN_LIFE_MS });
      return { accessToken, expiresIn: TOKEN_LIFE_MS / 1000, grant };
    },
    read: (accessToken: string): Grant | null => {
      const token = tokens.get(accessToken);
      if (!token || token.expiresAt <= now()) return null;
      const { expiresAt: _, ...grant } = token;
      return grant;
    },
  };
}

/** The `code_challenge` of a verifier by method S256 (RFC 7636, 4.2). */
export function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier, 'ascii').digest('base64url');
}
