import { type Credencial, wipeCredencial } from '../credencial.ts';
import type { Paquetes } from '../ports/paquetes.ts';
import type { NombreDescarga, Sat } from '../ports/sat.ts';
import type { Avance, ClaimedSolicitud, Claims, CredencialSellada, Parte } from '../ports/solicitudes.ts';
import { SatError } from '../sat-error.ts';
import { type Agenda, esperaDelPortal, esperaTrasFallo, isRetrasada } from './agenda.ts';
import { bajarParte } from './bajar-parte.ts';
import { canChange, canReturn, changeChannel, isChannelDown } from './change-channel.ts';
import { isPorConfirmar, selladaDe, sinConfirmar } from './confirmar-vacia.ts';
import type { ContextoPaso, Paso } from './paso.ts';
import { pedirParte } from './pedir-parte.ts';
import { periodosIniciales } from './periodos.ts';
import type { Checkpoint } from './punto.ts';
import { verificarParte } from './verificar-parte.ts';

export interface AdvanceDeps {
  readonly claims: Claims;
  readonly sat: Sat<NombreDescarga>;
  readonly paquetes: Pick<Paquetes, 'saveSat' | 'findSat' | 'ping'>;
  /** Opens the credential that the API sealed for this solicitud. */
  readonly openSellada: (sellada: CredencialSellada, solicitud: ClaimedSolicitud) => Credencial;
  readonly agenda: Agenda;
  readonly checkpoint: Checkpoint;
}

/** Failures in a row after which nobody waits for the confirmation of an empty answer any more: an hour and a half. */
const MAX_FALLOS_AL_CONFIRMAR = 8;

const isLista = (parte: Parte) => parte.estado === 'DESCARGADA' || parte.estado === 'VACIA';

/**
 * Carries a claimed solicitud one step through the SAT and gives the claim back with the time of its next ring.
 * Everything that may go wrong with the SAT ends here in a later ring or a terminal state; only `Desplazado` and
 * failures of the database come out.
 */
export async function advanceSolicitud(
  deps: AdvanceDeps,
  claimed: ClaimedSolicitud,
  signal: AbortSignal,
): Promise<void> {
  const { claims } = deps;
  if (claimed.now >= claimed.deadlineAt) {
    await claims.fail(claimed, { estado: 'VENCIDA', motivo: 'PLAZO_AGOTADO' });
    return;
  }
  if (claimed.partes.length === 0) {
    const periodos = periodosIniciales({ ...claimed, ahora: claimed.now });
    const nuevas = { reemplaza: null, periodos };
    await claims.release(claimed, { nuevas, eventos: [{ tipo: 'ACEPTADA' }] }, { queue: 'descargas', inSeconds: 0 });
    return;
  }
  const pendientes = claimed.partes.filter((parte) => !isLista(parte));
  if (pendientes.length === 0) {
    await claims.release(claimed, {}, { queue: 'ensambles', inSeconds: 0 });
    return;
  }
  const parte = earliest(pendientes);
  const wait = secondsUntil(parte, claimed);
  if (wait > 0) {
    await claims.release(claimed, {}, { queue: 'descargas', inSeconds: wait });
    return;
  }
  const sellada = selladaDe(claimed, parte);
  const isRefused = parte.canal === claimed.canal && claimed.isCredencialRechazada;
  if (isPorConfirmar(parte) && (isRefused || !sellada || isRetrasada(claimed.creadaEn, claimed.now))) {
    await settle(deps, claimed, parte, sinConfirmar(claimed, parte));
    return;
  }
  if (isRefused) {
    // Sent once more, by whichever process, it might lock the taxpayer's account at the SAT.
    const motivo = claimed.canal === 'portal' ? 'CIEC_RECHAZADA' : 'EFIRMA_RECHAZADA';
    await endRefused(deps, claimed, { estado: 'ERROR', motivo });
    return;
  }
  if (!sellada) {
    if (claimed.canal === 'soap' && canChange(claimed))
      await changeChannel(claims, claimed, { tipo: 'SIN_EFIRMA', mayReturn: true });
    else if (claimed.canal === 'soap') await claims.awaitEfirma(claimed);
    else await claims.fail(claimed, { estado: 'ERROR', motivo: 'CREDENCIAL_NO_DISPONIBLE' });
    return;
  }
  await settle(deps, claimed, parte, await step(deps, claimed, sellada, parte, signal));
}

function earliest(partes: readonly Parte[]): Parte {
  return partes.reduce((first, parte) => (parte.dueAt < first.dueAt ? parte : first));
}

function secondsUntil(parte: Parte, claimed: ClaimedSolicitud): number {
  return Math.max(0, (parte.dueAt.getTime() - claimed.now.getTime()) / 1000);
}

async function step(
  deps: AdvanceDeps,
  solicitud: ClaimedSolicitud,
  sellada: CredencialSellada,
  parte: Parte,
  signal: AbortSignal,
): Promise<Paso> {
  const credencial = deps.openSellada(sellada, solicitud);
  const context = { ...deps, solicitud, parte, credencial, signal };
  try {
    switch (parte.estado) {
      case 'SOLICITADA':
        return await verificarParte(context);
      case 'DISPONIBLE':
        return await bajarParte(context);
      default:
        return await pedirParte(context);
    }
  } catch (error) {
    if (!(error instanceof SatError)) throw error;
    return pasoTras(error, context, signal);
  } finally {
    wipeCredencial(credencial);
  }
}

function pasoTras(error: SatError, { agenda, solicitud, parte }: ContextoPaso, signal: AbortSignal): Paso {
  const codigo = error.codigo ?? error.motivo;
  if (signal.aborted) return { avance: {}, inSeconds: 0 };
  if (error.motivo === 'OCUPADO') return { isBusy: true, inSeconds: error.esperaMs / 1_000 };
  const down = { tipo: 'CANAL_CAIDO', codigo } as const;
  if (error.clase === 'permanente' && !isPorConfirmar(parte) && canReturn(solicitud))
    return { change: { ...down, mayReturn: false } };
  if (error.clase !== 'reintentable')
    return {
      fin: { estado: 'ERROR', motivo: error.motivo, codigo },
      isCredencialRechazada: error.clase === 'credencial',
    };
  if (isPorConfirmar(parte) && parte.fallos >= MAX_FALLOS_AL_CONFIRMAR) return sinConfirmar(solicitud, parte);
  const isPerdido = error.isAccesoPerdido;
  const isFirst = solicitud.canalDejado !== solicitud.canal && solicitud.partes.every(({ accesos }) => accesos === 0);
  const failed = { fallos: parte.fallos, isSecondLogin: isPerdido && !isFirst };
  if (canChange(solicitud) && isChannelDown(solicitud, failed)) return { change: { ...down, mayReturn: true } };
  const short = esperaTrasFallo(agenda, parte.fallos);
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
  if ('fin' in paso) {
    if (isPorConfirmar(parte)) {
      if (paso.isCredencialRechazada) await claims.markRefused(claimed, parte.canal);
      return settle(deps, claimed, parte, sinConfirmar(claimed, parte));
    }
    if (!paso.isCredencialRechazada) return claims.fail(claimed, paso.fin);
    await claims.markRefused(claimed, parte.canal);
    return endRefused(deps, claimed, paso.fin);
  }
  if ('isBusy' in paso) {
    await claims.release(claimed, {}, { queue: 'descargas', inSeconds: paso.inSeconds });
    return;
  }
  if ('change' in paso) return changeChannel(claims, claimed, paso.change);
  const { avance, inSeconds, isForAll = false } = paso;
  const next = isForAll ? { queue: 'descargas' as const, inSeconds } : nextRing(claimed, parte, avance, inSeconds);
  await claims.release(claimed, avance, next);
}

/** Begins anew at the other channel when its credential is there or it came from there, else ends. */
async function endRefused(
  { claims }: AdvanceDeps,
  claimed: ClaimedSolicitud,
  fin: Parameters<Claims['fail']>[1],
): Promise<void> {
  if (claimed.otra === null && !canReturn(claimed)) return claims.fail(claimed, fin);
  const codigo = fin.codigo ?? fin.motivo;
  await changeChannel(claims, claimed, { tipo: 'OTRO_CANAL', codigo, mayReturn: false });
}

/**
 * When the next ring is wanted: at once while another part is due, else with the part that is due first, else assembly.
 */
function nextRing(claimed: ClaimedSolicitud, parte: Parte, avance: Avance, inSeconds: number) {
  if (avance.nuevas) return { queue: 'descargas' as const, inSeconds: 0 };
  const changed = avance.partes?.find((cambio) => cambio.parteId === parte.id)?.estado ?? parte.estado;
  const others = claimed.partes.filter((other) => other.id !== parte.id && !isLista(other));
  const isDone = isLista({ ...parte, estado: changed });
  if (isDone && others.length === 0) return { queue: 'ensambles' as const, inSeconds: 0 };
  const waits = others.map((other) => secondsUntil(other, claimed));
  if (!isDone) waits.push(inSeconds);
  return { queue: 'descargas' as const, inSeconds: Math.min(...waits) };
}
