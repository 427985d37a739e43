import type { EstadoSolicitud } from '@acuse/contract';
import type { Database } from '../database.ts';

export interface FilaSolicitud {
  readonly id: string;
  readonly rfc: string;
  readonly tipo: string;
  readonly desde: Date;
  readonly hasta: Date;
  readonly canal: string;
  readonly estado: string;
  readonly motivo: string | null;
  readonly intentos: number;
  readonly registros: bigint | null;
  readonly creadaEn: Date;
  readonly terminadaEn: Date | null;
}

/** A page of solicitudes, newest first; `before` is the id that the page before ended with (ids are ordered by time). */
export function createListaSolicitudes({ prisma }: Pick<Database, 'prisma'>) {
  return (filter: {
    cuentaId?: string;
    rfc?: string;
    estado?: EstadoSolicitud;
    before?: string;
    limit: number;
  }): Promise<FilaSolicitud[]> =>
    prisma.solicitud.findMany({
      where: {
        ...(filter.cuentaId ? { cuentaId: filter.cuentaId } : {}),
        ...(filter.rfc ? { rfc: filter.rfc } : {}),
        ...(filter.estado ? { estado: filter.estado } : {}),
        ...(filter.before ? { id: { lt: filter.before } } : {}),
      },
      orderBy: { id: 'desc' },
      take: filter.limit,
    });
}
