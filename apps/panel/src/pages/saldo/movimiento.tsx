import { CATALOGO, type NombreError } from '@acuse/contract';
import { explain } from '@acuse/core';
import type { MovimientoVista, TipoMovimiento } from '@acuse/db';
import { Permitido } from '@acuse/page';
import { ConNota, Estado, Fecha, numeric, type sortOf, type TablaProps } from '@acuse/page/blocks';
import { formatCambio, formatNumero } from '@acuse/page/formato';
import type { Child } from 'hono/jsx';
import { FEATURES } from '../../features.ts';
import { nombreOperacion } from '../../operaciones.ts';

export const NOMBRES_TIPO: Readonly<Record<TipoMovimiento, string>> = {
  compra: 'Compra',
  cargo: 'Cargo',
  reembolso: 'Reembolso',
  ajuste: 'Ajuste',
};

const TONOS = { compra: 'exito', cargo: 'neutro', reembolso: 'info', ajuste: 'alerta' } as const;

/** Columns of movements; `sorting` where the list is read from either end. */
export const columnasMovimiento = (sorting?: Pick<ReturnType<typeof sortOf>, 'orden'>): TablaProps['columnas'] => [
  { titulo: 'Fecha', orden: sorting?.orden },
  { titulo: 'Tipo', phone: 'none' },
  'Operación',
  { titulo: 'Origen', phone: 'none' },
  numeric('Créditos', { phone: 'value', isNamed: false }),
  numeric('Saldo', { phone: 'end' }),
];

/** The cells of a row of the ledger, in the order of the columns. */
export function cellsOf(fila: MovimientoVista) {
  const { tipo, operacion, rfc, importe, saldo } = fila;
  return [
    <Fecha value={fila.creadoEn} />,
    <Estado texto={NOMBRES_TIPO[tipo]} tono={TONOS[tipo]} />,
    <ConNota nota={rfc} literal>
      {operacion ? <span title={operacion}>{nombreOperacion(operacion)}</span> : <span class="suave">—</span>}
    </ConNota>,
    <Origen fila={fila} />,
    formatCambio(importe),
    formatNumero(saldo),
  ];
}

const [linkCall] = FEATURES.flatMap(({ llamada = [] }) => llamada);

/** The call of a charge; links to it where a feature keeps calls. */
function Llamada({ fila: { opId, rfc, tipo }, texto }: { readonly fila: MovimientoVista; readonly texto: Child }) {
  return <span title={opId}>{rfc && tipo === 'cargo' && linkCall ? linkCall(rfc, opId, texto) : texto}</span>;
}

/** Origin of a movement: its solicitud with its call, its payment, or the call. */
function Origen({ fila }: { readonly fila: MovimientoVista }) {
  const { opId, operacion, tipo, solicitudId, pagoId, detalle } = fila;
  if (solicitudId)
    return (
      <>
        <a href={`/solicitudes/${solicitudId}`}>
          Solicitud <span class="fija">{shorten(solicitudId)}</span>
        </a>
        {tipo === 'cargo' && operacion?.includes('/') ? (
          <>
            {' '}
            <Llamada fila={fila} texto="Llamada" />
          </>
        ) : null}
        <Motivo fila={fila} />
      </>
    );
  // A payment of the panel has the number of its movement; what the operator adds by hand has another.
  if (pagoId && pagoId === opId)
    return (
      <Permitido ver="compras" otherwise="Compra">
        <a href={`/saldo/compras/${pagoId}`}>
          Compra <span class="fija">{shorten(pagoId)}</span>
        </a>
      </Permitido>
    );
  if (pagoId) return <span>{detalle ?? pagoId}</span>;
  if (tipo === 'ajuste') return <span>{detalle ?? 'Ajuste del operador'}</span>;
  return (
    <>
      <Llamada
        fila={fila}
        texto={
          <>
            Llamada <span class="fija">{shorten(opId)}</span>
          </>
        }
      />
      <Motivo fila={fila} />
    </>
  );
}

function Motivo({ fila }: { readonly fila: MovimientoVista }) {
  const motivo = motivoDe(fila);
  return motivo === null ? null : <div class="bajo suave chica">{motivo}</div>;
}

/** The end of an id, since ids of one minute begin alike; the word joiner keeps the ellipsis beside it. */
const shorten = (id: string) => `…\u2060${id.slice(-8)}`;

/** What the API gives an empty list back with that nothing confirmed. */
const LISTA_VACIA = 'VACIA_SIN_CONFIRMAR';
const SIN_CONFIRMAR = 'El SAT contestó que no hay nada y nadie más lo pudo confirmar, así que no se cobra.';

/**
 * Why a movement was made, as people read it; null where its kind says enough. A refund keeps the code of its
 * solicitud's end, or the operation and the error of its call.
 */
export function motivoDe({
  tipo,
  operacion,
  solicitudId,
  detalle,
}: Pick<MovimientoVista, 'tipo' | 'operacion' | 'solicitudId' | 'detalle'>): string | null {
  if (tipo === 'cargo' || detalle === null) return null;
  if (detalle === LISTA_VACIA && solicitudId === null) return SIN_CONFIRMAR;
  if (solicitudId !== null && isCode(detalle)) return explain(detalle).causa;
  const error = detalle.startsWith(`${operacion}: `) ? detalle.slice(`${operacion}: `.length) : detalle;
  return Object.hasOwn(CATALOGO, error) ? firstSentence(CATALOGO[error as NombreError].texto) : detalle;
}

const isCode = (text: string) => /^[A-Z_]+$/.test(text);

/** The rest of a text of the API says what its caller should do next. */
const firstSentence = (text: string) => /^.*?[.:](?= |$)/.exec(text)?.[0].replace(/:$/, '.') ?? text;
