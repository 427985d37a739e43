import type { CeldaPdf, LineaPdf } from './pagina-pdf.ts';

/** A run of text as the document draws it, in the page's own coordinates with `y` growing downwards. */
export interface Trazo {
  readonly texto: string;
  readonly x: number;
  readonly y: number;
  readonly ancho: number;
  readonly cuerpo: number;
}

/** Parts of the letter size: gap that begins another cell, gap that is a blank, offset within one baseline. */
const SALTO_DE_CELDA = 0.55;
const BLANCO = 0.15;
const DESNIVEL = 0.35;

/**
 * Groups runs by baseline, and the runs of a baseline into cells by the gaps between them, whatever the order they were
 * drawn in.
 */
export function readLineas(trazos: readonly Trazo[], pagina: number): LineaPdf[] {
  const visibles = trazos.filter((t) => t.texto.trim() !== '');
  const grupos: { y: number; trazos: Trazo[] }[] = [];
  for (const trazo of visibles.toSorted((a, b) => a.y - b.y || a.x - b.x)) {
    const ultimo = grupos.at(-1);
    if (ultimo !== undefined && trazo.y - ultimo.y <= DESNIVEL * trazo.cuerpo) ultimo.trazos.push(trazo);
    else grupos.push({ y: trazo.y, trazos: [trazo] });
  }
  return grupos.map(({ y, trazos: juntos }) => {
    const celdas = readCeldas(juntos.toSorted((a, b) => a.x - b.x));
    return {
      pagina,
      y,
      cuerpo: Math.max(...juntos.map((t) => t.cuerpo)),
      celdas,
      texto: celdas.map((c) => c.texto).join('  '),
    };
  });
}

function readCeldas(trazos: readonly Trazo[]): CeldaPdf[] {
  const celdas: { x: number; hasta: number; texto: string }[] = [];
  let anterior: Trazo | undefined;
  for (const trazo of trazos) {
    const abierta = celdas.at(-1);
    if (anterior !== undefined && isRepeticion(anterior, trazo)) continue;
    const hueco = abierta === undefined ? 0 : trazo.x - abierta.hasta;
    if (abierta === undefined || hueco > SALTO_DE_CELDA * trazo.cuerpo) {
      celdas.push({ x: trazo.x, hasta: trazo.x + trazo.ancho, texto: trazo.texto });
    } else {
      abierta.texto += (hueco > BLANCO * trazo.cuerpo ? ' ' : '') + trazo.texto;
      abierta.hasta = Math.max(abierta.hasta, trazo.x + trazo.ancho);
    }
    anterior = trazo;
  }
  return celdas.map((c) => ({ ...c, texto: c.texto.normalize('NFC').replace(/\s+/gu, ' ').trim() }));
}

/** Some writers draw a text twice, a hair apart, to make it bold. */
function isRepeticion(a: Trazo, b: Trazo): boolean {
  return a.texto === b.texto && Math.abs(a.x - b.x) < 0.1 * b.cuerpo;
}
