import type { RespuestaConsultarOpinion, SentidoOpinion } from '@acuse/core';
import { readFecha, readLongDate, toDia } from '../../fechas.ts';
import { ilegible, toForma } from '../../texto.ts';

type OpinionLeida = Omit<RespuestaConsultarOpinion, 'pdf'>;

const RFC =
  /(?<![A-Z0-9&Ñ+/=])[A-Z&Ñ]{3,4}\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])[A-Z0-9]{2}[0-9A](?![A-Z0-9&Ñ+/=])/g;
/** The authority's own, which may stand in its letterhead. */
const RFC_DEL_SAT = 'SAT970701NN3';
const FOLIO = /\b\d{2}[A-Z]{1,2}\d{6,8}\b/g;
const FECHA = /(?:fecha(?: y hora)? de (?:emision|expedicion)|revision practicada el dia)\s*:?\s*(\d[^|]{0,40})/;

/**
 * Reads an opinión del cumplimiento from the lines of its text, in the layouts before and after June 2025. Throws
 * RESPUESTA_ILEGIBLE for another document, one that is not `rfc`'s or names a second taxpayer, and one that does not
 * state exactly one sense.
 */
export function readOpinion(lineas: readonly string[], rfc: string): OpinionLeida {
  const texto = lineas.join('\n');
  const plano = toForma(texto);
  if (!/opinion del? cumplimiento/.test(plano)) throw ilegible('opinion: es otro documento');
  const cadena = onlyChain(texto);
  assertTitular(texto, cadena, rfc.toUpperCase());
  const sentidos = [...findOpinions(lineas, cadena)];
  const [sentido] = sentidos;
  if (sentido === undefined) throw ilegible('opinion: no dice su sentido');
  if (sentidos.length > 1) throw ilegible('opinion: dice más de un sentido');
  if ((sentido === 'POSITIVO' || sentido === 'NEGATIVO') && cadena !== null && cadena.sentido === null) {
    throw ilegible('opinion: la cadena original dice otra cosa');
  }
  return {
    sentido,
    folio: cadena?.folio ?? readFolio(texto),
    fecha: cadena?.fecha ?? readFechaEmision(plano),
    motivo: readMotivo(lineas, sentido),
  };
}

function onlyChain(texto: string): CadenaOriginal | null {
  const cadenas = findChains(texto);
  const [cadena] = cadenas;
  if (cadena === undefined) return null;
  if (cadenas.some((otra) => JSON.stringify(otra) !== JSON.stringify(cadena))) {
    throw ilegible('opinion: más de una cadena original');
  }
  return cadena;
}

/** Every RFC of the document is the taxpayer's. The seal below is base64, where anything may look like one. */
function assertTitular(texto: string, cadena: CadenaOriginal | null, rfc: string): void {
  const sello = texto.search(/sello digital/i);
  const legible = (sello === -1 ? texto : texto.slice(0, sello)).normalize('NFC').toUpperCase();
  const nombrados = new Set([...(legible.match(RFC) ?? []), ...(cadena === null ? [] : [cadena.rfc])]);
  if (rfc !== RFC_DEL_SAT) nombrados.delete(RFC_DEL_SAT);
  if (!nombrados.delete(rfc)) throw ilegible('opinion: no nombra al RFC');
  if (nombrados.size > 0) throw ilegible('opinion: nombra a otro RFC');
}

/** The folio by its shape, `26NL1324942`; null when the document has none or several. */
function readFolio(texto: string): string | null {
  const folios = new Set(texto.toUpperCase().match(FOLIO) ?? []);
  const [folio] = folios;
  return folio !== undefined && folios.size === 1 ? folio : null;
}

function readFechaEmision(plano: string): string | null {
  const valor = FECHA.exec(plano)?.[1] ?? '';
  return readLongDate(valor) ?? readFecha(/^[\d/-]+/.exec(valor)?.[0] ?? '');
}

/**
 * The signed chain at the foot of an opinion: `||RFC|folio|dd-mm-yyyy|letter||certificate||`, in the layouts before and
 * after June 2025; one without the empty field is taken, too.
 */
interface CadenaOriginal {
  readonly rfc: string;
  readonly folio: string;
  /** `yyyy-MM-dd`; null for no day of the calendar. */
  readonly fecha: string | null;
  /** Known letters are `P` and `N`; null for any other. */
  readonly sentido: SentidoOpinion | null;
}

const CADENA =
  /\|\|([A-Z&Ñ]{3,4}\d{6}[A-Z0-9]{3})\|([A-Z0-9-]{4,40})\|(\d{2})-(\d{2})-(\d{4})\|([A-Z]{1,3})\|\|?[^|]{0,64}\|\|/g;

/** Every chain of a text; a document has one. Blanks that a line break put into it do not matter. */
function findChains(texto: string): readonly CadenaOriginal[] {
  const compact = texto.normalize('NFC').replace(/\s+/g, '').toUpperCase();
  return [...compact.matchAll(CADENA)].map(([, rfc = '', folio = '', dia, mes, anio, letra]) => ({
    rfc,
    folio,
    fecha: toDia(Number(anio), Number(mes), Number(dia)),
    sentido: letra === 'P' ? 'POSITIVO' : letra === 'N' ? 'NEGATIVO' : null,
  }));
}

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
function findOpinions(lineas: readonly string[], cadena: CadenaOriginal | null): ReadonlySet<SentidoOpinion> {
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
  const suffix = AL_FINAL.exec(toForma(renglon))?.[1];
  if (suffix !== undefined && isCreible(toSentido(suffix), letra)) yield toSentido(suffix);
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
export function readOpinionSense(texto: string): SentidoOpinion | null {
  const exacto = EXACTO.exec(toForma(texto));
  return exacto === null ? null : toSentido(exacto[1] ?? '');
}

function toSentido(clean: string): SentidoOpinion {
  if (clean.startsWith('positiv')) return 'POSITIVO';
  if (clean.startsWith('negativ')) return 'NEGATIVO';
  if (clean.startsWith('en suspension')) return 'EN_SUSPENSION';
  return clean.startsWith('inscrito') ? 'INSCRITO_SIN_OBLIGACIONES' : 'NO_INSCRITO';
}

const MAX_CARACTERES = 4000;
const SIN_DETALLE = 'El documento no detalla las obligaciones ni los adeudos.';
const FIJO: Record<Exclude<SentidoOpinion, 'NEGATIVO'>, string | null> = {
  POSITIVO: null,
  EN_SUSPENSION: 'El contribuyente está en suspensión de actividades.',
  INSCRITO_SIN_OBLIGACIONES: 'El contribuyente está inscrito en el RFC y no tiene obligaciones fiscales.',
  NO_INSCRITO: 'El contribuyente no está inscrito en el RFC.',
};

/** What the details of a negative opinion speak of. */
const DETALLE =
  /omitid|omision|adeud|credito|no presentad|no ha presentado|incumpl|inconsistenc|no localizad|declaracion (?:anual|mensual|bimestral|trimestral|provisional|definitiva|informativa)|pago (?:provisional|definitivo)/;
/** Heading of a list of them. */
const ENCABEZADO =
  /^(?:\d{1,2}[.)-]\s*)?(?:(?:obligaciones|declaraciones|creditos|adeudos|inconsistencias|incumplimientos|omisiones|detalle)\b[^.]{0,90}|cumplimiento de obligaciones(?: fiscales)?:?)$/;
/** Where the document stops speaking of the taxpayer. */
const FIN =
  /^(?:notas?\s*(?:[:.]|$|\d)|informacion importante|cadena original|sello digital|articulos?:|fundamento|contacto|este servicio es gratuito|sus datos personales|pagina \d)/;
/** The document's own general words, which also speak of debts and obligations. */
const GENERAL =
  /opinion del? cumplimiento|al corriente|en sentido|resolucion miscelanea|codigo fiscal|constancia del correcto|para efectos|se le informa|controles electronicos|revision practicada/;

/**
 * Why an opinion is not positive. For a negative one, what it lists: from the first heading or detail of a list on, or
 * without any heading the lines that name an obligation or a debt, as one text with semicolons; the notes at its foot
 * are left out. Null for a positive one.
 */
function readMotivo(lineas: readonly string[], sentido: SentidoOpinion): string | null {
  if (sentido !== 'NEGATIVO') return FIJO[sentido];
  const cuerpo = cutCuerpo(lineas);
  const lista = cutLista(cuerpo);
  const partes = joinCortados(lista.filter((linea) => !GENERAL.test(toForma(linea))));
  const unicas = [...new Set(partes)].filter((parte) => !/^detalle:?$/i.test(parte));
  if (unicas.length === 0) return SIN_DETALLE;
  const texto = unicas
    .map((parte, i) => parte + (i === unicas.length - 1 ? '' : parte.endsWith(':') ? ' ' : '; '))
    .join('');
  return texto.length > MAX_CARACTERES ? `${texto.slice(0, MAX_CARACTERES - 1)}…` : texto;
}

/**
 * From the first heading on; a detail that stands above it belongs to a list whose heading is not known, and counts
 * too. Without any heading, the details alone.
 */
function cutLista(cuerpo: readonly string[]): readonly string[] {
  const normales = cuerpo.map(toForma);
  const isDetalle = (linea: string) => DETALLE.test(linea) && !GENERAL.test(linea);
  const encabezado = normales.findIndex((linea) => ENCABEZADO.test(linea) && !GENERAL.test(linea));
  if (encabezado === -1) return cuerpo.filter((_, i) => isDetalle(normales[i] ?? ''));
  const detalle = normales.findIndex(isDetalle);
  return cuerpo.slice(detalle === -1 ? encabezado : Math.min(detalle, encabezado));
}

/** The lines between the table with the taxpayer's data and the notes. */
function cutCuerpo(lineas: readonly string[]): string[] {
  const limpias = lineas.map((linea) => linea.replace(/\s+/g, ' ').trim()).filter((linea) => linea !== '');
  const saludo = limpias.findIndex((linea) => /^(?:apreciable|estimado)\b/.test(toForma(linea)));
  const cuerpo = limpias.slice(saludo + 1);
  const fin = cuerpo.findIndex((linea) => FIN.test(toForma(linea)));
  return fin === -1 ? cuerpo : cuerpo.slice(0, fin);
}

/** A line that begins in lower case goes on with the one before. */
function joinCortados(lineas: readonly string[]): string[] {
  const partes: string[] = [];
  for (const linea of lineas) {
    const anterior = partes.at(-1);
    if (anterior !== undefined && !anterior.endsWith(':') && /^\p{Ll}/u.test(linea)) {
      partes[partes.length - 1] = `${anterior} ${linea}`;
    } else partes.push(linea.replace(/[;,]$/, ''));
  }
  return partes.map((parte) => parte.replace(/[;.]+$/, ''));
}
