import type { SentidoOpinion } from '@acuse/core';
import { toForma } from '../../texto/forma.ts';
import type { CadenaOriginal } from './cadena-original.ts';

const SENTIDO =
  '(positiv[oa]|negativ[oa]|en suspension(?: de actividades)?|inscrito sin obligaciones(?: fiscales)?|no inscrito)';
const EXACTO = new RegExp(`^${SENTIDO}\\.?$`);
const AL_FINAL = new RegExp(`(?:^|\\s)${SENTIDO}$`);
const ETIQUETADO = new RegExp(`^sentido(?: de la opinion)?\\s*:?\\s*${SENTIDO}\\.?$`);
const EMITIDO = new RegExp(
  `\\bse emite (?:la |esta |una )?(?:presente )?opinion\\b[^.;]{0,200}?\\ben sentido:?\\s*${SENTIDO}(?![a-z])`,
  'g',
);
/** What may follow the cell "Sentido" before the next heading of the document's table. */
const MAX_RENGLONES = 4;

/**
 * The senses that a document states about itself, in the three places where it does: the signed chain, the cell
 * "Sentido" of its table, and the sentence that issues the opinion. What its notes say about senses in general counts
 * nowhere. Empty when it states none. Cells of one line are two blanks apart.
 */
export function findSentidos(lineas: readonly string[], cadena: CadenaOriginal | null): ReadonlySet<SentidoOpinion> {
  const notas = lineas.findIndex((linea) => /^notas?\s*(?:[:.]|$|\d)/.test(toForma(linea)));
  const propias = (notas === -1 ? lineas : lineas.slice(0, notas)).filter((linea) => linea.trim() !== '');
  const found = new Set<SentidoOpinion>();
  const letra = cadena?.sentido ?? null;
  if (letra !== null) found.add(letra);
  for (const sentido of inCelda(propias, letra)) found.add(sentido);
  const corrido = toForma(propias.join(' '));
  for (const match of corrido.matchAll(EMITIDO)) found.add(toSentido(match[1] ?? ''));
  return found;
}

function* inCelda(lineas: readonly string[], letra: SentidoOpinion | null): Generator<SentidoOpinion> {
  for (const [i, linea] of lineas.entries()) {
    const limpia = toForma(linea);
    const etiquetado = ETIQUETADO.exec(limpia);
    if (etiquetado !== null) yield toSentido(etiquetado[1] ?? '');
    if (!/(?:^|\s)sentido:?$/.test(limpia)) continue;
    for (const renglon of lineas.slice(i + 1, i + 1 + MAX_RENGLONES)) {
      if (/^(?:rfc|folio|fecha|clave|apreciable|estimado)\b/.test(toForma(renglon))) break;
      yield* inRenglon(renglon, letra);
    }
  }
}

function* inRenglon(renglon: string, letra: SentidoOpinion | null): Generator<SentidoOpinion> {
  const exactos = renglon.split(/\s{2,}/).map((celda) => EXACTO.exec(toForma(celda))?.[1]);
  for (const exacto of exactos) if (exacto !== undefined) yield toSentido(exacto);
  const sufijo = AL_FINAL.exec(toForma(renglon))?.[1];
  if (sufijo !== undefined && isCreible(toSentido(sufijo), letra)) yield toSentido(sufijo);
}

/**
 * At the end of a line the sense may as well be the end of a name ("GRUPO POSITIVO"): the two senses whose letter in
 * the signed chain is known are then believed only with it.
 */
function isCreible(sentido: SentidoOpinion, letra: SentidoOpinion | null): boolean {
  return letra !== null || (sentido !== 'POSITIVO' && sentido !== 'NEGATIVO');
}

/**
 * Reads the sense that a text is, as the service writes it beside the document (`Positivo`); null for any other text.
 */
export function readSentido(texto: string): SentidoOpinion | null {
  const exacto = EXACTO.exec(toForma(texto));
  return exacto === null ? null : toSentido(exacto[1] ?? '');
}

function toSentido(normalizado: string): SentidoOpinion {
  if (normalizado.startsWith('positiv')) return 'POSITIVO';
  if (normalizado.startsWith('negativ')) return 'NEGATIVO';
  if (normalizado.startsWith('en suspension')) return 'EN_SUSPENSION';
  return normalizado.startsWith('inscrito') ? 'INSCRITO_SIN_OBLIGACIONES' : 'NO_INSCRITO';
}
