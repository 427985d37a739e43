import type { Contenido } from '../ports/metadata.ts';
import { PaqueteSatInvalido, type Paquetes, type PlanEnsamble, type RowObserver } from '../ports/paquetes.ts';
import type { Avance, CambioParte, ClaimedSolicitud, Claims, Parte } from '../ports/solicitudes.ts';
import { giveUp } from '../xml/xml.ts';
import { type Checkpoint, isConfirmada, isLista, MAX_REENVIOS } from './parte.ts';
import { pideDeMas } from './periodos.ts';

/** Times an unreadable package is fetched again. */
const MAX_RELECTURAS = 1;

/** Opens the observer of one package; null where the solicitud needs none. */
export type ObserveRows = (claimed: ClaimedSolicitud) => RowObserver | null;

export interface AssemblyDeps {
  readonly claims: Claims;
  readonly paquetes: Pick<Paquetes, 'assemble' | 'remove'>;
  readonly checkpoint: Checkpoint;
  /** Observers that features have for a package; null: none for this one. */
  readonly observe: readonly ObserveRows[];
}

/**
 * Makes the one ZIP of a claimed solicitud whose parts are all stored, and ends it: the object first, then the row. One
 * with a part that is not goes back to where it is fetched. A package that cannot be read is fetched again once; when the
 * object store lost one, all are looked for again. Failures of storage or database come out: the claim lapses and the
 * solicitud is woken again. `unwritten`: progress that `claimed` shows and the database does not have: the end writes it,
 * and so does a failure.
 */
export async function assembleSolicitud(
  deps: AssemblyDeps,
  claimed: ClaimedSolicitud,
  signal: AbortSignal,
  unwritten: Avance | null = null,
): Promise<void> {
  const { claims, paquetes, checkpoint, observe } = deps;
  if (claimed.now >= claimed.deadlineAt) return claims.fail(claimed, { estado: 'VENCIDA', motivo: 'PLAZO_AGOTADO' });
  if (!claimed.partes.every(isLista)) return claims.release(claimed, {}, { queue: 'descargas', inSeconds: 0 });
  try {
    const observers = observe.flatMap((open) => open(claimed) ?? []);
    const paquete = await paquetes.assemble(planDe(claimed), signal, observers);
    await checkpoint('tras-ensamblar', claimed.id);
    await claims.finish(claimed, paquete, unwritten ?? {});
  } catch (error) {
    if (unwritten !== null) await claims.save(claimed, unwritten);
    if (!(error instanceof PaqueteSatInvalido)) throw error;
    return fetchAnew(claims, claimed, error);
  }
  await checkpoint('tras-terminar', claimed.id);
  // Their text files are in the ZIP; what a crash leaves behind here goes with the solicitud's prefix at the end of its
  // retention.
  const keys = claimed.partes.flatMap((parte) => parte.paquetes.flatMap(({ objectKey }) => objectKey ?? []));
  await paquetes.remove(claimed.id, claimed.contenido === 'xml' ? 'originales' : keys).catch(() => {});
}

/** What the ZIP of a solicitud is made of. */
function planDe(claimed: ClaimedSolicitud): PlanEnsamble {
  const { id, rfc, tipo, desde, hasta, formato, filtros, contenido, tablas } = claimed;
  const partes = claimed.partes.map((parte) => {
    const { canal, folio, periodo, motivo } = parte;
    const paquetes = parte.paquetes.flatMap(({ paquete, objectKey }) => (objectKey ? [{ paquete, objectKey }] : []));
    const rows = { recortar: pideDeMas({ ...parte, tipo }), confirmada: isConfirmada(parte) };
    return { contenido: parte.contenido, canal, folio, periodo, paquetes, rows, motivo };
  });
  const of = (wanted: Contenido) => partes.filter((parte) => parte.contenido === wanted);
  return {
    solicitudId: id,
    rfc,
    tipo,
    desde,
    hasta,
    formato,
    filtros,
    partes: of('metadata').map(({ canal, folio, periodo, rows, paquetes }) => ({
      canal,
      folio,
      periodo,
      ...rows,
      paquetes,
    })),
    ...(contenido === 'xml'
      ? { xml: { tablas, partes: of('xml').map(({ contenido: _, rows: __, ...parte }) => parte) } }
      : {}),
  };
}

async function fetchAnew(claims: Claims, claimed: ClaimedSolicitud, error: PaqueteSatInvalido): Promise<void> {
  const { motivo: codigo } = error;
  const parte = claimed.partes.find((p) => p.paquetes.some((paquete) => paquete.objectKey === error.objectKey));
  const paquete = parte?.paquetes.find((p) => p.objectKey === error.objectKey);
  const isLost = codigo === 'AUSENTE';
  if (!parte || !paquete || (isLost ? parte.reenvios >= MAX_REENVIOS : paquete.relecturas >= MAX_RELECTURAS)) {
    if (parte?.contenido === 'xml') {
      const avance = giveUp(parte, codigo, paquete?.paquete);
      return claims.release(claimed, avance, { queue: 'ensambles', inSeconds: 0 });
    }
    return claims.fail(claimed, { estado: 'ERROR', motivo: 'PAQUETE_SAT_INVALIDO', codigo });
  }
  const releida = {
    parteId: parte.id,
    estado: 'DISPONIBLE',
    releer: { paquete: paquete.paquete },
    dueInSeconds: 0,
  } as const;
  const avance: Avance = {
    partes: isLost ? lookAgain(claimed, parte) : [releida],
    eventos: [{ tipo: 'PAQUETE_ILEGIBLE', codigo, detalle: paquete.paquete }],
  };
  await claims.release(claimed, avance, { queue: 'descargas', inSeconds: 0 });
}

/**
 * Every package of the solicitud counts as not stored: where one is gone, the others may be gone, too. Fetching finds
 * those that are there. The part of the lost one spends a try, so that a store that loses everything has an end.
 */
const lookAgain = ({ partes }: ClaimedSolicitud, lost: Parte): CambioParte[] =>
  partes
    .filter(({ paquetes }) => paquetes.length > 0)
    .map(({ id, paquetes, reenvios }) => ({
      parteId: id,
      estado: 'DISPONIBLE',
      paquetes: paquetes.map(({ paquete }) => paquete),
      // It has packages: no answer without any is left to be confirmed.
      vacias: [],
      reenvios: id === lost.id ? reenvios + 1 : reenvios,
      dueInSeconds: 0,
    }));
