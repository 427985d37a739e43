import type { PropsWithChildren } from 'hono/jsx';
import { Boton } from './boton.tsx';

type VacioProps = PropsWithChildren<{
  readonly titulo: string;
  /** The next step. */
  readonly accion?: { readonly href: string; readonly texto: string };
}>;

/** What stands where there is nothing yet: what would be here, and how to get it. */
export function Vacio({ titulo, accion, children }: VacioProps) {
  return (
    <div class="vacio">
      <strong>{titulo}</strong>
      {children ? <p class="suave">{children}</p> : null}
      {accion ? <Boton href={accion.href}>{accion.texto}</Boton> : null}
    </div>
  );
}
