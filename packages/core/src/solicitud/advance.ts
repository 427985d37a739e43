import { SMALL_BYTES } from '../ports/paquetes.ts';
import type { Avance, ClaimedSolicitud, Claims } from '../ports/solicitudes.ts';
import { afterWrite } from './cambios.ts';
import { type AssemblyDeps, assembleSolicitud } from './ensamble.ts';
import type { AdvanceDeps } from './parte.ts';
import { takeStep } from './solicitud.ts';

/** Steps that follow each other under one claim: a longer row of them keeps its slot from another account. */
const STEPS_OF_A_CLAIM = 3;

/** A small solicitud whose parts are all there. `unwritten`: progress of it that its end writes. */
interface SmallWhole {
  readonly solicitud: ClaimedSolicitud;
  readonly unwritten: Avance | null;
}

/**
 * The solicitud after progress that leaves nothing to fetch, when all of it is metadata and one small package or none. Its
 * progress may stay unwritten: a crash loses one answer of the SAT, and a package is found in storage. One that was
 * fetched again is not: the one before has its key.
 */
function smallWhole(claimed: ClaimedSolicitud, avance: Avance): SmallWhole | null {
  const saved = avance.partes?.flatMap(({ guardado }) => guardado ?? []) ?? [];
  const solicitud = afterWrite(claimed, avance);
  const packages = solicitud.partes.flatMap(({ paquetes }) => paquetes);
  // The size of a package that was stored before is not known here.
  const isSmall = packages.length === saved.length && saved.length <= 1 && (saved[0]?.bytes ?? 0) <= SMALL_BYTES;
  if (!isSmall || solicitud.contenido !== 'metadata') return null;
  return { solicitud, unwritten: packages.every(({ relecturas }) => relecturas === 0) ? avance : null };
}

/**
 * Carries a claimed solicitud through the SAT: takes steps while the next is due at once, and gives the claim back with
 * the time of the next wake-up. With `assembly` a small package is assembled under the same claim. What may go wrong
 * with the SAT ends in a later wake-up or a terminal state; only `StaleEpoch` and failures of database and storage come
 * out, with the claim still held.
 */
export async function advanceSolicitud(
  deps: AdvanceDeps & { readonly assembly?: Omit<AssemblyDeps, 'claims' | 'checkpoint'> | undefined },
  claimed: ClaimedSolicitud,
  signal: AbortSignal,
): Promise<void> {
  const { assembly, claims: own, checkpoint } = deps;
  let held: ClaimedSolicitud | null = claimed;
  let whole = null as SmallWhole | null;
  for (let left = STEPS_OF_A_CLAIM - 1; held !== null; left -= 1) {
    let next: ClaimedSolicitud | null = null;
    const release: Claims['release'] = async (of, avance: Avance, then) => {
      const isAtOnce = then.inSeconds <= 0 && !signal.aborted;
      if (isAtOnce && then.queue === 'descargas' && left > 0) next = await own.goOn(of, avance);
      else {
        whole = isAtOnce && then.queue === 'ensambles' && assembly ? smallWhole(of, avance) : null;
        if (whole === null) await own.release(of, avance, then);
        else if (whole.unwritten === null) await own.save(of, avance);
      }
    };
    await takeStep({ ...deps, claims: { ...own, release } }, held, signal);
    held = next;
  }
  if (whole && assembly)
    await assembleSolicitud({ ...assembly, claims: own, checkpoint }, whole.solicitud, signal, whole.unwritten);
}
