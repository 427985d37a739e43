import { PaqueteSatInvalido } from '../paquete-sat-invalido.ts';
import type { Paquetes, PlanEnsamble } from '../ports/paquetes.ts';
import type { ClaimedSolicitud, Claims } from '../ports/solicitudes.ts';
import { isConfirmada } from './confirmar-vacia.ts';
import { pideDeMas } from './periodos.ts';
import type { Checkpoint } from './punto.ts';

export interface AssembleDeps {
  readonly claims: Claims;
  readonly paquetes: Pick<Paquetes, 'assemble' | 'remove'>;
  readonly checkpoint: Checkpoint;
}

/** Times an unreadable package is fetched anew. */
const MAX_RELECTURAS = 1;

/** What the ZIP of a solicitud is made of. */
function planDe(claimed: ClaimedSolicitud): PlanEnsamble {
  const { tipo } = claimed;
  return {
    solicitudId: claimed.id,
    rfc: claimed.rfc,
    tipo,
    desde: claimed.desde,
    hasta: claimed.hasta,
    partes: claimed.partes.map(({ canal, folio, periodo, desfase, paquetes, ...parte }) => ({
      canal,
      folio,
      periodo,
      recortar: pideDeMas({ canal, tipo, periodo, desfase }),
      confirmada: isConfirmada(parte),
      paquetes: paquetes.flatMap(({ paquete, objectKey }) => (objectKey === null ? [] : [{ paquete, objectKey }])),
    })),
  };
}

/**
 * Makes the one ZIP of a claimed solicitud whose parts are all stored, and ends it: the object first, then the row. A
 * package that cannot be read is fetched anew once. Failures of storage or database come out: the claim lapses and the
 * solicitud is rung again.
 */
export async function assembleSolicitud(
  deps: AssembleDeps,
  claimed: ClaimedSolicitud,
  signal: AbortSignal,
): Promise<void> {
  const { claims, paquetes, checkpoint } = deps;
  if (claimed.now >= claimed.deadlineAt) {
    await claims.fail(claimed, { estado: 'VENCIDA', motivo: 'PLAZO_AGOTADO' });
    return;
  }
  try {
    const paquete = await paquetes.assemble(planDe(claimed), signal);
    await checkpoint('tras-ensamblar', claimed.id);
    await claims.finish(claimed, paquete);
  } catch (error) {
    if (!(error instanceof PaqueteSatInvalido)) throw error;
    await fetchAnew(claims, claimed, error);
    return;
  }
  await checkpoint('tras-terminar', claimed.id);
  // Their text files are in the ZIP; what a crash leaves behind here goes with the solicitud's prefix at the end of its
  // retention.
  await paquetes.remove(claimed.id, 'originales').catch(() => {});
}

async function fetchAnew(claims: Claims, claimed: ClaimedSolicitud, error: PaqueteSatInvalido): Promise<void> {
  const parte = claimed.partes.find((p) => p.paquetes.some((paquete) => paquete.objectKey === error.objectKey));
  const paquete = parte?.paquetes.find((p) => p.objectKey === error.objectKey);
  if (!parte || !paquete || paquete.relecturas >= MAX_RELECTURAS) {
    await claims.fail(claimed, { estado: 'ERROR', motivo: 'PAQUETE_SAT_INVALIDO', codigo: error.motivo });
    return;
  }
  await claims.release(
    claimed,
    {
      partes: [{ parteId: parte.id, estado: 'DISPONIBLE', releer: { paquete: paquete.paquete }, dueInSeconds: 0 }],
      eventos: [{ tipo: 'PAQUETE_ILEGIBLE', codigo: error.motivo, detalle: paquete.paquete }],
    },
    { queue: 'descargas', inSeconds: 0 },
  );
}
