import { formatFecha } from '../components/formato.ts';
import { diaDe } from './dia-mexico.ts';

/** A period that people name. Days of central Mexico, yyyy-mm-dd, both included. */
interface PeriodoNombrado {
  readonly texto: string;
  readonly desde: string;
  readonly hasta: string;
}

/** The periods that an accountant asks for, in central Mexico; none ends after today, which the SAT would refuse. */
export function periodosDe(now: Date): readonly PeriodoNombrado[] {
  const hoy = diaDe(now);
  const [year = 0, month = 1] = hoy.split('-').map(Number);
  const day = (y: number, m: number, d: number) => new Date(Date.UTC(y, m - 1, d)).toISOString().slice(0, 10);
  return [
    { texto: 'Este mes', desde: day(year, month, 1), hasta: hoy },
    { texto: 'Mes pasado', desde: day(year, month - 1, 1), hasta: day(year, month, 0) },
    { texto: 'Este año', desde: day(year, 1, 1), hasta: hoy },
    { texto: 'Año pasado', desde: day(year - 1, 1, 1), hasta: day(year - 1, 12, 31) },
    { texto: 'Últimos 12 meses', desde: day(year, month - 12, 1), hasta: day(year, month, 0) },
  ];
}

/** A period in few words: `2025`, `ene 2025`, `1 ene al 15 feb 2025`. Days as yyyy-mm-dd, both included. */
export function shortPeriod(desde: string, hasta: string): string {
  const [year, month, day] = desde.split('-');
  const last = new Date(Date.UTC(Number(year), Number(month), 0)).toISOString().slice(0, 10);
  if (desde.endsWith('-01-01') && hasta === `${year}-12-31`) return year ?? '';
  if (day === '01' && hasta === last) return formatFecha(new Date(desde), 'calendario').replace(/^\d+ /, '');
  const [from, until] = [desde, hasta].map((dia) => formatFecha(new Date(dia), 'calendario'));
  if (desde === hasta) return from ?? '';
  return `${hasta.startsWith(`${year}-`) ? from?.replace(/ \d{4}$/, '') : from} al ${until}`;
}

interface PeriodosProps {
  readonly periodos: readonly PeriodoNombrado[];
  /** The days that are chosen now. */
  readonly elegido: { readonly desde?: string | undefined; readonly hasta?: string | undefined };
  /** Where the same page is with this period. */
  readonly href: (periodo: PeriodoNombrado) => string;
  /** The form whose `desde` and `hasta` a script fills, so that nothing else typed is lost (periodos.js). */
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
