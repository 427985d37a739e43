import { createHmac, randomBytes } from 'node:crypto';
import { contextoDeWebhook, type Sellado } from '@acuse/core';

const PREFIX = 'whsec_';
/** Bytes of a new key; Standard Webhooks 1.0 demands 24 to 64. */
const KEY_BYTES = 32;

/** A new key to sign with. */
const newClaveFirma = (): Buffer => randomBytes(KEY_BYTES);

/** A key as its owner keeps it: `whsec_` and its bytes in base64. */
const secretoOf = (clave: Buffer): string => `${PREFIX}${clave.toString('base64')}`;

/** The key of a secret as its owner keeps it; null when it is none. */
export function claveOf(secreto: string): Buffer | null {
  const text = secreto.startsWith(PREFIX) ? secreto.slice(PREFIX.length) : '';
  const clave = Buffer.from(text, 'base64');
  return clave.length > 0 && clave.toString('base64') === text ? clave : null;
}

/**
 * The headers of one message (Standard Webhooks 1.0): `id` is the same at every try, `segundos` (Unix time) is of this
 * one. There is a signature for each key, the one in force first.
 */
export function firmar(
  { id, segundos, cuerpo }: { readonly id: string; readonly segundos: number; readonly cuerpo: string },
  claves: readonly Buffer[],
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const contenido = `${id}.${segundos}.${cuerpo}`;
  const firmas = claves.map((clave) => `v1,${createHmac('sha256', clave).update(contenido).digest('base64')}`);
  return { 'webhook-id': id, 'webhook-timestamp': String(segundos), 'webhook-signature': firmas.join(' ') };
}

/** All headers of one message: the signed ones, and its number for its webhook. */
export const encabezadosDe = (
  { secuencia, ...mensaje }: Parameters<typeof firmar>[0] & { readonly secuencia: number },
  claves: readonly Buffer[],
): Record<string, string> => ({ ...firmar(mensaje, claves), 'x-acuse-secuencia': String(secuencia) });

/** A new secret of a webhook: as its owner keeps it, and sealed for the workers under its own id. */
export function newSecreto(
  webhookId: string,
  { newId, sellado }: { readonly newId: () => string; readonly sellado: Pick<Sellado, 'seal'> },
): { readonly secreto: string; readonly sellado: { readonly id: string; readonly sobre: Buffer } } {
  const clave = newClaveFirma();
  try {
    const id = newId();
    return { secreto: secretoOf(clave), sellado: { id, sobre: sellado.seal(clave, contextoDeWebhook(webhookId, id)) } };
  } finally {
    clave.fill(0);
  }
}
