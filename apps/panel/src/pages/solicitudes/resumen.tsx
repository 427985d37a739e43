import { type CuentaPorEfecto, EFECTOS, type Efecto, type ResumenPaquete } from '@acuse/core';
import { Tarjeta } from '../../components/blocks.tsx';
import { formatNumero } from '../../components/formato.ts';
import { Grafica } from '../../components/grafica.tsx';
import { mesCorto } from '../../fechas/dia-mexico.ts';

const NOMBRES: Readonly<Record<Efecto, string>> = {
  I: 'Ingreso',
  E: 'Egreso',
  T: 'Traslado',
  N: 'Nómina',
  P: 'Pago',
  otro: 'Otro',
};

/** Kinds of the chart by month: four have a colour of their own, so the rarer ones share the last. */
const SERIES = ['Ingreso', 'Egreso', 'Pago', 'Traslado, nómina y otros'] as const;

interface ResumenProps {
  /** Null for packages assembled before anybody counted. */
  readonly resumen: ResumenPaquete | null;
  readonly registros: number | null;
}

/** How many CFDI of each kind and month a package holds. Nothing where that was not counted, or there are none. */
export function Resumen({ resumen, registros }: ResumenProps) {
  if (resumen === null || !registros) return null;
  const kinds = EFECTOS.filter((efecto) => (resumen.porEfecto[efecto] ?? 0) > 0);
  const months = Object.entries(resumen.porMes).sort(([a], [b]) => (a < b ? -1 : 1));
  return (
    <Tarjeta titulo="Qué trae">
      <div class="dos">
        <Grafica
          titulo="CFDI por tipo"
          tipo="barras"
          series={['CFDI']}
          unidad="CFDI"
          puntos={kinds.map((efecto) => ({ label: NOMBRES[efecto], valores: [resumen.porEfecto[efecto] ?? 0] }))}
        />
        <Grafica
          titulo="CFDI por mes de emisión"
          tipo="barras"
          series={SERIES}
          unidad="CFDI"
          puntos={months.map(([month, counts]) => ({ label: monthText(month), valores: seriesOf(counts) }))}
        />
      </div>
      {resumen.cancelados > 0 ? (
        <p class="suave">
          {formatNumero(resumen.cancelados)} de {formatNumero(registros)} están cancelados.
        </p>
      ) : null}
    </Tarjeta>
  );
}

function seriesOf({ I = 0, E = 0, P = 0, T = 0, N = 0, otro = 0 }: CuentaPorEfecto): number[] {
  return [I, E, P, T + N + otro];
}

function monthText(month: string): string {
  const [year, number] = month.split('-');
  return number === undefined ? 'otros' : `${mesCorto(number)} ${year}`;
}
