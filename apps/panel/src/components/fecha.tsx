import { type FormatoFecha, formatFecha, formatRelativo } from './formato.ts';

interface FechaProps {
  /** Null shows a dash. */
  readonly valor: Date | null;
  readonly formato?: FormatoFecha;
  /** Shows the distance from this moment ("hace 5 minutos") and keeps the full date as the title. */
  readonly relativaA?: Date;
}

/** A moment in the time of central Mexico, with the exact one in `datetime`. */
export function Fecha({ valor, formato = 'diaHora', relativaA }: FechaProps) {
  if (valor === null) return <span class="suave">—</span>;
  const exacta = valor.toISOString();
  if (relativaA)
    return (
      <time datetime={exacta} title={`${formatFecha(valor)}, centro de México`}>
        {formatRelativo(valor, relativaA)}
      </time>
    );
  return <time datetime={formato === 'calendario' ? exacta.slice(0, 10) : exacta}>{formatFecha(valor, formato)}</time>;
}
