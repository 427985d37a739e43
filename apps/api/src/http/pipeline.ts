import { CATALOGO, CfdiError } from '@acuse/contract';
import { wipeCredencial } from '@acuse/core';
import { networkOf } from '@acuse/runtime';
import { wipeApiKey } from '@acuse/vault';
import type { ApiDeps } from '../api-deps.ts';
import { asCfdiError, contestacionDeError } from './answer.ts';
import { handle } from './handle.ts';
import type { Contestacion, Llamada } from './llamada.ts';
import { settleAnswer, settleError } from './settle.ts';
import { StaleAccess } from './stale-access.ts';
import type { AccessCache } from './state/access-cache.ts';
import type { Reembolsos } from './state/reembolsos.ts';
import type { TokenBucket } from './state/token-bucket.ts';
import type { Usos } from './state/usos.ts';
import { bearer } from './steps/bearer.ts';
import { readBody } from './steps/body.ts';
import { credencialPresente, habilitada, ipPermitida, rfcDeLaLlave, userAgent } from './steps/gates.ts';
import { idempotencia } from './steps/idempotencia.ts';
import { rateLimit } from './steps/rate-limit.ts';
import { cobrar } from './steps/saldo.ts';

/** What the steps need: the ports, guarded, and what this process keeps between calls. */
export interface PipelineDeps extends ApiDeps {
  readonly accessCache: AccessCache;
  readonly usos: Usos;
  readonly reembolsos: Reembolsos;
  /** Calls with a wrong key, by address (IPv6: a /64). Right keys from the same address are never held up by it. */
  readonly wrongKeys: TokenBucket;
  /** Null when the limit is switched off. */
  readonly bucket: TokenBucket | null;
}

type Step = (llamada: Llamada, deps: PipelineDeps) => Promise<Contestacion | undefined>;

/** The order is part of the contract: the first step that refuses decides the answer. */
const STEPS: readonly Step[] = [
  userAgent,
  bearer,
  ipPermitida,
  rateLimit,
  habilitada,
  readBody,
  rfcDeLaLlave,
  credencialPresente,
  idempotencia,
  cobrar,
];

/** One for a refusal by a cached pass, two for a pass that changes while the call is being accepted. */
const MAX_RELOADS = 3;

/**
 * Takes one call through every step and its handler. Never rejects: whatever happened becomes an answer, and is
 * settled.
 */
export async function runPipeline(llamada: Llamada, deps: PipelineDeps): Promise<Contestacion> {
  try {
    const answer = await runWithFreshAccess(llamada, deps);
    await settleAnswer(llamada, answer, deps);
    return answer;
  } catch (thrown) {
    const error = throttled(worded(asCfdiError(thrown), llamada), llamada, deps);
    logFailure(error, llamada, deps);
    const answer = contestacionDeError(error);
    await settleError(llamada, error, deps);
    return answer;
  } finally {
    if (llamada.access !== null) deps.usos.note(llamada.access.apiKey.id, llamada.now, llamada.ip);
    wipe(llamada);
  }
}

/**
 * A cached pass may let through what the operation's own statement then refuses, and may refuse what the database would
 * let through: in both cases the steps run again with a fresh one.
 */
async function runWithFreshAccess(llamada: Llamada, deps: PipelineDeps): Promise<Contestacion> {
  llamada.mayUseCache = llamada.operation.charge === 'in-handler';
  for (let reloads = 0; ; reloads += 1) {
    try {
      return await runSteps(llamada, deps);
    } catch (error) {
      const isRefusal = error instanceof CfdiError && CATALOGO[error.nombre].http < 500;
      const isStale = error instanceof StaleAccess || (isRefusal && llamada.accessIsCached);
      if (!isStale || reloads === MAX_RELOADS) throw error;
      llamada.mayUseCache = false;
      llamada.access = null;
    }
  }
}

async function runSteps(llamada: Llamada, deps: PipelineDeps): Promise<Contestacion> {
  for (const step of STEPS) {
    const answer = await step(llamada, deps);
    if (answer) return answer;
  }
  return handle(llamada, deps);
}

/** What costs nothing has no balance to validate: the database is away all the same. */
function worded(error: CfdiError, { operation }: Llamada): CfdiError {
  return error.nombre === 'SALDO_NO_DISPONIBLE' && operation.cost === 0
    ? new CfdiError('BASE_NO_DISPONIBLE', error.datos, { cause: error.cause })
    : error;
}

/** Too many wrong keys from one address are answered with 9429 instead of 1001. */
function throttled(error: CfdiError, { ip }: Llamada, { wrongKeys }: PipelineDeps): CfdiError {
  if (error.nombre !== 'API_KEY_INVALIDA') return error;
  const { allowed, retryAfterSeconds } = wrongKeys.take(networkOf(ip));
  return allowed ? error : new CfdiError('DEMASIADAS_PETICIONES', { reintentar_en: retryAfterSeconds });
}

function logFailure(error: CfdiError, { requestId, operation }: Llamada, { log }: PipelineDeps): void {
  const { http, codigo } = CATALOGO[error.nombre];
  if (http < 500) return;
  log.error({ err: error, requestId, operacion: operation.path, codigo }, 'the call failed');
}

function wipe({ apiKey, body, opened }: Llamada): void {
  if (apiKey !== null) wipeApiKey(apiKey);
  for (const secreto of Object.values(body?.secretos ?? {})) secreto.fill(0);
  for (const credencial of opened) wipeCredencial(credencial);
}
