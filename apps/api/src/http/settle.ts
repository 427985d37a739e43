import { setTimeout as sleep } from 'node:timers/promises';
import { CfdiError } from '@acuse/contract';
import { type RespuestaGuardada, ResultadoIncierto } from '@acuse/core';
import { sealRespuesta } from '@acuse/vault';
import type { ApiDeps } from '../api-deps.ts';
import { accessOf, type Contestacion, type Llamada } from './llamada.ts';
import type { Reembolsos } from './state/reembolsos.ts';

type SettleDeps = Pick<ApiDeps, 'saldos' | 'idempotencia' | 'keyring' | 'log'> & {
  readonly reembolsos: Reembolsos;
};

/**
 * Pauses before the tries to settle a call while its caller waits, milliseconds: a server that is started anew is back
 * within them.
 */
const PAUSES_MS = [0, 100, 400, 1_000, 2_000];

const RETRY_SECONDS = 5;

/**
 * Makes it durable that a call is answered, before it is: its charge stays, or is given back where the answer says so,
 * and for a repeated `Idempotency-Key` the answer is kept, in one commit. Throws when the charge was given back
 * meanwhile (the process stood still for longer than its call may take), and when nothing can be written: then the call
 * is not answered, and its charge is given back.
 */
export async function settleAnswer(llamada: Llamada, answer: Contestacion, deps: SettleDeps): Promise<void> {
  const respuesta = respuestaOf(llamada, answer, deps);
  if (llamada.charged) await settleCharge(llamada, respuesta, answer.devuelve, deps);
  else if (respuesta !== null) {
    const { opId } = llamada;
    await deps.idempotencia
      .finish({ ...respuesta, opId })
      .catch((err: unknown) => deps.log.warn({ err, opId }, 'an answer was not kept for its Idempotency-Key'));
  }
}

function respuestaOf(
  llamada: Llamada,
  { status, cuerpo }: Contestacion,
  { keyring }: SettleDeps,
): RespuestaGuardada | null {
  const { idempotency, operation } = llamada;
  if (idempotency === null) return null;
  const { access, apiKey } = accessOf(llamada);
  const contexto = {
    apiKeyId: access.apiKey.id,
    operacion: operation.path,
    clave: idempotency.clave,
    status,
  };
  return { ...contexto, sobre: sealRespuesta(cuerpo, contexto, { secret: apiKey.secret, keyring }) };
}

/** A try whose outcome is unknown is followed by another one, which tells what became of it. */
async function settleCharge(
  llamada: Llamada,
  respuesta: RespuestaGuardada | null,
  devuelve: string | undefined,
  { saldos, log }: SettleDeps,
): Promise<void> {
  const { opId } = llamada;
  let isUncertain = false;
  let cause: unknown;
  llamada.settling = true;
  for (const pause of PAUSES_MS) {
    await sleep(pause);
    try {
      if (await saldos.settle(opId, respuesta, devuelve)) return;
    } catch (error) {
      cause = error;
      isUncertain ||= error instanceof Error && error.cause instanceof ResultadoIncierto;
      log.warn({ err: error, opId }, 'settle_failed');
      continue;
    }
    throw new CfdiError('SALDO_NO_DISPONIBLE', { reintentar_en: RETRY_SECONDS });
  }
  // Under a key the answer may be kept, and is there for the repetition.
  const nombre = isUncertain && respuesta !== null ? 'RESULTADO_INCIERTO' : 'SALDO_NO_DISPONIBLE';
  throw new CfdiError(nombre, { reintentar_en: RETRY_SECONDS }, { cause });
}

/**
 * Gives the charge back: nobody pays for an error, whoever caused it. An `Idempotency-Key` is freed, so that the same
 * request can be made again. The refund goes first: a process that dies between the two leaves a key whose repetition
 * is charged anew, after its lock. Under a key a charge whose settling was written stays: the answer was kept with it.
 * What may have been done goes on under the same charge.
 */
export async function settleError(llamada: Llamada, error: CfdiError, deps: SettleDeps): Promise<void> {
  const { idempotency, opId, operation } = llamada;
  if (llamada.charged) {
    llamada.charged = false;
    const detalle = `${operation.path}: ${error.nombre}`;
    if (llamada.settling && idempotency === null) await deps.reembolsos.undo(opId, detalle);
    else await deps.reembolsos.refund(opId, detalle);
  }
  if (idempotency === null) return;
  const apiKeyId = accessOf(llamada).access.apiKey.id;
  const peticion = { apiKeyId, operacion: operation.path, clave: idempotency.clave, opId };
  const isUncertain = error.nombre === 'RESULTADO_INCIERTO';
  await deps.idempotencia[isUncertain ? 'reopen' : 'release'](peticion).catch((err: unknown) =>
    deps.log.warn({ err, opId }, 'an Idempotency-Key was not freed'),
  );
}
