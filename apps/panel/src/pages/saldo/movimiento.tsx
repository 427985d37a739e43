import type { MovimientoVista, TipoMovimiento } from '@acuse/db';
import { Estado } from '../../components/estado.tsx';
import { Fecha } from '../../components/fecha.tsx';
import { formatNumero } from '../../components/formato.ts';
import type { Columna } from '../../components/tabla.tsx';

export const NOMBRES_TIPO: Readonly<Record<TipoMovimiento, string>> = {
  compra: 'Compra',
  cargo: 'Cargo',
  reembolso: 'Reembolso',
  ajuste: 'Ajuste',
};

const TONOS = { compra: 'exito', cargo: 'neutro', reembolso: 'info', ajuste: 'alerta' } as const;

export const COLUMNAS_MOVIMIENTO: readonly Columna[] = [
  { titulo: 'Fecha' },
  { titulo: 'Tipo' },
  { titulo: 'Operación' },
  { titulo: 'RFC' },
  { titulo: 'Origen' },
  { titulo: 'Créditos', numerica: true },
  { titulo: 'Saldo', numerica: true },
];

/** The cells of a row of the ledger, in the order of the columns. */
export function cellsOf(fila: MovimientoVista) {
  const { tipo, operacion, rfc, importe, saldo } = fila;
  return [
    <Fecha valor={fila.creadoEn} />,
    <Estado texto={NOMBRES_TIPO[tipo]} tono={TONOS[tipo]} />,
    operacion ? <code>{operacion}</code> : <span class="suave">—</span>,
    rfc ? <code>{rfc}</code> : <span class="suave">—</span>,
    <Origen fila={fila} />,
    `${importe > 0 ? '+' : '−'}${formatNumero(Math.abs(importe))}`,
    formatNumero(saldo),
  ];
}

/** What is behind a movement: its solicitud, its payment, or the call. */
function Origen({ fila }: { readonly fila: MovimientoVista }) {
  const { tipo, opId, solicitudId, pagoId, detalle } = fila;
  if (solicitudId)
    return (
      <>
        <a href={`/solicitudes/${solicitudId}`}>
          Solicitud <span class="fija">{shorten(solicitudId)}</span>
        </a>
        <Motivo tipo={tipo} detalle={detalle} />
      </>
    );
  // A payment of the panel has the number of its movement; what the operator adds by hand has another.
  if (pagoId && pagoId === opId)
    return (
      <a href={`/saldo/compras/${pagoId}`}>
        Compra <span class="fija">{shorten(pagoId)}</span>
      </a>
    );
  if (pagoId) return <span>{detalle ?? pagoId}</span>;
  return (
    <>
      <span title={opId}>
        Llamada <span class="fija">{shorten(opId)}</span>
      </span>
      <Motivo tipo={tipo} detalle={detalle} />
    </>
  );
}

function Motivo({ tipo, detalle }: { readonly tipo: TipoMovimiento; readonly detalle: string | null }) {
  if (tipo === 'cargo' || detalle === null) return null;
  return (
    <span class="suave chica">
      {' '}
      {/^[A-Z_]+$/.test(detalle) ? detalle.toLowerCase().replaceAll('_', ' ') : detalle}
    </span>
  );
}

/** The end of an identifier, since ids of one minute begin alike. The word joiner keeps a line from breaking after the ellipsis. */
const shorten = (id: string) => `…\u2060${id.slice(-8)}`;
