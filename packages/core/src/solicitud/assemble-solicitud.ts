import { PaqueteSatInvalido } from '../paquete-sat-invalido.ts';
import type { Paquetes, PlanEnsamble } from '../ports/paquetes.ts';
import type { SolicitudTomada, Taller } from '../ports/solicitudes.ts';
import { isConfirmada } from './confirmar-vacia.ts';
import { pideDeMas } from './periodos.ts';
import type { Checkpoint } from './punto.ts';

export interface AssembleDeps {
  readonly taller: Taller;
  readonly paquetes: Pick<Paquetes, 'assemble' | 'remove'>;
  readonly checkpoint: Checkpoint;
}

/** Times an unreadable package is fetched anew. */
const MAX_RELECTURAS = 1;

/** What the ZIP of a solicitud is made of. */
export function planDe(tomada: SolicitudTomada): PlanEnsamble {
  const { tipo } = tomada;
  return {
    solicitudId: tomada.id,
    rfc: tomada.rfc,
    tipo,
    desde: tomada.desde,
    hasta: tomada.hasta,
    partes: tomada.partes.map(({ canal, folio, periodo, desfase, paquetes, ...parte }) => ({
      canal,
      folio,
      periodo,
      recortar: pideDeMas({ canal, tipo, periodo, desfase }),
      confirmada: isConfirmada(parte),
      paquetes: paquetes.flatMap(({ paquete, objectKey }) =>
        objectKey === null ? [] : [{ paquete, objectKey }],
      ),
    })),
  };
}

/**
 * Makes the one ZIP of a claimed solicitud whose parts are all stored, and ends it: the object first, then the row. A package that cannot be
 * read is fetched anew once. Failures of storage or database come out: the claim lapses and the solicitud is rung again.
 */
export async function assembleSolicitud(
  deps: AssembleDeps,
  tomada: SolicitudTomada,
  signal: AbortSignal,
): Promise<void> {
  const { taller, paquetes, checkpoint } = deps;
  if (tomada.now >= tomada.deadlineAt) {
    await taller.fail(tomada, { estado: 'VENCIDA', motivo: 'PLAZO_AGOTADO' });
    return;
  }
  try {
    const paquete = await paquetes.assemble(planDe(tomada), signal);
    await checkpoint('tras-ensamblar', tomada.id);
    await taller.finish(tomada, paquete);
  } catch (error) {
    if (!(error instanceof PaqueteSatInvalido)) throw error;
    await fetchAnew(taller, tomada, error);
    return;
  }
  await checkpoint('tras-terminar', tomada.id);
  // Their text files are in the ZIP; what a crash leaves behind here goes with the solicitud's prefix at the end of its retention.
  await paquetes.remove(tomada.id, 'originales').catch(() => {});
}

async function fetchAnew(taller: Taller, tomada: SolicitudTomada, error: PaqueteSatInvalido): Promise<void> {
  const parte = tomada.partes.find((p) =>
    p.paquetes.some((paquete) => paquete.objectKey === error.objectKey),
  );
  const paquete = parte?.paquetes.find((p) => p.objectKey === error.objectKey);
  if (!parte || !paquete || paquete.relecturas >= MAX_RELECTURAS) {
    await taller.fail(tomada, { estado: 'ERROR', motivo: 'PAQUETE_SAT_INVALIDO', codigo: error.motivo });
    return;
  }
  await taller.release(
    tomada,
    {
      partes: [
        { parteId: parte.id, estado: 'DISPONIBLE', releer: { paquete: paquete.paquete }, dueInSeconds: 0 },
      ],
      eventos: [{ tipo: 'PAQUETE_ILEGIBLE', codigo: error.motivo, detalle: paquete.paquete }],
    },
    { cola: 'descargas', inSeconds: 0 },
  );
}
