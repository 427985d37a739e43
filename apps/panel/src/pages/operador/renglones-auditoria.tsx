import type { LineaAuditoria } from '@acuse/db';
import type { Child } from 'hono/jsx';
import { Fecha } from '../../components/fecha.tsx';
import { Tabla } from '../../components/tabla.tsx';

interface RenglonesProps {
  readonly titulo: string;
  readonly lineas: readonly LineaAuditoria[];
  readonly vacia: Child;
}

/** Lines of the audit log as a table. */
export function RenglonesAuditoria({ titulo, lineas, vacia }: RenglonesProps) {
  return (
    <Tabla
      titulo={titulo}
      columnas={[
        { titulo: 'Cuándo' },
        { titulo: 'Quién' },
        { titulo: 'Qué' },
        { titulo: 'Cuenta' },
        { titulo: 'RFC' },
        { titulo: 'Detalle' },
        { titulo: 'Desde' },
      ]}
      filas={lineas.map((linea) => [
        <Fecha valor={linea.en} />,
        <a href={`/operador/auditoria?${new URLSearchParams({ actor: linea.actor })}`}>
          {linea.persona ?? linea.actor}
        </a>,
        linea.accion,
        linea.cuentaId === null ? (
          '—'
        ) : (
          <a href={`/operador/cuentas/${linea.cuentaId}`}>{linea.cuenta ?? linea.cuentaId}</a>
        ),
        linea.rfc ?? '—',
        <span class="chica">{detailOf(linea.detalle)}</span>,
        linea.ip ?? '—',
      ])}
      vacia={vacia}
    />
  );
}

function detailOf(detalle: Readonly<Record<string, unknown>>): string {
  const parts = Object.entries(detalle).map(
    ([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return parts.join(', ') || '—';
}
