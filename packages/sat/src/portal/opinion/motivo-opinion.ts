import type { SentidoOpinion } from '@acuse/core';
import { normalizeTexto } from '../paginas/tablas.ts';

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
  /^(?:\d{1,2}[.)-]\s*)?(?:obligaciones|declaraciones|creditos|adeudos|inconsistencias|incumplimientos|omisiones|detalle)\b[^.]{0,90}$/;
/** Where the document stops speaking of the taxpayer. */
const FIN =
  /^(?:notas?\s*(?:[:.]|$|\d)|cadena original|sello digital|articulos?:|fundamento|revision practicada|contacto|este servicio es gratuito|sus datos personales|pagina \d)/;
/** The document's own general words, which also speak of debts and obligations. */
const GENERAL =
  /opinion del? cumplimiento|al corriente|en sentido|resolucion miscelanea|codigo fiscal|constancia del correcto|para efectos|se le informa|controles electronicos/;

/**
 * Why an opinion is not positive. For a negative one, what it lists: from the first heading of a list on, or else the lines that name an
 * obligation or a debt, as one text with semicolons; the notes at its foot are left out. Null for a positive one.
 */
export function readMotivo(lineas: readonly string[], sentido: SentidoOpinion): string | null {
  if (sentido !== 'NEGATIVO') return FIJO[sentido];
  const cuerpo = cutCuerpo(lineas);
  const desde = cuerpo.findIndex((linea) => ENCABEZADO.test(normalizeTexto(linea)));
  const lista =
    desde === -1 ? cuerpo.filter((linea) => DETALLE.test(normalizeTexto(linea))) : cuerpo.slice(desde);
  const partes = joinCortados(lista.filter((linea) => !GENERAL.test(normalizeTexto(linea))));
  const unicas = [...new Set(partes)].filter((parte) => !/^detalle:?$/i.test(parte));
  if (unicas.length === 0) return SIN_DETALLE;
  const texto = unicas
    .map((parte, i) => parte + (i === unicas.length - 1 ? '' : parte.endsWith(':') ? ' ' : '; '))
    .join('');
  return texto.length > MAX_CARACTERES ? `${texto.slice(0, MAX_CARACTERES - 1)}…` : texto;
}

/** The lines between the table with the taxpayer's data and the notes. */
function cutCuerpo(lineas: readonly string[]): string[] {
  const limpias = lineas.map((linea) => linea.replace(/\s+/g, ' ').trim()).filter((linea) => linea !== '');
  const saludo = limpias.findIndex((linea) => /^(?:apreciable|estimado)\b/.test(normalizeTexto(linea)));
  const cuerpo = limpias.slice(saludo + 1);
  const fin = cuerpo.findIndex((linea) => FIN.test(normalizeTexto(linea)));
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
