import type { LineaPdf } from '../pdf/pagina-pdf.ts';
import { ilegible } from '../texto.ts';
import type { Campo } from './campos.ts';

/** Labels of the document without accents; null for unused labels, which still end the value before them. */
const ETIQUETAS: readonly (readonly [string, Campo | null])[] = [
  ['RFC', 'rfc'],
  ['CURP', 'curp'],
  ['Nombre (s)', 'nombres'],
  ['Nombre(s)', 'nombres'],
  ['Primer Apellido', 'primerApellido'],
  ['Segundo Apellido', 'segundoApellido'],
  ['Denominacion/Razon Social', 'razonSocial'],
  ['Denominacion o Razon Social', 'razonSocial'],
  ['Regimen Capital', null],
  ['Regimen de Capital', null],
  ['Nombre Comercial', null],
  ['Fecha inicio de operaciones', 'inicioOperaciones'],
  ['Fecha de inicio de operaciones', 'inicioOperaciones'],
  ['Estatus en el padron', 'estatus'],
  ['Fecha de ultimo cambio de estado', 'ultimoCambio'],
  ['Codigo Postal', 'cp'],
  ['Tipo de Vialidad', 'tipoVialidad'],
  ['Nombre de Vialidad', 'vialidad'],
  ['Numero Exterior', 'numeroExterior'],
  ['Numero Interior', 'numeroInterior'],
  ['Nombre de la Colonia', 'colonia'],
  ['Nombre de la Localidad', null],
  ['Nombre del Municipio o Demarcacion Territorial', 'municipio'],
  ['Nombre de la Entidad Federativa', 'entidad'],
  ['Entre Calle', null],
  ['Y Calle', null],
  ['Correo Electronico', null],
  ['Tel. Fijo Lada', null],
  ['Tel. Movil Lada', null],
  ['Numero', null],
  ['Estado del domicilio', null],
  ['Estado del contribuyente en el domicilio', null],
];
const CAMPOS = new Map(ETIQUETAS);
const ETIQUETA = new RegExp(
  `(?<=^| )(?:${ETIQUETAS.map(([nombre]) => nombre)
    .toSorted((a, b) => b.length - a.length)
    .map((nombre) => nombre.replace(/[().]/g, '\\$&'))
    .join('|')}) ?:`,
  'g',
);
/** A label that is not in the list: values are in capitals, labels are not. */
const OTRA_ETIQUETA = /^(?=[^:]*[a-z])[A-Z][A-Za-z .()/]{2,60}:/;

interface Trozo {
  readonly linea: number;
  readonly pagina: number;
  readonly x: number;
  readonly hasta: number;
  readonly y: number;
  readonly cuerpo: number;
  readonly texto: string;
}

interface Par extends Trozo {
  readonly campo: Campo | null;
  readonly valores: string[];
  /** Where its value begins and where its last line so far is. */
  valorX: number;
  hastaY: number;
  hastaPagina: number;
}

/**
 * Parts of the letter size: offset within one column, distance to the next line of the same value, and to a label set
 * beside its middle.
 */
const DESFASE = 1.5;
const RENGLON = 1.8;
const MEDIO_RENGLON = 1.2;

/**
 * Reads the labelled values of a section in any layout: beside the label, in the next column, wrapped onto further
 * lines or the next page, several pairs on a line. Labels have a letter case that values never have. Throws
 * RESPUESTA_ILEGIBLE for text without a label, and for a label with two different values.
 */
export function readPares(lineas: readonly LineaPdf[]): Map<Campo, string> {
  const { pares, loose } = splitLabels(joinLabels(toTrozos(lineas)));
  for (const looseEntry of loose) {
    const par = ownerOf(looseEntry, pares);
    if (par === undefined) throw ilegible('constancia: texto sin etiqueta');
    if (par.valores.length === 0) par.valorX = looseEntry.x;
    par.valores.push(looseEntry.texto);
    par.hastaY = looseEntry.y;
    par.hastaPagina = looseEntry.pagina;
  }
  const campos = new Map<Campo, string>();
  for (const { campo, valores } of pares) {
    if (campo === null) continue;
    const valor = valores.join(' ');
    if (campos.has(campo) && campos.get(campo) !== valor) throw ilegible(`constancia: ${campo} dos veces`);
    campos.set(campo, valor);
  }
  return campos;
}

function toTrozos(lineas: readonly LineaPdf[]): Trozo[] {
  return lineas.flatMap(({ pagina, y, cuerpo, celdas }, linea) =>
    celdas.map(({ x, hasta, texto }) => ({ linea, pagina, x, hasta, y, cuerpo, texto })),
  );
}

/** Puts a label that is broken over two lines together again. */
function joinLabels(trozos: readonly Trozo[]): readonly Trozo[] {
  const joined = new Set<Trozo>();
  return trozos.flatMap((trozo, i) => {
    if (joined.has(trozo)) return [];
    const start = `${withoutAccents(trozo.texto)} `;
    if (!ETIQUETAS.some(([nombre]) => nombre.startsWith(start))) return [trozo];
    const resto = trozos.find(
      (otro, j) =>
        j > i &&
        otro.pagina === trozo.pagina &&
        otro.linea > trozo.linea &&
        otro.y - trozo.y <= RENGLON * trozo.cuerpo &&
        Math.abs(otro.x - trozo.x) <= DESFASE * trozo.cuerpo,
    );
    if (resto === undefined) return [trozo];
    const texto = `${trozo.texto} ${resto.texto}`;
    if (firstEtiqueta(texto)?.desde !== 0) return [trozo];
    joined.add(resto);
    return [{ ...trozo, texto }];
  });
}

function splitLabels(trozos: readonly Trozo[]): { pares: Par[]; loose: Trozo[] } {
  const pares: Par[] = [];
  const loose: Trozo[] = [];
  for (const trozo of trozos) {
    const marcas = findLabels(trozo.texto);
    const previo = trozo.texto.slice(0, marcas[0]?.desde).trim();
    if (previo !== '') loose.push({ ...trozo, texto: previo });
    for (const [i, { desde, hasta, campo }] of marcas.entries()) {
      const valor = trozo.texto.slice(hasta, marcas[i + 1]?.desde).trim();
      const { x, y, pagina } = trozo;
      const valores = valor === '' ? [] : [valor];
      pares.push({ ...trozo, x: x + desde * 0.01, campo, valores, valorX: x, hastaY: y, hastaPagina: pagina });
    }
  }
  return { pares, loose };
}

interface Marca {
  readonly desde: number;
  readonly hasta: number;
  readonly campo: Campo | null;
}

function findLabels(texto: string): Marca[] {
  const plano = withoutAccents(texto);
  const marcas = [...plano.matchAll(ETIQUETA)].map((m) => ({
    desde: m.index,
    hasta: m.index + m[0].length,
    campo: CAMPOS.get(m[0].replace(/ ?:$/, '')) ?? null,
  }));
  const otra = marcas[0]?.desde === 0 ? null : OTRA_ETIQUETA.exec(plano);
  if (otra !== null && otra[0].length <= (marcas[0]?.desde ?? plano.length)) {
    marcas.unshift({ desde: 0, hasta: otra[0].length, campo: null });
  }
  return marcas;
}

const firstEtiqueta = (texto: string): Marca | undefined => findLabels(texto)[0];

function ownerOf(trozo: Trozo, pares: readonly Par[]): Par | undefined {
  const anteriores = pares.filter((par) => par.linea <= trozo.linea);
  const junto = anteriores.findLast((par) => par.linea === trozo.linea && par.x < trozo.x);
  if (junto !== undefined) return junto;
  const above = anteriores.findLast((par) => Math.abs(par.valorX - trozo.x) <= DESFASE * trozo.cuerpo);
  if (above !== undefined) {
    const sigue = above.hastaPagina < trozo.pagina || trozo.y - above.hastaY <= RENGLON * trozo.cuerpo;
    if (sigue) return above;
  }
  return pares.find(
    (par) =>
      par.linea > trozo.linea &&
      par.pagina === trozo.pagina &&
      par.x < trozo.x &&
      par.y - trozo.y <= MEDIO_RENGLON * trozo.cuerpo,
  );
}

/** Letter by letter, so that positions stay the same. */
function withoutAccents(texto: string): string {
  return texto.normalize('NFC').replace(/[^\p{ASCII}]/gu, (letra) => {
    const base = letra.normalize('NFD').replace(/\p{M}/gu, '');
    return base.length === letra.length ? base : letra;
  });
}
