import type { MovimientoVista, TipoMovimiento } from '@acuse/db';
import { Estado } from '../../components/estado.tsx';
import { Fecha } from '../../components/fecha.tsx';
import { formatCambio, formatNumero } from '../../components/formato.ts';
import type { Columna } from '../../components/tabla.tsx';
import { nombreOperacion } from '../../operaciones/grupos.ts';
import { motivoDe } from './motivo.ts';

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
    operacion ? <span title={operacion}>{nombreOperacion(operacion)}</span> : <span class="suave">—</span>,
    rfc ? <code>{rfc}</code> : <span class="suave">—</span>,
    <Origen fila={fila} />,
    formatCambio(importe),
    formatNumero(saldo),
  ];
}

/** What is behind a movement: its solicitud, its payment, or the call. */
function Origen({ fila }: { readonly fila: MovimientoVista }) {
  const { opId, tipo, solicitudId, pagoId, detalle } = fila;
  if (solicitudId)
    return (
      <>
        <a href={`/solicitudes/${solicitudId}`}>
          Solicitud <span class="fija">{shorten(solicitudId)}</span>
        </a>
        <Motivo fila={fila} />
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
  if (tipo === 'ajuste') return <span>{detalle ?? 'Ajuste del operador'}</span>;
  return (
    <>
      <span title={opId}>
        Llamada <span class="fija">{shorten(opId)}</span>
      </span>
      <Motivo fila={fila} />
    </>
  );
}

function Motivo({ fila }: { readonly fila: MovimientoVista }) {
  const motivo = motivoDe(fila);
  return motivo === null ? null : <span class="suave chica"> {motivo}</span>;
}

/**
 * The end of an identifier, since ids of one minute begin alike. The word joiner keeps a line from breaking after the
 * ellipsis.
 */
const shorten = (id: string) => `…\u2060${id.slice(-8)}`;
