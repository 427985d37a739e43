import type { CfdiError } from '@acuse/contract';
import type { ApiDeps } from '../api-deps.ts';
import { type Contestacion, type Llamada, paseOf } from './llamada.ts';
import type { Reembolsos } from './state/reembolsos.ts';

type SettleDeps = Pick<ApiDeps, 'idempotencia' | 'log'> & { readonly reembolsos: Reembolsos };

/**
 * Lets the charge of an answered call stay, and keeps the answer for a repeated `Idempotency-Key`. When that fails a repetition runs again,
 * under the same charge.
 */
export async function settleAnswer(llamada: Llamada, answer: Contestacion, deps: SettleDeps): Promise<void> {
  const { idempotency, opId, operation } = llamada;
  if (llamada.charged) await deps.reembolsos.settle(opId);
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
 * Gives the charge back: nobody pays for an error, whoever caused it. An `Idempotency-Key` is freed, so that the same request can be made
 * again. The refund goes first: a process that dies between the two leaves a key whose repetition is charged anew, after its lock.
 */
export async function settleError(llamada: Llamada, error: CfdiError, deps: SettleDeps): Promise<void> {
  const { idempotency, opId, operation } = llamada;
  if (llamada.charged) {
    llamada.charged = false;
    await deps.reembolsos.refund(opId, `${operation.path}: ${error.nombre}`);
  }
  if (idempotency === null) return;
  const apiKeyId = paseOf(llamada).pase.apiKey.id;
  await deps.idempotencia
    .release({ apiKeyId, operacion: operation.path, clave: idempotency.clave, opId })
    .catch((err: unknown) => deps.log.warn({ err, opId }, 'an Idempotency-Key was not freed'));
}
