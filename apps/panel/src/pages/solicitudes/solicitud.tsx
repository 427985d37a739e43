import type { Formato } from '@acuse/contract';
import { createSolicitudes, type DetalleSolicitud } from '@acuse/db';
import type { Parte } from '@acuse/page';
import { Fecha } from '@acuse/page/blocks';
import { routesOf } from '../../paginas.ts';

/** The addresses of a page of a solicitud of the account, for those who may see or change `parte`. */
export const solicitudRoutes = (parte: Parte) =>
  routesOf<DetalleSolicitud, Parte>(parte, '/solicitudes/:id', ({ deps, usuario }, id) =>
    createSolicitudes(deps.database).detail(usuario.cuentaId, id),
  );

/** The way back from the page of one. */
export const camino = () => (
  <p class="chica">
    <a href="/solicitudes">Solicitudes</a>
  </p>
);

export const FORMAT_NAMES: Readonly<Record<Formato, string>> = {
  csv: 'CSV',
  xlsx: 'Excel (.xlsx)',
  ndjson: 'NDJSON, un JSON por renglón',
  parquet: 'Parquet, para DuckDB y pandas',
};

interface PeriodoProps {
  /** Calendar days, `yyyy-MM-dd`. */
  readonly desde: string;
  readonly hasta: string;
}

/** The asked period in words. */
export function Periodo({ desde, hasta }: PeriodoProps) {
  const day = (text: string) => <Fecha value={new Date(`${text}T00:00:00Z`)} formato="calendario" />;
  if (desde === hasta) return <>del {day(desde)}</>;
  return (
    <>
      del {day(desde)} al {day(hasta)}
    </>
  );
}
