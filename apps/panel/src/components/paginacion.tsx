import { Boton } from './boton.tsx';

interface PaginacionProps {
  /** Addresses of the neighbours; null at an end. */
  readonly anterior: string | null;
  readonly siguiente: string | null;
  /** What is shown now, such as "51 a 100 de 1,204". */
  readonly resumen?: string;
}

/** The way to the pages before and after; nothing when all fits on one. */
export function Paginacion({ anterior, siguiente, resumen }: PaginacionProps) {
  if (anterior === null && siguiente === null) return null;
  return (
    <nav class="paginacion" aria-label="Páginas">
      {anterior === null ? (
        <span />
      ) : (
        <Boton variante="secundario" href={anterior}>
          ← Anteriores
        </Boton>
      )}
      {resumen ? <span class="suave numero">{resumen}</span> : null}
      {siguiente === null ? (
        <span />
      ) : (
        <Boton variante="secundario" href={siguiente}>
          Siguientes →
        </Boton>
      )}
    </nav>
  );
}
