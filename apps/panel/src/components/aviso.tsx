import type { PropsWithChildren } from 'hono/jsx';

/** The colour and urgency of a message. */
export type Tono = 'exito' | 'info' | 'alerta' | 'error';

type AvisoProps = PropsWithChildren<{
  readonly tono: Tono;
  readonly titulo?: string;
}>;

/** A message in the page. One of tone `error` interrupts a screen reader, the others wait for their turn. */
export function Aviso({ tono, titulo, children }: AvisoProps) {
  return (
    <div class={`aviso ${tono}`} role={tono === 'error' ? 'alert' : 'status'}>
      {titulo ? <p class="aviso-titulo">{titulo}</p> : null}
      <div>{children}</div>
    </div>
  );
}
