import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../world/clock.ts';
import { forgetOld } from '../world/forget-old.ts';
import type { Metodo } from './idp-session.ts';

/** Who allowed what to whom. */
export type Grant = { rfc: string; metodo: Metodo; clientId: string; scope: string };

/** What a code was asked for with, and must be exchanged with. */
type CodeBinding = { redirectUri: string; codeChallenge: string };

type TokenAnswer = { accessToken: string; expiresIn: number; grant: Grant };

/** The authorization codes and access tokens that are in force. */
export type Grants = {
  issueCode(grant: Grant, binding: CodeBinding): string;
  /**
   * Exchanges a code for a token; null when it is unknown, old, used before, or the client, the address or the verifier
   * is another than that of its request. A code that comes twice also ends the token that it gave first (RFC 6749,
   * 4.1.2).
   */
  exchange(code: string, by: { clientId: string; redirectUri: string; verifier: string }): TokenAnswer | null;
  /** What an access token allows, or null. */
  read(accessToken: string): Grant | null;
};

const CODE_LIFE_MS = 60_000;
const TOKEN_LIFE_MS = 20 * 60_000;

type Code = Grant & CodeBinding & { expiresAt: number; token: string | null };

/**
 * Creates an empty store; a code lives for a minute of the simulator's clock, a token for twenty. What is over is
 * forgotten when another code is issued.
 */
export function createGrants(clock: Clock): Grants {
  const codes = new Map<string, Code>();
  const tokens = new Map<string, Grant & { expiresAt: number }>();
  const now = () => clock.now().getTime();
  return {
    issueCode: (grant, binding) => {
      // A code that comes twice still ends its token.
      forgetOld(codes, ({ expiresAt }) => expiresAt + TOKEN_LIFE_MS <= now());
      forgetOld(tokens, ({ expiresAt }) => expiresAt <= now());
      const code = randomBytes(32).toString('base64url');
      codes.set(code, { ...grant, ...binding, expiresAt: now() + CODE_LIFE_MS, token: null });
      return code;
    },
    exchange: (text, { clientId, redirectUri, verifier }) => {
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
    read: (accessToken) => {
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
