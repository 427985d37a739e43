import type { Child, PropsWithChildren } from 'hono/jsx';

type TarjetaProps = PropsWithChildren<{
  readonly titulo?: string;
  /** Stands at the right of the title. */
  readonly accion?: Child;
  readonly id?: string;
}>;

/** A section of a page on a surface of its own. */
export function Tarjeta({ titulo, accion, id, children }: TarjetaProps) {
  return (
    <section class="tarjeta" id={id} aria-label={titulo}>
      {titulo ? (
        <div class="titular">
          <h2>{titulo}</h2>
          {accion}
        </div>
      ) : null}
      {children}
    </section>
  );
}
