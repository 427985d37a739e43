import type { Child } from 'hono/jsx';

export interface Columna {
  readonly titulo: string;
  /** Aligned to the right with digits of one width. */
  readonly numerica?: boolean;
  /** The heading is for screen readers only, as over a column of buttons. */
  readonly oculta?: boolean;
}

export interface TablaProps {
  /** Says what the rows are. */
  readonly titulo: string;
  readonly tituloOculto?: boolean;
  readonly columnas: readonly Columna[];
  /** One list of cells a row; the first cell names the row. */
  readonly filas: readonly (readonly Child[])[];
  /** Shown instead of the table when there is no row; use `Vacio`. */
  readonly vacia?: Child;
}

/** A table; on narrow screens each row becomes a card whose cells carry their headings. */
export function Tabla({ titulo, tituloOculto = false, columnas, filas, vacia }: TablaProps) {
  if (filas.length === 0 && vacia !== undefined) return <>{vacia}</>;
  return (
    // Where it is wider than its place, it is scrolled by keyboard too. A group: as a landmark it would repeat the card
    // that it stands in.
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is of a form.
    <div class="tabla" role="group" aria-label={titulo} tabindex={0}>
      <table>
        <caption class={tituloOculto ? 'solo-lectores' : undefined}>{titulo}</caption>
        <thead>
          <tr>
            {columnas.map((columna) => (
              <th scope="col" class={columna.numerica ? 'numerica' : undefined}>
                {columna.oculta ? <span class="solo-lectores">{columna.titulo}</span> : columna.titulo}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {filas.map((celdas) => (
            <tr>{celdas.map((celda, lugar) => cell(columnas[lugar], celda, lugar))}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function cell(columna: Columna | undefined, celda: Child, lugar: number) {
  const atributos = {
    'data-titulo': columna?.oculta ? '' : columna?.titulo,
    class: columna?.numerica ? 'numerica' : undefined,
  };
  return lugar === 0 ? (
    <th scope="row" {...atributos}>
      <div>{celda}</div>
    </th>
  ) : (
    <td {...atributos}>
      <div>{celda}</div>
    </td>
  );
}
