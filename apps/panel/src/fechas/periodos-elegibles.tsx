import type { PeriodoNombrado } from './periodos.ts';

interface PeriodosProps {
  readonly periodos: readonly PeriodoNombrado[];
  /** The days that are chosen now. */
  readonly elegido: { readonly desde?: string | undefined; readonly hasta?: string | undefined };
  /** Where the same page is with this period. */
  readonly href: (periodo: PeriodoNombrado) => string;
  /**
   * The form whose fields `desde` and `hasta` a script fills instead, so that nothing else that was typed is lost
   * (periodos.js).
   */
  readonly formulario?: string;
}

/** Periods to choose with one click. Links, so that they work without scripts. */
export function Periodos({ periodos, elegido, href, formulario }: PeriodosProps) {
  return (
    <nav class="fila" aria-label="Periodos" data-periodos={formulario}>
      {periodos.map((periodo) => (
        <a
          href={href(periodo)}
          data-desde={periodo.desde}
          data-hasta={periodo.hasta}
          aria-current={periodo.desde === elegido.desde && periodo.hasta === elegido.hasta ? 'true' : undefined}
        >
          {periodo.texto}
        </a>
      ))}
    </nav>
  );
}
