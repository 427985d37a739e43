import type { LineaAuditoria } from '@acuse/db';
import type { Child } from 'hono/jsx';
import { Fecha } from '../../components/fecha.tsx';
import { Tabla } from '../../components/tabla.tsx';
import { describeCambio, nombreAccion } from './frases-auditoria.ts';

interface RenglonesProps {
  readonly titulo: string;
  readonly lineas: readonly LineaAuditoria[];
  readonly vacia: Child;
  /** Leaves the account out, where all lines are of one. */
  readonly sinCuenta?: boolean;
}

/** Lines of the audit log as a table. */
export function RenglonesAuditoria({ titulo, lineas, vacia, sinCuenta = false }: RenglonesProps) {
  return (
    <Tabla
      titulo={titulo}
      columnas={[
        { titulo: 'Cuándo' },
        { titulo: 'Qué' },
        { titulo: 'Quién' },
        { titulo: sinCuenta ? 'RFC' : 'Cuenta y RFC' },
      ]}
      filas={lineas.map((linea) => [
        <Fecha valor={linea.en} />,
        <>
          {describeCambio(linea.accion, linea.detalle)}
          <div class="suave chica">{nombreAccion(linea.accion)}</div>
        </>,
        <>
          <a href={`/operador/auditoria?${new URLSearchParams({ actor: linea.actor })}`}>
            {linea.persona ?? linea.actor}
          </a>
          {linea.ip === null ? null : <div class="suave chica">desde {linea.ip}</div>}
        </>,
        sinCuenta ? (linea.rfc ?? '—') : <Cuenta linea={linea} />,
      ])}
      vacia={vacia}
    />
  );
}

function Cuenta({ linea: { cuentaId, cuenta, rfc } }: { readonly linea: LineaAuditoria }) {
  return (
    <>
      {cuentaId === null ? '—' : <a href={`/operador/cuentas/${cuentaId}`}>{cuenta ?? cuentaId}</a>}
      {rfc === null ? null : <div class="suave chica fija">{rfc}</div>}
    </>
  );
}
