import type { TipoDescarga } from '@acuse/core';
import { type Badges, Grafica } from '@acuse/page';
import { Aviso, ConNota, numeric, Tabla, Tarjeta } from '@acuse/page/blocks';
import { mesCorto } from '@acuse/page/dia-mexico';
import { formatDecimal, formatNumero, TRADE } from '@acuse/page/formato';
import type { DemasiadosCfdi, ResumenCfdi } from '../db/index.ts';

type Suma = ResumenCfdi['total'];

/** CFDI of a sum, whatever their state. */
export const cfdiOf = ({ vigentes, cancelados, ausentes }: Suma) => vigentes.cfdi + cancelados.cfdi + ausentes.cfdi;

interface SumasProps {
  readonly resumen: ResumenCfdi | DemasiadosCfdi;
  readonly tipo: TipoDescarga;
  readonly badges: Badges;
}

/** Sums by state, the months as a chart, and the greatest clients or suppliers. */
export function Sumas({ resumen, tipo, badges }: SumasProps) {
  if ('demasiados' in resumen)
    return (
      <Aviso tono="info">
        Hay más de {formatNumero(resumen.tope)} CFDI en el periodo, más de los que se suman de una vez. Acórtelo para
        ver cuánto suman.
      </Aviso>
    );
  const { total, meses, contrapartes, otras } = resumen;
  if (cfdiOf(total) === 0) return null;
  const hasNomina = [total.vigentes, total.cancelados, total.ausentes].some(({ nomina }) => Number(nomina) !== 0);
  return (
    <>
      <Tarjeta titulo="Cuánto suman">
        <Tabla
          titulo="Sumas por estado"
          tituloOculto
          columnas={[
            'Estado',
            numeric('CFDI'),
            numeric(TRADE[tipo].income, { phone: 'value' }),
            numeric('Notas de crédito'),
            ...(hasNomina ? [numeric('Nómina')] : []),
          ]}
          filas={(
            [
              ['Vigentes', total.vigentes],
              ['Cancelados', total.cancelados],
              ['Ya no aparecen en el SAT', total.ausentes],
            ] as const
          ).map(([estado, { cfdi, ingresos, egresos, nomina }]) => [
            estado,
            formatNumero(cfdi),
            ...[ingresos, egresos, ...(hasNomina ? [nomina] : [])].map(formatDecimal),
          ])}
        />
        <p class="suave">Las notas de crédito no están restadas de los {TRADE[tipo].income.toLowerCase()}.</p>
      </Tarjeta>
      <details class="en-telefono">
        <summary>Por mes y mayores {TRADE[tipo].many.toLowerCase()}</summary>
        <div class="pila">
          <Tarjeta>
            <PorMes meses={meses} tipo={tipo} />
          </Tarjeta>
          <Tarjeta titulo={`Mayores ${TRADE[tipo].many.toLowerCase()}`}>
            <Tabla
              titulo={`Mayores ${TRADE[tipo].many.toLowerCase()}, por ${TRADE[tipo].income.toLowerCase()} vigentes menos notas de crédito`}
              tituloOculto
              columnas={[
                TRADE[tipo].one,
                numeric('CFDI'),
                numeric(TRADE[tipo].income, { phone: 'value', isNamed: false }),
                numeric('Notas de crédito', { phone: 'end' }),
                numeric('Cancelados', { phone: 'none' }),
              ]}
              filas={[
                ...contrapartes.map(({ rfc, nombre, ...sumas }) => [
                  <ConNota nota={nombre || null}>
                    {rfc} {badges.get(rfc)}
                  </ConNota>,
                  ...cellsOf(sumas),
                ]),
                ...(otras.contrapartes === 0
                  ? []
                  : [
                      [
                        otras.contrapartes === 1 ? 'El otro' : `Los otros ${formatNumero(otras.contrapartes)}, juntos`,
                        ...cellsOf(otras),
                      ],
                    ]),
              ]}
            />
          </Tarjeta>
        </div>
      </details>
    </>
  );
}

const cellsOf = ({ vigentes, cancelados }: Suma) => [
  formatNumero(vigentes.cfdi),
  formatDecimal(vigentes.ingresos),
  formatDecimal(vigentes.egresos),
  formatNumero(cancelados.cfdi),
];

/** Months of the chart; of more, the newest. */
const MESES = 36;

function PorMes({ meses, tipo }: { readonly meses: ResumenCfdi['meses']; readonly tipo: TipoDescarga }) {
  const [first, last] = [meses[0], meses.at(-1)];
  if (first === undefined || last === undefined) return null;
  const byMonth = new Map(meses.map((each) => [each.mes, each]));
  const all = monthsBetween(first.mes, last.mes).slice(-MESES);
  const pesos = (decimal = '0') => Math.max(0, Math.round(Number(decimal)));
  return (
    <Grafica
      titulo={`${TRADE[tipo].income} por mes de emisión${all.length === MESES ? `, los últimos ${MESES} meses` : ''}`}
      unidad="pesos"
      series={['Vigentes', 'Cancelados']}
      puntos={all.map((mes) => ({
        label: `${mesCorto(mes.slice(5))} ${mes.slice(2, 4)}`,
        valores: [pesos(byMonth.get(mes)?.vigentes.ingresos), pesos(byMonth.get(mes)?.cancelados.ingresos)],
      }))}
    />
  );
}

/** `yyyy-MM`, both included. */
function monthsBetween(first: string, last: string): string[] {
  const [year = 0, month = 1] = first.split('-').map(Number);
  const months: string[] = [];
  for (let at = 0; months.at(-1) !== last && at < 12 * 100; at++)
    months.push(new Date(Date.UTC(year, month - 1 + at, 1)).toISOString().slice(0, 7));
  return months;
}
