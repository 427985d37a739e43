import type { PropsWithChildren } from 'hono/jsx';
import { safeHref } from './enlace.ts';

type FormularioProps = PropsWithChildren<{
  /** Path that the form is sent to. */
  readonly accion: string;
  /** The session's token (`contexto.csrf`). Required unless the form only reads. */
  readonly csrf: string;
  /** `get` for filters: no token, since it would land in the address. */
  readonly metodo?: 'post' | 'get';
  /** The form carries files. */
  readonly archivos?: boolean;
  /** Fields and button side by side, for short forms. */
  readonly enLinea?: boolean;
  readonly descripcion?: string;
  /** Where scripts find it. */
  readonly id?: string;
}>;

/** A form. A posting one carries the token against forged requests in the field `_csrf`. */
export function Formulario(props: FormularioProps) {
  const { accion, csrf, metodo = 'post', archivos = false, enLinea = false, descripcion, id, children } = props;
  return (
    <form
      id={id}
      action={safeHref(accion)}
      method={metodo}
      class={enLinea ? 'en-linea' : undefined}
      enctype={archivos && metodo === 'post' ? 'multipart/form-data' : undefined}
      aria-label={descripcion}
    >
      {metodo === 'post' ? <input type="hidden" name="_csrf" value={csrf} /> : null}
      {children}
    </form>
  );
}
