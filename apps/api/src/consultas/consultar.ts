import { setTimeout as sleep } from 'node:timers/promises';
import { CfdiError, type NombreError } from '@acuse/contract';
import type {
  CatalogoConsultas,
  Credencial,
  CredencialDe,
  NombreConsulta,
  Respuesta,
  TipoCredencial,
} from '@acuse/core';
import type { CredencialElegible } from '@acuse/operation';
import { linkSignals } from '@acuse/runtime';
import type { NombreCanal } from '@acuse/sat';
import type { ContextoBase } from '../operation.ts';
import { askSat } from './ask-sat.ts';

/**
 * What keeps one way from an answer and may not keep another: the SAT's failures, and a credential that it refuses or
 * that does not open.
 */
const OTRO_CAMINO: ReadonlySet<NombreError> = new Set<NombreError>([
  'SAT_NO_DISPONIBLE',
  'CIEC_RECHAZADA',
  'EFIRMA_RECHAZADA',
  'CIEC_NO_GUARDADA',
  'EFIRMA_NO_DISPONIBLE',
]);

/** Share of the remaining budget that a way may use while another one waits behind it. */
const PARTE = 2 / 3;

/** Pause before the same way is asked again after an empty answer, milliseconds. */
const PAUSA_MS = 1_000;

/** Why an empty list is given back, in the ledger: the same as of a bulk download. */
const SIN_CONFIRMAR = 'VACIA_SIN_CONFIRMAR';

type ContextoConsulta<C extends Credencial> = Pick<ContextoBase, 'deps' | 'access' | 'signal' | 'now' | 'operacion'> & {
  readonly credenciales: readonly CredencialElegible<C>[];
};

type Pregunta<C extends Credencial, T> = (
  credencial: C,
  contexto: Pick<ContextoBase, 'deps' | 'access' | 'signal' | 'now'>,
) => Promise<T>;

/** How an answer was obtained, in the words of the interface. */
interface Camino {
  readonly canal: NombreCanal;
  /** Null for public queries. */
  readonly credencial: TipoCredencial | null;
}

/** An answer, and how it was obtained. */
export interface Obtenida<T> {
  readonly respuesta: T;
  readonly camino: Camino;
}

/**
 * Asks with each stored credential that may serve until one has an answer, within the one budget and the one charge of
 * the call. The way that answered last goes first. When none answers, a failure of the SAT takes precedence over a
 * refused credential: asking again may help.
 */
export function consultar<N extends NombreConsulta, C extends Credencial & CredencialDe<N>>(
  contexto: ContextoConsulta<C>,
  consulta: CatalogoConsultas[N]['consulta'] & { readonly consulta: N },
): Promise<Obtenida<Respuesta<N>>> {
  const ask: Pregunta<C, Respuesta<N>> = (credencial, propio) => askSat<N>(propio, consulta, credencial);
  return walk(contexto, waysOf(contexto), ask, performance.now());
}

/**
 * The rows of a list, and how sure they are. An empty list is no fact, for the SAT says so wrongly at times: it is
 * looked for once more within the same budget, by the other stored credential, else by the same one. Rows of either
 * look are the answer; two credentials that say the same are `confirmado`; anything else is `sin_confirmar`, and its
 * charge is given back with the answer.
 */
export async function consultarLista<C extends Credencial, F, I>(
  contexto: ContextoConsulta<C> & Pick<ContextoBase, 'costo' | 'giveBack'>,
  ask: Pregunta<C, readonly F[]>,
  toItem: (fila: F) => I,
) {
  const start = performance.now();
  const ways = waysOf(contexto);
  const first = await walk(contexto, ways, ask, start);
  const again = first.respuesta.length === 0 ? await lookAgain(contexto, ways, first.camino, ask, start) : null;
  const { respuesta, camino } = again !== null && again.respuesta.length > 0 ? again : first;
  const isConfirmed = respuesta.length > 0 || (again !== null && again.camino.credencial !== first.camino.credencial);
  if (!isConfirmed) contexto.giveBack(SIN_CONFIRMAR);
  return {
    total: respuesta.length,
    items: respuesta.map(toItem),
    // Pages are cut from the whole list, for callers that ask for them.
    siguiente: null,
    confianza: isConfirmed ? ('confirmado' as const) : ('sin_confirmar' as const),
    reembolsada: !isConfirmed && contexto.costo > 0,
    ...camino,
  };
}

/** The second look after an empty list; null when it cannot be had, which leaves the first one unconfirmed. */
async function lookAgain<C extends Credencial, T>(
  contexto: ContextoConsulta<C>,
  ways: readonly CredencialElegible<C>[],
  { credencial }: Camino,
  ask: Pregunta<C, T>,
  start: number,
): Promise<Obtenida<T> | null> {
  const own = ways.findIndex(({ tipo }) => tipo === credencial);
  // What stood before it has failed in this very call.
  const others = ways.slice(own + 1);
  const { signal } = contexto;
  if (others.length === 0) await sleep(PAUSA_MS, undefined, { signal }).catch(() => undefined);
  if (signal.aborted) return null;
  try {
    return await walk(contexto, [...others, ...ways.slice(own, own + 1)], ask, start);
  } catch (error) {
    if (!(error instanceof CfdiError) || error.nombre === 'PERIODO_DEMASIADO_GRANDE') throw error;
    return null;
  }
}

const waysOf = <C extends Credencial>({ deps, operacion, credenciales }: ContextoConsulta<C>) =>
  deps.caminos.order(operacion, credenciales);

/**
 * Asks by these ways, one after the other; `start` is when the budget of the call began, on the clock of
 * `performance.now`.
 */
async function walk<C extends Credencial, T>(
  { deps, access, signal, now, operacion }: ContextoConsulta<C>,
  ways: readonly CredencialElegible<C>[],
  ask: Pregunta<C, T>,
  start: number,
): Promise<Obtenida<T>> {
  const fallos: CfdiError[] = [];
  for (const [i, { tipo, canal, open }] of ways.entries()) {
    const left = deps.settings.presupuestoMs - (performance.now() - start);
    const propio = linkSignals([signal], i === ways.length - 1 ? left : left * PARTE);
    try {
      const respuesta = await ask(open(), { deps, access, signal: propio.signal, now });
      deps.caminos.note(operacion, tipo, true);
      return { respuesta, camino: { canal, credencial: tipo } };
    } catch (error) {
      if (!(error instanceof CfdiError) || !OTRO_CAMINO.has(error.nombre)) throw error;
      deps.caminos.note(operacion, tipo, false);
      fallos.push(error);
      if (signal.aborted) break;
    } finally {
      propio.release();
    }
  }
  const pasajero = fallos.findLast(({ nombre }) => nombre === 'SAT_NO_DISPONIBLE');
  throw pasajero ?? fallos[0] ?? new Error(`${operacion} asks with a credential that it does not declare`);
}
