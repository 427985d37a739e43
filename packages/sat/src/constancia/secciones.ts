import { type LineaPdf, lineasDe, type PaginaPdf } from '../pdf/pagina-pdf.ts';
import { toRotulo } from '../texto/forma.ts';
import { unreadable } from './campos.ts';

/**
 * The document by its own headings. A section that the document leaves out is absent; `pie` is what comes after the
 * last one.
 */
export type Secciones = ReadonlyMap<Seccion, readonly LineaPdf[]>;
export type Seccion = 'cedula' | 'identificacion' | 'domicilio' | 'actividades' | 'regimenes' | 'obligaciones' | 'pie';

const TITULOS: Readonly<Record<string, Seccion>> = {
  'datos de identificacion del contribuyente': 'identificacion',
  'datos del domicilio registrado': 'domicilio',
  'actividades economicas': 'actividades',
  regimenes: 'regimenes',
  obligaciones: 'obligaciones',
};
const PIE = /^(?:sus datos personales|si desea modificar|.?la corrupcion tiene|cadena original sello)/;
/** A constancia of many pages has some thousands; what is read from them takes the square of their number. */
const MAX_CELDAS = 8_000;
const NUMERO = /^pagina \[?(\d+)\]? de \[?(\d+)\]?$/;

/**
 * Divides a constancia. Throws RESPUESTA_ILEGIBLE for a document that is no constancia, that lacks pages by its own
 * count, or whose end (the seal's original string) is missing.
 */
export function splitSecciones(paginas: readonly PaginaPdf[]): Secciones {
  const cuantas = lineasDe(paginas).reduce((suma, { celdas }) => suma + celdas.length, 0);
  if (cuantas > MAX_CELDAS) throw unreadable('demasiado texto');
  const secciones = new Map<Seccion, LineaPdf[]>([['cedula', []]]);
  let abierta: Seccion = 'cedula';
  for (const linea of lineasDe(paginas)) {
    const forma = toRotulo(linea.texto);
    const numero = NUMERO.exec(forma);
    if (numero !== null) {
      if (Number(numero[1]) !== linea.pagina || Number(numero[2]) !== paginas.length) throw unreadable('páginas');
      continue;
    }
    const titulo: Seccion | undefined = Object.hasOwn(TITULOS, forma) ? TITULOS[forma] : undefined;
    const nueva: Seccion | undefined = titulo ?? (abierta !== 'pie' && PIE.test(forma) ? 'pie' : undefined);
    if (nueva !== undefined) {
      if (secciones.has(nueva) || abierta === 'pie') throw unreadable(`${nueva} dos veces`);
      secciones.set(nueva, titulo === undefined ? [linea] : []);
      abierta = nueva;
    } else secciones.get(abierta)?.push(linea);
  }
  const todo = lineasDe(paginas).map(({ texto }) => toRotulo(texto));
  if (!todo.some((forma) => forma.includes('constancia de situacion fiscal'))) throw unreadable('título');
  if (!todo.some((forma) => forma.startsWith('cadena original sello'))) throw unreadable('cadena original');
  return secciones;
}

/** Letter by letter, so that positions stay the same. */
export function sinAcentos(texto: string): string {
  return texto.normalize('NFC').replace(/[^\p{ASCII}]/gu, (letra) => {
    const base = letra.normalize('NFD').replace(/\p{M}/gu, '');
    return base.length === letra.length ? base : letra;
  });
}
