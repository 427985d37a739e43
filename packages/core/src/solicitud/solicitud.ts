import { SinFirma, wipeCredencial } from '../credencial.ts';
import type { Avance, CambioParte, ClaimedSolicitud, Claims, Parte, QueueName } from '../ports/solicitudes.ts';
import { SatError } from '../sat-error.ts';
import {
  awaitTomorrow,
  canFill,
  contenidosDe,
  fetchXml,
  isFill,
  isSlow,
  lateXml,
  secondsToLateXml,
  withoutXml,
} from '../xml/xml.ts';
import { esperaDelPortal, isRetrasada, waitAfterFailure } from './agenda.ts';
import { afterWrite, newParte } from './cambios.ts';
import {
  type AdvanceDeps,
  askForParte,
  type ChannelChange,
  type ContextoPaso,
  type Fin,
  fetchParte,
  isLista,
  isToConfirm,
  otroCanal,
  type Paso,
  prepareLater,
  unconfirmed,
  verificarParte,
} from './parte.ts';
import { periodosIniciales } from './periodos.ts';
import { type Facts, situationOf, type WithoutAsking } from './situation.ts';

const secondsUntil = ({ dueAt }: Parte, { now }: ClaimedSolicitud) =>
  Math.max(0, (dueAt.getTime() - now.getTime()) / 1_000);

/** Takes the step of the part that is due first, and releases the claim with the time of the next wake-up. */
export async function takeStep(deps: AdvanceDeps, claimed: ClaimedSolicitud, signal: AbortSignal): Promise<void> {
  const { claims } = deps;
  if (claimed.now >= claimed.deadlineAt) return claims.fail(claimed, { estado: 'VENCIDA', motivo: 'PLAZO_AGOTADO' });
  if (claimed.partes.length === 0) return begin(deps, claimed, signal);
  const pendientes = claimed.partes.filter((parte) => !isLista(parte));
  if (pendientes.length === 0) return claims.release(claimed, {}, { queue: 'ensambles', inSeconds: 0 });
  const late = lateXml(claimed);
  if (late) return claims.release(claimed, late, { queue: 'ensambles', inSeconds: 0 });
  const parte = pendientes.reduce((first, each) => (each.dueAt < first.dueAt ? each : first));
  const wait = secondsUntil(parte, claimed);
  if (wait > 0) return claims.release(claimed, {}, beforeLate(claimed, { queue: 'descargas', inSeconds: wait }));
  const opened = await open(deps, claimed, parte);
  if (typeof opened === 'string') return act(deps, claimed, parte, opened);
  return ask({ ...deps, ...opened, solicitud: claimed, parte, signal });
}

/** Divides a new solicitud into parts. A single part of metadata that can be asked for is written with its first intent. */
async function begin(deps: AdvanceDeps, claimed: ClaimedSolicitud, signal: AbortSignal): Promise<void> {
  const periodos = periodosIniciales({ ...claimed, ahora: claimed.now });
  const nuevas = { reemplaza: null, periodos, contenidos: contenidosDe(claimed) };
  const eventos = [{ tipo: 'ACEPTADA' }] as const;
  const [periodo, ...others] = periodos;
  const parte = periodo && newParte(claimed, periodo);
  const opened = parte && others.length === 0 && claimed.contenido === 'metadata' && (await open(deps, claimed, parte));
  if (!parte || !opened || typeof opened === 'string')
    return deps.claims.release(claimed, { nuevas, eventos }, { queue: 'descargas', inSeconds: 0 });
  const solicitud = afterWrite({ ...claimed, partes: [parte] }, { eventos });
  const intended = (pedida: CambioParte): Avance => ({ nuevas: { ...nuevas, pedida }, eventos });
  return ask({ ...deps, ...opened, solicitud, parte, intended, signal });
}

/** Opens the credential that a part is asked with, or says what follows without asking. */
async function open(
  deps: AdvanceDeps,
  claimed: ClaimedSolicitud,
  parte: Parte,
): Promise<Pick<ContextoPaso, 'source' | 'credencial'> | WithoutAsking> {
  const facts = factsOf(claimed, parte);
  const source = deps.sources.find((each) => each.offers(claimed, parte));
  if (source === undefined) return situationOf({ ...facts, copy: 'NONE' });
  const situation = situationOf({ ...facts, copy: 'OFFERED' });
  if (situation !== 'ASK') return situation;
  const credencial = await source.open(claimed, parte);
  if (credencial === null || typeof credencial === 'string')
    return situationOf({ ...facts, copy: credencial ?? 'NONE' });
  return { source, credencial };
}

async function ask(context: ContextoPaso): Promise<void> {
  const { solicitud, parte } = context;
  const paso = await step(context);
  return settle(context, solicitud, parte, isSlow(parte, solicitud, paso) ? withoutXml(solicitud, parte) : paso);
}

const factsOf = (claimed: ClaimedSolicitud, parte: Parte): Omit<Facts, 'copy'> => ({
  canal: claimed.canal,
  isRefused: parte.canal === claimed.canal && claimed.isCredencialRechazada,
  isOptional: isToConfirm(parte) || isFill(parte, claimed),
  isLate: isToConfirm(parte) && isRetrasada(claimed.creadaEn, claimed.now),
  canChange: canChange(claimed),
});

/** Acts on a situation in which the SAT is not asked. */
async function act(
  deps: AdvanceDeps,
  claimed: ClaimedSolicitud,
  parte: Parte,
  situation: WithoutAsking,
): Promise<void> {
  const { claims } = deps;
  switch (situation) {
    case 'UNCONFIRMED':
      return settle(
        deps,
        claimed,
        parte,
        isToConfirm(parte) ? unconfirmed(claimed, parte) : withoutXml(claimed, parte),
      );
    case 'REFUSED':
      return endRefused(claims, claimed, {
        estado: 'ERROR',
        motivo: claimed.canal === 'portal' ? 'CIEC_RECHAZADA' : 'EFIRMA_RECHAZADA',
      });
    case 'AWAIT_KEY':
      return awaitLlave(deps, claimed, parte);
    case 'OTHER_CHANNEL':
      return changeChannel(claims, claimed, { tipo: 'SIN_EFIRMA', mayReturn: true });
    case 'AWAIT_EFIRMA':
      if (canFill(parte, claimed)) return settle(deps, claimed, parte, withoutXml(claimed, parte));
      return claims.awaitEfirma(claimed);
    case 'NO_CREDENTIAL':
      return claims.fail(claimed, { estado: 'ERROR', motivo: 'CREDENCIAL_NO_DISPONIBLE' });
  }
}

/** Tries again when the key of the sealed copy may be back, after pauses that grow. */
async function awaitLlave({ claims, agenda }: AdvanceDeps, claimed: ClaimedSolicitud, parte: Parte): Promise<void> {
  const inSeconds = waitAfterFailure(agenda, parte.fallos);
  const avance: Avance = {
    partes: [{ parteId: parte.id, fallos: parte.fallos + 1, dueInSeconds: inSeconds }],
    eventos: [{ tipo: 'FALLO_INTERNO', codigo: 'FALTA_LLAVE' }],
  };
  await claims.release(claimed, avance, { queue: 'descargas', inSeconds });
}

async function step(context: ContextoPaso): Promise<Paso> {
  const { source, parte, credencial, signal } = context;
  try {
    await prepareLater(context);
    if (parte.contenido === 'xml' && parte.canal === 'portal') return await fetchXml(context);
    switch (parte.estado) {
      case 'SOLICITADA':
        return await verificarParte(context);
      case 'DISPONIBLE':
        return await fetchParte(context);
      default:
        return await askForParte(context);
    }
  } catch (error) {
    if (error instanceof SinFirma) return { isSinFirma: true };
    if (!(error instanceof SatError)) throw error;
    if (signal.aborted) return { avance: {}, inSeconds: 0 };
    if (source.isRefusal?.(error, parte)) return { isSinFirma: true };
    return stepAfter(error, context);
  } finally {
    wipeCredencial(credencial);
  }
}

/** Failures in a row after which the confirmation of an empty answer is given up: an hour and a half. */
const MAX_FALLOS_AL_CONFIRMAR = 8;

/** Failures in a row, a day of them, after which an answer that is a page without a text ends a solicitud. */
const MAX_FALLOS_SIN_TEXTO = 50;

function stepAfter(error: SatError, { agenda, solicitud, parte }: ContextoPaso): Paso {
  const codigo = error.codigo ?? error.motivo;
  if (codigo === 'CUOTA_DEL_DIA') return awaitTomorrow(solicitud, parte);
  if (error.motivo === 'OCUPADO') return { isBusy: true, inSeconds: error.esperaMs / 1_000 };
  const down = { tipo: 'CANAL_CAIDO', codigo } as const;
  if (error.clase === 'permanente' && !isToConfirm(parte) && canReturn(solicitud))
    return { change: { ...down, mayReturn: false } };
  if (error.clase !== 'reintentable')
    return {
      fin: { estado: 'ERROR', motivo: error.motivo, codigo },
      isCredencialRechazada: error.clase === 'credencial',
    };
  if (isToConfirm(parte) && parte.fallos >= MAX_FALLOS_AL_CONFIRMAR) return unconfirmed(solicitud, parte);
  const isPerdido = error.isAccesoPerdido;
  const isFirst = solicitud.canalDejado !== solicitud.canal && solicitud.partes.every(({ accesos }) => accesos === 0);
  const failed = { fallos: parte.fallos, isSecondLogin: isPerdido && !isFirst };
  if (canChange(solicitud) && isChannelDown(solicitud, failed)) return { change: { ...down, mayReturn: true } };
  if (error.codigo === 'PAGINA_VACIA' && parte.fallos >= MAX_FALLOS_SIN_TEXTO)
    return { fin: { estado: 'ERROR', motivo: error.motivo, codigo } };
  const short = waitAfterFailure(agenda, parte.fallos);
  const inSeconds = isPerdido && !isFirst ? Math.max(short, esperaDelPortal(agenda, solicitud)) : short;
  const cambio = { parteId: parte.id, fallos: parte.fallos + 1, dueInSeconds: inSeconds };
  return {
    avance: {
      consultado: true,
      partes: [isPerdido ? { ...cambio, accesos: parte.accesos + 1 } : cambio],
      eventos: [{ tipo: 'SAT_SIN_RESPUESTA', codigo, detalle: error.motivo }],
    },
    inSeconds,
    isForAll: isPerdido,
  };
}

async function settle(deps: AdvanceDeps, claimed: ClaimedSolicitud, parte: Parte, paso: Paso): Promise<void> {
  const { claims } = deps;
  if ('isBusy' in paso) return claims.release(claimed, {}, { queue: 'descargas', inSeconds: paso.inSeconds });
  if ('isSinFirma' in paso) return act(deps, claimed, parte, situationOf({ ...factsOf(claimed, parte), copy: 'NONE' }));
  if ('change' in paso) return changeChannel(claims, claimed, paso.change);
  if ('fin' in paso) {
    if (paso.isCredencialRechazada) await claims.markRefused(claimed, parte.canal);
    if (isToConfirm(parte)) return settle(deps, claimed, parte, unconfirmed(claimed, parte));
    if (parte.contenido === 'xml' && (isFill(parte, claimed) || !paso.isCredencialRechazada))
      return settle(deps, claimed, parte, withoutXml(claimed, parte, paso.fin.codigo));
    return paso.isCredencialRechazada ? endRefused(claims, claimed, paso.fin) : claims.fail(claimed, paso.fin);
  }
  const { avance, inSeconds, isForAll = false } = paso;
  const next = isForAll ? { queue: 'descargas' as const, inSeconds } : nextWakeUp(claimed, parte, avance, inSeconds);
  await claims.release(claimed, avance, beforeLate(claimed, next));
}

/** A solicitud of XML is woken at the latest when it stops waiting for XML alone, before its deadline. */
function beforeLate(claimed: ClaimedSolicitud, next: { readonly queue: QueueName; readonly inSeconds: number }) {
  const left = secondsToLateXml(claimed);
  return claimed.contenido === 'xml' && left > 0 ? { ...next, inSeconds: Math.min(next.inSeconds, left) } : next;
}

/**
 * When the next wake-up is wanted: at once while another part is due, else with the part that is due first, else assembly.
 */
function nextWakeUp(claimed: ClaimedSolicitud, parte: Parte, avance: Avance, inSeconds: number) {
  if (avance.nuevas) return { queue: 'descargas' as const, inSeconds: 0 };
  const changed = avance.partes?.find((cambio) => cambio.parteId === parte.id)?.estado ?? parte.estado;
  const others = claimed.partes.filter((other) => other.id !== parte.id && !isLista(other));
  const isDone = isLista({ ...parte, estado: changed });
  if (isDone && others.length === 0) return { queue: 'ensambles' as const, inSeconds: 0 };
  const waits = others.map((other) => secondsUntil(other, claimed));
  if (!isDone) waits.push(inSeconds);
  return { queue: 'descargas' as const, inSeconds: Math.min(...waits) };
}

/**
 * Failures in a row, a quarter of an hour of them, after which a channel that has accepted nothing yet is left for the
 * other one.
 */
const MAX_FALLOS = 5;

/** True while the other credential is there and a new beginning loses nothing that the SAT accepted, gave or answered. */
const canChange = ({ otra, partes }: ClaimedSolicitud): boolean =>
  otra !== null &&
  partes.every(
    ({ folio, vacias, paquetes }) =>
      folio === null && vacias.length === 0 && paquetes.every(({ objectKey }) => objectKey === null),
  );

/**
 * True when a channel counts as down: after failures in a row or a second log-in in vain, which each cost a captcha.
 * Once for a solicitud: it would go back and forth while both are down.
 */
const isChannelDown = (
  { canalDejado }: ClaimedSolicitud,
  { fallos, isSecondLogin }: { readonly fallos: number; readonly isSecondLogin: boolean },
): boolean => canalDejado === null && (fallos >= MAX_FALLOS || isSecondLogin);

/** True when it may come back to the channel that it left unrefused: the e.firma is waited for there without a copy. */
const canReturn = ({ canal, canalDejado, otra }: ClaimedSolicitud): boolean =>
  canalDejado === otroCanal(canal) && (otra !== null || canalDejado === 'soap');

/** Begins again at the other channel when its credential is there or it came from there, else ends. */
async function endRefused(claims: Claims, claimed: ClaimedSolicitud, fin: Fin): Promise<void> {
  if (claimed.otra === null && !canReturn(claimed)) return claims.fail(claimed, fin);
  const codigo = fin.codigo ?? fin.motivo;
  await changeChannel(claims, claimed, { tipo: 'OTRO_CANAL', codigo, mayReturn: false });
}

/** Begins again at the other channel, under the same charge. */
async function changeChannel(
  claims: Claims,
  claimed: ClaimedSolicitud,
  { mayReturn, ...change }: ChannelChange,
): Promise<void> {
  const canal = otroCanal(claimed.canal);
  const periodos = periodosIniciales({ ...claimed, canal, ahora: claimed.now });
  const nuevas = { reemplaza: null, periodos, contenidos: contenidosDe(claimed) };
  const avance = { nuevas, eventos: [{ ...change, detalle: canal }] };
  await claims.changeChannel(claimed, avance, { mayReturn });
}
