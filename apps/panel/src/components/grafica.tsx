import { formatNumero } from './formato.ts';

export interface PuntoGrafica {
  /** Under the axis and in the table: a day, a month. */
  readonly etiqueta: string;
  /** One value for each series, none below zero. */
  readonly valores: readonly number[];
}

interface GraficaProps {
  readonly titulo: string;
  /** `barras` stacks the series of a point; `lineas` draws one line a series. */
  readonly tipo: 'barras' | 'lineas';
  /** At most four names; a fifth would have no colour of its own. */
  readonly series: readonly string[];
  readonly puntos: readonly PuntoGrafica[];
  /** What is counted: "créditos". */
  readonly unidad: string;
}

const ALTO = 100;
const ANCHO_PUNTO = 10;

/** A chart drawn by the server, with its numbers as a table underneath. Colours come from the style sheet. */
export function Grafica({ titulo, tipo, series, puntos, unidad }: GraficaProps) {
  const sumas = puntos.map(({ valores }) =>
    tipo === 'barras' ? valores.reduce((a, b) => a + b, 0) : Math.max(0, ...valores),
  );
  const tope = niceCeiling(Math.max(1, ...sumas));
  const total = puntos.reduce((suma, { valores }) => suma + valores.reduce((a, b) => a + b, 0), 0);
  const ancho = Math.max(1, puntos.length) * ANCHO_PUNTO;
  return (
    <figure class="grafica">
      <figcaption>{titulo}</figcaption>
      {series.length > 1 ? (
        <ul class="leyenda">
          {series.map((serie, lugar) => (
            <li class={seriesClass(lugar)}>{serie}</li>
          ))}
        </ul>
      ) : null}
      <div class="trazo">
        <div class="escala" aria-hidden="true">
          <span>{formatNumero(tope)}</span>
          <span>{formatNumero(tope / 2)}</span>
          <span>0</span>
        </div>
        <svg
          viewBox={`0 0 ${ancho} ${ALTO}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`${titulo}: ${formatNumero(total)} ${unidad} en total`}
        >
          {[0, ALTO / 2, ALTO].map((y) => (
            <line class="eje" x1="0" x2={ancho} y1={y} y2={y} vector-effect="non-scaling-stroke" />
          ))}
          {tipo === 'barras'
            ? puntos.map((punto, lugar) => <Barra punto={punto} lugar={lugar} tope={tope} series={series} />)
            : series.map((_, serie) => (
                <polyline
                  class={seriesClass(serie)}
                  vector-effect="non-scaling-stroke"
                  points={puntos
                    .map(
                      ({ valores }, lugar) =>
                        `${(lugar + 0.5) * ANCHO_PUNTO},${round(height(tope - (valores[serie] ?? 0), tope))}`,
                    )
                    .join(' ')}
                />
              ))}
        </svg>
        <div class="abscisa" aria-hidden="true">
          {pick(puntos).map(({ etiqueta }) => (
            <span>{etiqueta}</span>
          ))}
        </div>
      </div>
      <details>
        <summary class="chica">Ver los números</summary>
        <table>
          <caption class="solo-lectores">
            {titulo}, en {unidad}
          </caption>
          <thead>
            <tr>
              <th scope="col">Periodo</th>
              {series.map((serie) => (
                <th scope="col" class="numerica">
                  {serie}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {puntos.map(({ etiqueta, valores }) => (
              <tr>
                <th scope="row">{etiqueta}</th>
                {series.map((_, serie) => (
                  <td class="numerica">{formatNumero(valores[serie] ?? 0)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}

interface BarraProps {
  readonly punto: PuntoGrafica;
  readonly lugar: number;
  readonly tope: number;
  readonly series: readonly string[];
}

function Barra({ punto, lugar, tope, series }: BarraProps) {
  let suelo = 0;
  return (
    <>
      {series.map((serie, indice) => {
        const valor = punto.valores[indice] ?? 0;
        suelo += valor;
        return valor > 0 ? (
          <rect
            class={seriesClass(indice)}
            x={lugar * ANCHO_PUNTO + 1}
            y={round(height(tope - suelo, tope))}
            width={ANCHO_PUNTO - 2}
            height={round(height(valor, tope))}
          >
            <title>{`${punto.etiqueta}, ${serie}: ${formatNumero(valor)}`}</title>
          </rect>
        ) : null;
      })}
    </>
  );
}

const seriesClass = (lugar: number) => `serie-${Math.min(lugar, 3) + 1}`;
const height = (valor: number, tope: number) => (valor / tope) * ALTO;
const round = (valor: number) => Math.round(valor * 100) / 100;

/** First, middle and last point: what fits under a chart of any width. */
function pick(puntos: readonly PuntoGrafica[]): PuntoGrafica[] {
  if (puntos.length <= 3) return [...puntos];
  return [0, Math.floor((puntos.length - 1) / 2), puntos.length - 1].flatMap((lugar) => puntos[lugar] ?? []);
}

/** The next even number of the series 2, 4, 10, 20, 40, 100…, so that the half of an axis is whole. */
function niceCeiling(valor: number): number {
  const potencia = 10 ** Math.floor(Math.log10(valor));
  const paso = [1, 2, 4, 10, 20].find(
    (factor) => factor * potencia >= valor && (factor * potencia) % 2 === 0,
  );
  return (paso ?? 20) * potencia;
}
