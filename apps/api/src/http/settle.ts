import type { CfdiError } from '@acuse/contract';
import type { ApiDeps } from '../api-deps.ts';
import { isRefunded } from './handle.ts';
import { type Contestacion, type Llamada, paseOf } from './llamada.ts';
import type { Reembolsos } from './state/reembolsos.ts';

type SettleDeps = Pick<ApiDeps, 'idempotencia' | 'log'> & { readonly reembolsos: Reembolsos };

/** Keeps the answer for a repeated `Idempotency-Key`. When that fails a repetition runs again, under the same charge. */
export async function settleAnswer(llamada: Llamada, answer: Contestacion, deps: SettleDeps): Promise<void> {
  const { idempotency, opId, operation } = llamada;
  if (idempotency === null) return;
  const { clave } = idempotency;
  const apiKeyId = paseOf(llamada).pase.apiKey.id;
  await deps.idempotencia
    .finish({
      apiKeyId,
      operacion: operation.path,
      clave,
      opId,
      status: answer.status,
      respuesta: answer.cuerpo,
    })
    .catch((err: unknown) => deps.log.warn({ err, opId }, 'an answer was not kept for its Idempotency-Key'));
}

/**
 * Gives the charge back when the error says so. An error that leaves nothing charged also frees its `Idempotency-Key`, so that the same
 * request can be made again; one that was charged for is kept like a success. The refund goes first: a process that dies between the two
 * leaves a repetition that runs without a charge, never one that charges twice.
 */
export async function settleError(
  llamada: Llamada,
  error: CfdiError,
  answer: Contestacion,
  deps: SettleDeps,
): Promise<void> {
  const { idempotency, opId, operation } = llamada;
  const keepsCharge = llamada.charged && !isRefunded(error);
  if (llamada.charged && !keepsCharge) {
    llamada.charged = false;
    await deps.reembolsos.refund(opId, `${operation.path}: ${error.nombre}`);
  }
  if (idempotency === null) return;
  if (keepsCharge) return settleAnswer(llamada, answer, deps);
  const apiKeyId = paseOf(llamada).pase.apiKey.id;
  await deps.idempotencia
    .release({ apiKeyId, operacion: operation.path, clave: idempotency.clave, opId })
    .catch((err: unknown) => deps.log.warn({ err, opId }, 'an Idempotency-Key was not freed'));
}
