import type { PropsWithChildren } from 'hono/jsx';
import { safeHref } from './enlace.ts';

type BotonProps = PropsWithChildren<{
  /** `primario` once a form, `peligro` for what cannot be undone, `discreto` for what looks like a link. */
  readonly variante?: 'primario' | 'secundario' | 'peligro' | 'discreto';
  /** With an address it is a link that looks like a button; without, it sends its form. */
  readonly href?: string;
  /** Name and value that the form sends when this button sent it. */
  readonly nombre?: string;
  readonly valor?: string;
  readonly deshabilitado?: boolean;
  /**
   * What screen readers say, where the text alone does not tell which row is meant ("Revocar" → "Revocar la llave
   * …f3a9").
   */
  readonly descripcion?: string;
  /** Offers the answer as a file instead of a page; only with `href`. */
  readonly descarga?: boolean;
}>;

/** A button that sends its form, or a link that looks like one. */
export function Boton(props: BotonProps) {
  const { variante = 'primario', href, nombre, valor, deshabilitado, descripcion, descarga, children } = props;
  if (href !== undefined)
    return (
      <a class={`boton ${variante}`} href={safeHref(href)} aria-label={descripcion} download={descarga}>
        {children}
      </a>
    );
  return (
    <button
      type="submit"
      class={`boton ${variante}`}
      name={nombre}
      value={valor}
      disabled={deshabilitado}
      aria-label={descripcion}
    >
      {children}
    </button>
  );
}
