import { COMPLEMENTOS, type Formato } from '@acuse/contract';
import type { Contenido, Filtros } from '@acuse/core';
import { createSolicitudes, type DetalleSolicitud } from '@acuse/db';
import type { Parte } from '@acuse/page';
import { Fecha } from '@acuse/page/blocks';
import { EFECTO_NAMES, formatFecha } from '@acuse/page/formato';
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

export const CONTENIDO_NAMES: Readonly<Record<Contenido, string>> = {
  metadata: 'Metadata: una fila por CFDI',
  xml: 'Metadata y los XML de los CFDI',
};

export const ESTADO_NAMES = { vigente: 'Solo vigentes', cancelado: 'Solo cancelados' } as const;

/** Filters of a request in words; null without any. */
export function describeFiltros(filtros: Filtros | null): string | null {
  if (filtros === null) return null;
  const { estado_comprobante: estado, tipo_comprobante: tipo, rfc_contraparte: rfcs, complemento } = filtros;
  const parts = [
    estado && ESTADO_NAMES[estado],
    tipo && EFECTO_NAMES[tipo],
    complemento && COMPLEMENTOS[complemento],
    rfcs?.join(', '),
  ];
  return parts.filter(Boolean).join('; ');
}

interface PeriodoProps {
  /** Calendar days, `yyyy-MM-dd`. */
  readonly desde: string;
  readonly hasta: string;
}

const dayText = (day: string) => formatFecha(new Date(`${day}T00:00:00Z`), 'calendario');

/** The asked period as text. */
export const periodText = ({ desde, hasta }: PeriodoProps): string =>
  desde === hasta ? `del ${dayText(desde)}` : `del ${dayText(desde)} al ${dayText(hasta)}`;

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
