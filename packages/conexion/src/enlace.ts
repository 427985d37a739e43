import { createHash, randomBytes } from 'node:crypto';
import { llaveDeConexion, type Sealer } from '@acuse/vault';
import { z } from 'zod';
import type { NuevaConexion } from './db.ts';

/** Minutes that a link is good. */
export const MINUTOS = { min: 30, max: 7 * 24 * 60, normal: 24 * 60 };
/** Days of the consent. */
export const DIAS = { min: 1, max: 366, normal: 365 };
const DAY_MS = 86_400_000;

/** Characters that print nothing or change the direction of what follows could imitate another text. */
const visible = (max: number) =>
  z
    .string({ error: 'debe ser un texto' })
    .trim()
    .min(2, { error: 'debe tener al menos 2 caracteres' })
    .max(max, { error: `debe tener a lo más ${max} caracteres` })
    .refine((value) => !/\p{C}/u.test(value), { error: 'solo puede tener caracteres imprimibles' });

/** Name of the applicant, as the taxpayer reads it. */
export const MAX_SOLICITANTE = 80;
export const solicitanteField = visible(MAX_SOLICITANTE);
/** Purpose of the use of the CIEC. */
export const MAX_FINALIDAD = 200;
export const finalidadField = visible(MAX_FINALIDAD);
/** Default purpose. */
export const FINALIDAD = 'Consultar al SAT y descargar sus CFDI';

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

/**
 * Row and address of a new link. The public half of the key pair that belongs to `apiKey` goes sealed into the row; the
 * token is in the address alone.
 */
export function prepareConexion(
  pedida: Omit<NuevaConexion, 'apiKeyId' | 'huella' | 'boleto' | 'hasta'> & { readonly dias: number },
  {
    apiKey,
    sealer,
    publicUrl,
    now,
  }: {
    readonly apiKey: { readonly keyId: string; readonly secret: Buffer };
    readonly sealer: Sealer;
    readonly publicUrl: string;
    readonly now: Date;
  },
): { readonly nueva: NuevaConexion; readonly enlace: string } {
  const { dias, ...fila } = pedida;
  const { id, cuentaId, rfc } = fila;
  const token = newToken();
  const huella = huellaDe(token);
  if (huella === null) throw new Error('a new token is none');
  const hasta = new Date(now.getTime() + dias * DAY_MS);
  const { publicRaw } = llaveDeConexion(apiKey, id);
  const boleto = sealer.sealDestino(publicRaw, { solicitudId: id, cuenta: cuentaId, rfc, expiraEn: hasta });
  return {
    nueva: { ...fila, apiKeyId: apiKey.keyId, huella, boleto, hasta },
    enlace: enlaceDe(publicUrl, token),
  };
}
