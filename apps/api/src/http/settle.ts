import { setTimeout as sleep } from 'node:timers/promises';
import { CfdiError } from '@acuse/contract';
import { type RespuestaGuardada, ResultadoIncierto } from '@acuse/core';
import type { Saldos } from '@acuse/db';
import type { Logger } from '@acuse/runtime';
import { sealRespuesta } from '@acuse/vault';
import type { ApiDeps } from '../deps.ts';
import { accessOf, type Contestacion, type Llamada } from './llamada.ts';

type SettleDeps = Pick<ApiDeps, 'saldos' | 'idempotencia' | 'keyring' | 'log'> & { readonly reembolsos: Reembolsos };

/**
 * Pauses before the attempts to settle a call while its caller waits, milliseconds. A restarted server is back within
 * them.
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
      .catch((err: unknown) => deps.log.warn({ err, opId }, 'idempotent_answer_not_stored'));
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
  const contexto = { apiKeyId: access.apiKey.id, operacion: operation.path, clave: idempotency.clave, status };
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
  const nombre = isUncertain && respuesta !== null ? 'RESULTADO_INCIERTO' : 'BASE_NO_DISPONIBLE';
  throw new CfdiError(nombre, { reintentar_en: RETRY_SECONDS }, { cause });
}

/**
 * Refunds the charge: no error costs anything, whatever its cause. Frees the `Idempotency-Key`, so that the same
 * request can be made again. The refund goes first: a process that dies between the two leaves a key whose repetition is
 * charged again, after its lock. Under a key, a charge whose settling was written stays, because the answer was stored
 * with it. Work that may have been done, by this attempt or by an earlier one, goes on under the same charge.
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
  const isUncertain = error.nombre === 'RESULTADO_INCIERTO' || idempotency.isResumed;
  await deps.idempotencia[isUncertain ? 'reopen' : 'release'](peticion).catch((err: unknown) =>
    deps.log.warn({ err, opId }, 'idempotency_key_not_freed'),
  );
}

interface Pendiente {
  readonly opId: string;
  /** Carries it out; false when there was nothing to carry out. */
  readonly act: () => Promise<boolean>;
  readonly what: string;
  /** Whether "there is no such charge" settles it. */
  readonly isCertain: boolean;
}

const DELAYS_MS = [1_000, 3_000, 10_000, 30_000, 60_000, 120_000, 300_000, 300_000, 300_000];

/**
 * Gives charges back, now or as soon as the database answers again. Refunds are idempotent, so that trying too often is harmless; giving up is logged
 * as an error with the `opId`, for the operator. `delaysMs` are the pauses between attempts.
 */
export function createReembolsos(options: {
  readonly saldos: Pick<Saldos, 'refund' | 'undo'>;
  readonly log: Logger;
  readonly delaysMs?: readonly number[];
}) {
  const { saldos, log, delaysMs = DELAYS_MS } = options;
  const pendientes = new Map<string, { readonly pendiente: Pendiente; readonly timer: NodeJS.Timeout }>();

  function later(pendiente: Pendiente, attempt: number): void {
    const { opId, what, isCertain } = pendiente;
    const delay = delaysMs[attempt];
    if (delay === undefined) {
      pendientes.delete(opId);
      if (isCertain) log.error({ opId, what }, 'refund_given_up');
      return;
    }
    const timer = setTimeout(() => void tryOnce(pendiente, attempt + 1), delay);
    timer.unref();
    pendientes.set(opId, { pendiente, timer });
  }

  async function tryOnce(pendiente: Pendiente, attempt: number): Promise<void> {
    const { opId, act, what, isCertain } = pendiente;
    try {
      const isDone = await act();
      if (isDone || isCertain) pendientes.delete(opId);
      // A charge that was not there may have been on its way: two more looks.
      else if (attempt < 3) later(pendiente, attempt);
      else pendientes.delete(opId);
    } catch (err) {
      log.warn({ err, opId, what, attempt }, 'refund_failed');
      later(pendiente, attempt);
    }
  }

  const refundOf = (opId: string, detalle: string, isCertain: boolean): Pendiente => ({
    opId,
    what: detalle,
    isCertain,
    act: () => saldos.refund(opId, detalle),
  });

  return {
    /** Tries once at once; when that fails it goes on in the background. Never rejects. */
    refund: (opId: string, detalle: string) => tryOnce(refundOf(opId, detalle, true), 0),
    /** The same for a charge that may have been settled. */
    undo: (opId: string, detalle: string) =>
      tryOnce({ opId, what: detalle, isCertain: true, act: () => saldos.undo(opId, detalle) }, 0),
    /** For a charge whose outcome is unknown, because the database did not answer in time: it may still be written. */
    refundIfCharged: (opId: string, detalle: string) => later(refundOf(opId, detalle, false), 0),
    /** Refunds that are still open. */
    get pending() {
      return pendientes.size;
    },
    /** Tries all open ones once more and stops. */
    async close() {
      const open = [...pendientes.values()];
      for (const { timer } of open) clearTimeout(timer);
      for (const { pendiente } of open) {
        const { opId, what, isCertain } = pendiente;
        await pendiente.act().then(
          () => pendientes.delete(opId),
          (err: unknown) => isCertain && log.error({ err, opId, what }, 'refund_left_at_shutdown'),
        );
      }
    },
  };
}

export type Reembolsos = ReturnType<typeof createReembolsos>;
