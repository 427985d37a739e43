import { CfdiError, type NombreError } from '@acuse/contract';
import type { Credencial } from '@acuse/core';
import { linkSignals } from '@acuse/runtime';
import type { ContextoBase, CredencialElegible } from '../http/operation.ts';

/** What keeps one way from an answer and may not keep another: the SAT's failures, and a credential that it refuses or that does not open. */
const OTRO_CAMINO: ReadonlySet<NombreError> = new Set<NombreError>([
  'SAT_NO_DISPONIBLE',
  'CIEC_RECHAZADA',
  'EFIRMA_RECHAZADA',
  'CIEC_NO_GUARDADA',
  'EFIRMA_NO_DISPONIBLE',
]);

/** The part of what is left of the budget that a way may use while another one waits behind it. */
const PARTE = 2 / 3;

/**
 * Asks by each stored credential that may serve until one way has an answer, within the one budget and the one charge of the call. What
 * answered last goes first. When none does, a failure of the SAT is told before a refused credential: asking again may help.
 */
export async function consultar<C extends Credencial, T>(
  contexto: Pick<ContextoBase, 'deps' | 'pase' | 'signal' | 'now' | 'operacion'> & {
    readonly credenciales: readonly CredencialElegible<C>[];
  },
  ask: (credencial: C, contexto: Pick<ContextoBase, 'deps' | 'pase' | 'signal' | 'now'>) => Promise<T>,
): Promise<T> {
  const { deps, pase, signal, now, operacion } = contexto;
  const start = performance.now();
  const fallos: CfdiError[] = [];
  const opciones = deps.caminos.order(operacion, contexto.credenciales);
  for (const [i, { tipo, open }] of opciones.entries()) {
    const left = deps.settings.presupuestoMs - (performance.now() - start);
    const propio = linkSignals([signal], i === opciones.length - 1 ? left : left * PARTE);
    try {
      const respuesta = await ask(open(), { deps, pase, signal: propio.signal, now });
      deps.caminos.note(operacion, tipo, true);
      return respuesta;
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
