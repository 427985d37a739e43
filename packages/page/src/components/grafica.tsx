import { formatNumero } from './formato.ts';

export interface PuntoGrafica {
  /** Under the axis and in the table: a day, a month. */
  readonly label: string;
  /** One value for each series, none below zero. */
  readonly valores: readonly number[];
}

interface GraficaProps {
  readonly titulo: string;
  /** At most four names; a fifth would have no colour of its own. */
  readonly series: readonly string[];
  readonly puntos: readonly PuntoGrafica[];
  /** Counted unit: "créditos". */
  readonly unidad: string;
}

/** Fewer bars show nothing that their numbers do not. */
export const MIN_BARRAS = 3;
const ALTO = 100;
const ANCHO_PUNTO = 10;
/** Of the whole chart, so that a single bar is no wall. */
const MAX_BARRA = 0.14;

/**
 * A bar chart drawn by the server, the series of a point stacked, with its numbers as a table underneath; nothing below
 * {@link MIN_BARRAS} points. Colours come from the style sheet.
 */
export function Grafica({ titulo, series, puntos, unidad }: GraficaProps) {
  if (puntos.length < MIN_BARRAS) return null;
  const texto = (value: number) => `${unidad === 'pesos' ? '$' : ''}${formatNumero(value)}`;
  const sumas = puntos.map(({ valores }) => valores.reduce((a, b) => a + b, 0));
  const tope = niceCeiling(Math.max(1, ...sumas));
  const total = sumas.reduce((a, b) => a + b, 0);
  const ancho = Math.max(1, puntos.length) * ANCHO_PUNTO;
  const pasos = ANCHOS.map(([clase, letras]) => [clase, labelStep(puntos, letras - texto(tope).length)] as const);
  /** Names the widths at which a point is labelled: at even distances, counted from the last. */
  const labelClass = (fromLast: number) =>
    pasos.flatMap(([clase, paso]) => (fromLast % paso === 0 ? clase : [])).join(' ');
  const parte = Math.min(0.8, puntos.length * MAX_BARRA);
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
          <span>{texto(tope)}</span>
          <span>{texto(tope / 2)}</span>
          <span>{texto(0)}</span>
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
          {puntos.map((punto, lugar) => (
            <Barra {...{ punto, lugar, tope, series, parte, texto }} />
          ))}
        </svg>
        <div class={needsStanding(pasos, puntos) ? 'abscisa de-pie' : 'abscisa'} aria-hidden="true">
          {puntos.map(({ label }, lugar) => (
            <span class={labelClass(puntos.length - 1 - lugar)}>{label}</span>
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
            {puntos.map(({ label, valores }) => (
              <tr>
                <th scope="row">{label}</th>
                {series.map((_, serie) => (
                  <td class="numerica">{texto(valores[serie] ?? 0)}</td>
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
  /** Of the room of a point that its bar fills. */
  readonly parte: number;
  readonly texto: (value: number) => string;
}

function Barra({ punto, lugar, tope, series, parte, texto }: BarraProps) {
  let suelo = 0;
  return (
    <>
      {series.map((serie, indice) => {
        const value = punto.valores[indice] ?? 0;
        suelo += value;
        return value > 0 ? (
          <rect
            class={seriesClass(indice)}
            x={round((lugar + (1 - parte) / 2) * ANCHO_PUNTO)}
            y={round(height(tope - suelo, tope))}
            width={round(parte * ANCHO_PUNTO)}
            height={round(height(value, tope))}
          >
            <title>{`${punto.label}, ${serie}: ${texto(value)}`}</title>
          </rect>
        ) : null;
      })}
    </>
  );
}

const seriesClass = (lugar: number) => `serie-${Math.min(lugar, 3) + 1}`;
const height = (value: number, tope: number) => (value / tope) * ALTO;
const round = (value: number) => Math.round(value * 100) / 100;

/** Letters that fit beside each other under a chart, scale included: on a phone, in half a page, across a page. */
const ANCHOS = [
  ['corta', 30],
  ['media', 50],
  ['larga', 104],
] as const;

/** Where few points have long names, each keeps its own: on a phone they stand upright. */
const FEW = 6;
const needsStanding = (pasos: readonly (readonly [string, number])[], puntos: readonly PuntoGrafica[]) =>
  puntos.length <= FEW && pasos.some(([clase, paso]) => clase === 'corta' && paso > 1);

/** Every how many points there can be a label without two touching. Labels stand in the middle of their points. */
function labelStep(puntos: readonly PuntoGrafica[], letras: number): number {
  const room = letras / puntos.length;
  const fits = (paso: number) =>
    puntos.every(({ label }, lugar) => {
      const next = puntos[lugar + paso];
      return next === undefined || (label.length + next.label.length + 1) / 2 <= room * paso;
    });
  let paso = 1;
  while (paso < puntos.length && !fits(paso)) paso += 1;
  return paso;
}

/** Ends of an axis, in tenths of a power of ten. */
const TOPES = [10, 12, 14, 16, 18, 20, 24, 28, 30, 36, 40, 50, 60, 70, 80, 90];

/** The next round number whose half is whole, so close that the highest point fills 80 % of it (from 10 on). */
function niceCeiling(value: number): number {
  const potencia = 10 ** Math.floor(Math.log10(value)) / 10;
  const tope = TOPES.find((factor) => factor * potencia >= value && (factor * potencia) % 2 === 0);
  return (tope ?? 100) * potencia;
}
