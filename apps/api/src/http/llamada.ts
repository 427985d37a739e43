import type { AccessSnapshot, Credencial } from '@acuse/core';
import type { ApiKey } from '@acuse/vault';
import type { BodySource } from './net/body-source.ts';
import type { Operation } from './operation.ts';

/** What the steps of the pipeline learn about one call, in the order in which they learn it. */
export interface Llamada {
  readonly requestId: string;
  readonly operation: Operation;
  readonly headers: Headers;
  readonly source: BodySource;
  /** Address of the caller, behind trusted proxies. */
  readonly ip: string;
  readonly now: Date;
  /** Headers for the answer, whatever it is. */
  readonly answerHeaders: Record<string, string>;
  apiKey: ApiKey | null;
  access: AccessSnapshot | null;
  /** True while `access` comes from this process and may be outdated. */
  accessIsCached: boolean;
  /** False once a cached pass has led to a refusal. */
  mayUseCache: boolean;
  rateChecked: boolean;
  /** The one reading of the body: it cannot be read again when the steps run again. */
  bodyRead: Promise<Body> | null;
  body: Body | null;
  idempotency: Idempotency | null;
  /** True from the moment in which credits may have been debited for `opId`. */
  charged: boolean;
  /** True from the moment in which the charge may be settled, whatever was heard of it. */
  settling: boolean;
  opId: string;
  saldo: number;
  /** Opened credentials, to be wiped. */
  readonly opened: Credencial[];
}

/** The body once read: what its schema made of it, and its secret fields. */
export interface Body {
  readonly value: Record<string, unknown>;
  readonly secretos: Readonly<Record<string, Buffer>>;
}

/** A repeated request that this call is the first, or the resuming, attempt of. */
export interface Idempotency {
  readonly clave: string;
}

/** An answer that ends the pipeline. */
export interface Contestacion {
  readonly status: number;
  readonly cuerpo: string;
  readonly headers?: Record<string, string>;
  /** Why the charge is given back although this is a success: the code for the ledger. */
  readonly devuelve?: string;
}

/** The pass of a call that is past the bearer step. */
export function accessOf(llamada: Llamada): { access: AccessSnapshot; apiKey: ApiKey } {
  const { access, apiKey } = llamada;
  if (access === null || apiKey === null) throw new Error('a step ran before the bearer step');
  return { access, apiKey };
}

/** The body of a call that is past the body step. */
export function bodyOf(llamada: Llamada): Body {
  if (llamada.body === null) throw new Error('a step ran before the body step');
  return llamada.body;
}
