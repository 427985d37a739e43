import { CATALOGO, CfdiError, type DatosError, type NombreError } from '@acuse/contract';
import { type Modo, wipeCredencial } from '@acuse/core';
import { type Contexto, errorsOf, StaleAccess, type TokenBucket } from '@acuse/operation';
import { isInRanges, type LinkedSignal, linkSignals, networkOf, parseIp, parseRange } from '@acuse/runtime';
import { huellaDeCuerpo, openRespuesta, parseApiKey, wipeApiKey } from '@acuse/vault';
import { firstPage, keptPage } from '../consultas/paginas.ts';
import { vidaDeLlamada } from '../deps.ts';
import type { CoreDeps } from '../operation.ts';
import { byName, canonicalJson, readBody } from './body.ts';
import { eligibleCredenciales, openGuardada } from './credenciales.ts';
import {
  accessOf,
  asCfdiError,
  type Body,
  bodyOf,
  CLAVE,
  type Contestacion,
  contestacionDeError,
  contestacionDeExito,
  IDEMPOTENCY_KEY,
  type Llamada,
} from './llamada.ts';
import { type Reembolsos, settleAnswer, settleError } from './settle.ts';
import type { AccessCache, RateLimit, Usos } from './state.ts';

/** What the steps need: the ports, guarded, and what this process keeps between calls. */
export interface PipelineDeps extends CoreDeps {
  readonly accessCache: AccessCache;
  readonly usos: Usos;
  readonly reembolsos: Reembolsos;
  /** Calls with a wrong key, by address (IPv6: a /64). Right keys from the same address are never held up by it. */
  readonly wrongKeys: TokenBucket;
  /** Null when the limit is switched off. */
  readonly rateLimit: RateLimit | null;
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
  keptPage,
  idempotencia,
  credencialPresente,
  chargeCall,
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
    const error = throttled(asCfdiError(thrown), llamada, deps);
    logFailure(error, llamada, deps);
    deps.metrics.apiErrors.with({ route: llamada.operation.path, error: error.nombre }).add();
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

/** Too many wrong keys from one address are answered with 9429 instead of 1001. */
function throttled(error: CfdiError, { ip }: Llamada, { wrongKeys }: PipelineDeps): CfdiError {
  if (error.nombre !== 'API_KEY_INVALIDA') return error;
  const { allowed, retryAfterSeconds } = wrongKeys.take(networkOf(ip));
  return allowed ? error : new CfdiError('DEMASIADAS_PETICIONES', { reintentar_en: retryAfterSeconds });
}

function logFailure(error: CfdiError, { requestId, operation }: Llamada, { log }: PipelineDeps): void {
  const { http, codigo } = CATALOGO[error.nombre];
  if (http < 500) return;
  log.error({ err: error, requestId, operacion: operation.path, codigo }, 'call_failed');
}

function wipe({ apiKey, body, opened }: Llamada): void {
  if (apiKey !== null) wipeApiKey(apiKey);
  for (const secreto of Object.values(body?.secretos ?? {})) secreto.fill(0);
  for (const credencial of opened) wipeCredencial(credencial);
}

const MAX_USER_AGENT = 512;

/**
 * Demands a User-Agent (specification, Authentication 5): not empty, at most 512 characters, not refused by the
 * operator's lists.
 */
async function userAgent(llamada: Llamada, { settings }: PipelineDeps): Promise<undefined> {
  const agent = llamada.headers.get('user-agent')?.trim().toLowerCase() ?? '';
  const isListed = (prefixes: readonly string[]) => prefixes.some((prefix) => agent.startsWith(prefix));
  const { userAgentAllow, userAgentDeny } = settings;
  const isAllowed = userAgentAllow.length === 0 || isListed(userAgentAllow);
  if (agent === '' || agent.length > MAX_USER_AGENT || !isAllowed || isListed(userAgentDeny)) {
    throw new CfdiError('USER_AGENT_NO_PERMITIDO');
  }
}

/**
 * `Bearer SP token`; the scheme in any letter case (RFC 9110 section 11.1), exactly one space, nothing after the token.
 */
const BEARER = /^bearer ([A-Za-z0-9._~+/-]+=*)$/i;

/**
 * Reads the API key and the pass behind it. Two Authorization headers arrive joined by a comma and fit the grammar no
 * more than a bare key does.
 */
async function bearer(llamada: Llamada, deps: PipelineDeps): Promise<undefined> {
  const { accessCache, hasher, usos } = deps;
  const token = BEARER.exec(llamada.headers.get('authorization') ?? '')?.[1];
  llamada.apiKey ??= token === undefined ? null : parseApiKey(token);
  const { apiKey } = llamada;
  if (apiKey === null) throw new CfdiError('API_KEY_INVALIDA');

  const found = await accessCache.get(apiKey.keyId, llamada.mayUseCache);
  llamada.accessIsCached = found.isCached;
  // The hash is computed for an unknown id as well, so that the time tells nothing.
  const isKey = hasher.verifyApiKey(apiKey, found.access?.apiKey ?? null);
  if (found.access === null || !isKey) throw new CfdiError('API_KEY_INVALIDA');
  if (found.access.apiKey.estado !== 'ACTIVA') throw new CfdiError('API_KEY_REVOCADA');
  if (found.access.isSuspendida) throw new CfdiError('CUENTA_SUSPENDIDA');
  askedOf(llamada, found.access.apiKey.modo, deps);
  const { hash } = found.access.apiKey;
  if (hasher.isStale(found.access.apiKey)) usos.rehash(apiKey.keyId, hash, hasher.hashApiKey(apiKey));
  llamada.access = found.access;
  llamada.saldo = found.access.saldo;
}

/**
 * Decides whether the SAT or a simulator answers a call, and says so on the answer. A simulator in the SAT's place
 * answers every key. Where the server asks the SAT itself, a test key never reaches it: the simulator of
 * SAT_PRUEBAS_URL answers, free of charge; without that setting the call is refused.
 */
function askedOf(llamada: Llamada, modo: Modo, { settings, pruebas }: PipelineDeps): void {
  if (settings.modo === 'test' || modo === 'live') return;
  llamada.answerHeaders['X-Acuse-Modo'] = modo;
  if (pruebas === null) throw new CfdiError('PRUEBAS_NO_DISPONIBLES');
  llamada.pruebas = pruebas;
}

/** What a call costs: nothing where it asks the simulator beside the SAT. */
const costOf = ({ operation, pruebas }: Llamada): number => (pruebas === null ? operation.cost : 0);

/** The taxpayer's list of addresses that may call (specification, Authentication 9). An empty list means any. */
async function ipPermitida(llamada: Llamada): Promise<undefined> {
  const { ips } = accessOf(llamada).access;
  if (ips.length === 0) return;
  const ip = parseIp(llamada.ip);
  const ranges = ips.map(parseRange).filter((range) => range !== null);
  if (ip === null || !isInRanges(ip, ranges)) throw new CfdiError('IP_NO_PERMITIDA', { motivo: llamada.ip });
}

/**
 * Counts the call against its key, which only its holder can use up. The header fields are those of
 * draft-ietf-httpapi-ratelimit-headers.
 */
async function rateLimit(llamada: Llamada, { rateLimit: limit }: PipelineDeps): Promise<undefined> {
  if (limit === null || llamada.rateChecked) return;
  llamada.rateChecked = true;
  const { keyId } = accessOf(llamada).apiKey;
  const { allowed, remaining, resetSeconds, retryAfterSeconds, policy } = await limit.take(keyId);
  llamada.answerHeaders['RateLimit-Policy'] = policy;
  llamada.answerHeaders['RateLimit'] = `"llave";r=${remaining};t=${resetSeconds}`;
  if (!allowed) throw new CfdiError('DEMASIADAS_PETICIONES', { reintentar_en: retryAfterSeconds });
}

/** Operations can be switched off for an RFC in the panel (specification, Authentication 8). */
async function habilitada(llamada: Llamada): Promise<undefined> {
  const { deshabilitadas } = accessOf(llamada).access;
  if (deshabilitadas.includes(llamada.operation.path)) throw new CfdiError('OPERACION_NO_HABILITADA');
}

/**
 * A key belongs to exactly one RFC, which has to be associated with it first (specification, Authentication 3 and 7).
 */
async function rfcDeLaLlave(llamada: Llamada): Promise<undefined> {
  const { rfc } = llamada.operation;
  if (rfc !== 'propio' && rfc !== 'propio-sin-registrar') return;
  const { access } = accessOf(llamada);
  if (bodyOf(llamada).value['rfc'] !== access.rfc) throw new CfdiError('RFC_AJENO');
  if (rfc === 'propio' && !access.apiKey.isRegistrada) throw new CfdiError('RFC_NO_REGISTRADO');
}

/** The stored credential that the operation needs has to be there, alive and not refused by the SAT. */
async function credencialPresente(llamada: Llamada): Promise<undefined> {
  bodyOf(llamada);
  llamada.elegibles = eligibleCredenciales(llamada.operation, accessOf(llamada).access, llamada.now);
}

/**
 * Seconds until a repetition may try again: as long as the first attempt has run. Most take a second or two, so the first
 * wait is short and each later one longer.
 */
const laterEach = (libreEn: number, bloqueo: number) => Math.max(1, Math.min(libreEn, Math.floor(bloqueo - libreEn)));

const ILEGIBLE = 'La respuesta guardada con esta clave ya no se puede leer. Use una clave nueva.';

/**
 * The optional `Idempotency-Key` header, the same for every operation: a repetition within 24 hours gets the stored
 * answer, and nothing is done or charged twice. The stored answer and body can be read only with the caller's API key.
 */
async function idempotencia(
  llamada: Llamada,
  { idempotencia: port, keyring, settings }: PipelineDeps,
): Promise<Contestacion | undefined> {
  const clave = llamada.headers.get(IDEMPOTENCY_KEY);
  const { operation } = llamada;
  if (clave === null || llamada.idempotency !== null) return undefined;
  if (!CLAVE.test(clave)) {
    const motivo = 'debe tener de 1 a 255 caracteres ASCII visibles, sin espacios';
    throw new CfdiError('CAMPO_INVALIDO', { campo: IDEMPOTENCY_KEY, motivo });
  }
  const { access, apiKey } = accessOf(llamada);
  const peticion = { apiKeyId: access.apiKey.id, operacion: operation.path, clave };
  const resultado = await port.begin({
    ...peticion,
    cuerpoHash: huellaDeCuerpo(camposOf(bodyOf(llamada)), peticion, apiKey.secret),
    opId: llamada.opId,
    // Only then may a repetition take the place of an attempt that died.
    bloqueoSegundos: vidaDeLlamada(settings),
  });
  switch (resultado.resultado) {
    case 'ADELANTE':
      llamada.idempotency = { clave, isResumed: resultado.opId !== llamada.opId };
      llamada.opId = resultado.opId;
      return undefined;
    case 'CONTESTADA': {
      const { status, sobre } = resultado;
      const claves = { secret: apiKey.secret, keyring };
      const cuerpo = openRespuesta(sobre, { ...peticion, status }, claves);
      if (cuerpo === null) throw new CfdiError('IDEMPOTENCIA_EN_CONFLICTO', { motivo: ILEGIBLE });
      return { status, cuerpo, headers: { 'Idempotent-Replayed': 'true' } };
    }
    case 'OTRO_CUERPO':
      throw new CfdiError('IDEMPOTENCIA_EN_CONFLICTO', { motivo: 'La clave ya se usó con otro contenido.' });
    case 'EN_CURSO':
      throw new CfdiError('IDEMPOTENCIA_EN_CONFLICTO', {
        motivo: 'La primera petición con esta clave sigue en curso.',
        reintentar_en: laterEach(resultado.libreEn, vidaDeLlamada(settings)),
      });
  }
}

/** Every field of the body, those included that never become a string. */
const camposOf = ({ value, secretos }: Body) => [canonicalJson(value), ...Object.entries(secretos).sort(byName).flat()];

/**
 * Debits before the work. When the database does not answer, the operation does not run, and a debit that arrives late
 * is refunded. A repetition whose first charge is being refunded at this moment does not run either; the next one is
 * charged again.
 */
async function chargeCall(llamada: Llamada, { saldos, reembolsos, settings }: PipelineDeps): Promise<undefined> {
  const { operation, opId } = llamada;
  if (costOf(llamada) === 0 || operation.charge === 'in-handler') return;
  const { access } = accessOf(llamada);
  let cargo: Awaited<ReturnType<typeof saldos.charge>>;
  try {
    cargo = await saldos.charge({
      opId,
      cuentaId: access.cuentaId,
      contribuyenteId: access.contribuyenteId,
      operacion: operation.path,
      plazoSegundos: vidaDeLlamada(settings),
    });
  } catch (error) {
    reembolsos.refundIfCharged(opId, 'la base de datos no respondió');
    if (!(error instanceof CfdiError)) throw error;
    throw new CfdiError('SALDO_NO_DISPONIBLE', error.datos, { cause: error.cause });
  }
  llamada.saldo = cargo.saldo;
  if (cargo.resultado === 'INSUFICIENTE') throw new CfdiError('SALDO_INSUFICIENTE');
  if (cargo.resultado === 'DEVUELTO') throw new CfdiError('SALDO_NO_DISPONIBLE');
  llamada.charged = true;
}

/** The result of a handler did not fit the operation's own data schema: our fault. */
class DataDesconocida extends Error {
  constructor(path: string, issues: readonly string[]) {
    super(`${path} answered data that its schema refuses: ${issues.join('; ')}`);
    this.name = 'DataDesconocida';
  }
}

/**
 * Runs the operation and checks what it answers. Errors that it did not declare are answered too, but logged as ours.
 */
async function handle(llamada: Llamada, deps: PipelineDeps): Promise<Contestacion> {
  const { operation } = llamada;
  const { value, secretos } = bodyOf(llamada);
  const { access, apiKey } = accessOf(llamada);
  const { ip, requestId, opId, idempotency, saldo, now } = llamada;
  let budget: LinkedSignal | undefined;
  let devuelve: string | undefined;
  const contexto: Contexto<CoreDeps, 'ciec-o-efirma'> = {
    deps: { ...deps, ...llamada.pruebas },
    costo: costOf(llamada),
    access,
    operacion: operation.path,
    apiKey,
    ip,
    requestId,
    opId,
    idemKey: idempotency && opId,
    saldo,
    now,
    secretos,
    error: (nombre: NombreError, datos: DatosError = {}, cause?: unknown) => new CfdiError(nombre, datos, { cause }),
    get signal() {
      budget ??= linkSignals([deps.apagado], deps.settings.presupuestoMs);
      return budget.signal;
    },
    giveBack(motivo) {
      devuelve = motivo;
    },
    credenciales: llamada.elegibles.map((elegible) => ({
      tipo: elegible.tipo,
      canal: elegible.canal,
      open() {
        const credencial = openGuardada(elegible, access, apiKey, deps.keyring);
        llamada.opened.push(credencial);
        return credencial;
      },
    })),
  };
  let result: unknown;
  try {
    result = await operation.handle(value, contexto);
  } catch (error) {
    if (error instanceof CfdiError && !errorsOf(operation).includes(error.nombre)) {
      deps.log.error({ err: error, operacion: operation.path }, 'undeclared_error_answered');
    }
    throw error;
  } finally {
    budget?.release();
  }
  const data = await firstPage(llamada, checkData(llamada, result), deps);
  const contestacion = contestacionDeExito(operation, data, llamada.saldo);
  return devuelve === undefined ? contestacion : { ...contestacion, devuelve };
}

function checkData({ operation }: Llamada, result: unknown): unknown {
  if (operation.data === null) return undefined;
  const parsed = operation.data.safeParse(result);
  if (parsed.success) return parsed.data;
  throw new DataDesconocida(
    operation.path,
    parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.code}`),
  );
}
