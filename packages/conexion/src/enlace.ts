import { createHash, randomBytes } from 'node:crypto';

/** 32 bytes in base64url without padding. */
const TOKEN = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;

/** A new token of 256 bits. */
export const newToken = (): string => randomBytes(32).toString('base64url');

/** SHA-256 of a token as the database stores it; null for a text that is no token. */
export const huellaDe = (token: unknown): Buffer | null =>
  typeof token === 'string' && TOKEN.test(token) ? createHash('sha256').update(token).digest() : null;

/** Address of the page. The token stands in the fragment, which browsers send to no server. */
export const enlaceDe = (publicUrl: string, token: string, path = ''): string =>
  `${publicUrl.replace(/\/+$/, '')}/conectar${path}#${token}`;
