import type { SentidoOpinion } from '@acuse/core';
import { toForma } from '../../texto/forma.ts';

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
export function readMotivo(lineas: readonly string[], sentido: SentidoOpinion): string | null {
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
