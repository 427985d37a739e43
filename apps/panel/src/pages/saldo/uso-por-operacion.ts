import type { UsoDia } from '@acuse/db';
import type { PuntoGrafica } from '@acuse/page';
import { addDias } from '@acuse/page/dia-mexico';

/** Operations that get a colour of their own; the rest is one more. */
const CON_NOMBRE = 3;
const OTRAS = 'Otras';

/** Usage of a period by day, ready to be drawn: each day of the period, also those without calls. */
interface GraficaUso {
  readonly series: readonly string[];
  readonly puntos: readonly PuntoGrafica[];
}

/** Sums of one operation in a period. */
interface TotalOperacion {
  readonly operacion: string;
  readonly llamadas: number;
  readonly cargados: number;
  readonly reembolsados: number;
}

/** Totals by operation, those that cost most first. */
export function totalsOf(uso: readonly UsoDia[]): TotalOperacion[] {
  const totals = new Map<string, TotalOperacion>();
  for (const { operacion, llamadas, cargados, reembolsados } of uso) {
    const before = totals.get(operacion) ?? { operacion, llamadas: 0, cargados: 0, reembolsados: 0 };
    totals.set(operacion, {
      operacion,
      llamadas: before.llamadas + llamadas,
      cargados: before.cargados + cargados,
      reembolsados: before.reembolsados + reembolsados,
    });
  }
  return [...totals.values()].sort((a, b) => b.cargados - a.cargados || a.operacion.localeCompare(b.operacion));
}

/** Credits charged by day from `desde` to `hasta` (both included), the operations that cost most each as a series. */
export function chartOf(uso: readonly UsoDia[], desde: string, hasta: string): GraficaUso {
  const operaciones = totalsOf(uso).map(({ operacion }) => operacion);
  // Four colours: a fourth operation needs no sum of others if it is the last.
  const named = operaciones.slice(0, operaciones.length > CON_NOMBRE + 1 ? CON_NOMBRE : CON_NOMBRE + 1);
  const series = named.length < operaciones.length ? [...named, OTRAS] : named;
  const days = new Map<string, number[]>();
  for (let dia = desde; dia <= hasta; dia = addDias(dia, 1))
    days.set(
      dia,
      series.map(() => 0),
    );
  for (const { dia, operacion, cargados } of uso) {
    const valores = days.get(dia);
    const lugar = series.indexOf(operacion);
    const at = lugar < 0 ? series.length - 1 : lugar;
    if (valores) valores[at] = (valores[at] ?? 0) + cargados;
  }
  return { series, puntos: [...days].map(([dia, valores]) => ({ label: labelOf(dia), valores })) };
}

const DIA = new Intl.DateTimeFormat('es-MX', { timeZone: 'UTC', day: 'numeric', month: 'short' });
const labelOf = (dia: string) => DIA.format(new Date(`${dia}T00:00:00Z`));
