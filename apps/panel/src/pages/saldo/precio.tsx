import { formatCreditos } from '../../components/formato.ts';
import { formatPesos } from '../../pagos/catalogo.ts';

interface PrecioProps {
  readonly compra: {
    readonly creditos: number;
    readonly subtotal: number;
    readonly iva: number;
    readonly total: number;
  };
  /** Percent; left out where the rate of that day is not known. */
  readonly tasa?: number;
}

/** What is bought and what it costs, with its IVA. */
export function Precio({ compra, tasa }: PrecioProps) {
  return (
    <dl class="datos">
      <dt>Créditos</dt>
      <dd>{formatCreditos(compra.creditos)}</dd>
      <dt>Precio</dt>
      <dd>{formatPesos(compra.subtotal)}</dd>
      <dt>IVA{tasa === undefined ? '' : ` (${tasa} %)`}</dt>
      <dd>{formatPesos(compra.iva)}</dd>
      <dt>Total</dt>
      <dd>
        <strong>{formatPesos(compra.total)}</strong>
      </dd>
    </dl>
  );
}
