import { toForma } from '../../texto/forma.ts';
import { type Etiqueta, readAtributo } from '../paginas/etiquetas.ts';
import { readCampos, readFormularios } from '../paginas/formulario.ts';
import { ilegible } from '../paginas/ilegible.ts';
import { type Lista, type Opcion, readListas } from '../paginas/opciones.ts';

/** The search form of the portal: what it sends for a fiscal year, one list of fields for each query. */
export interface FormularioConsulta {
  readonly ejercicios: readonly string[];
  consultasDe(ejercicio: string): readonly (readonly (readonly [string, string])[])[];
}

const MAX_CONSULTAS = 60;
/** Options that choose nothing, or everything. */
const COMODIN_VALOR = /^(?:|-1|0+)$/;
const COMODIN_TEXTO = /^(?:-*|-*\s*(?:seleccion|elija|elige|escoge|sin seleccion|tod[oa]s?\b).*)$/;

/**
 * Reads `#IdDeclaracion`, `#Ejercicio`, `#Periodicidad` and `#Periodo` of the page `/Consulta/Consulta`. A query is a form type and a period
 * kind with every period, as the page sends it when no period is chosen; a page that only offers single periods is asked for each.
 * Throws RESPUESTA_ILEGIBLE for a page without them, or with more to ask than any taxpayer files.
 */
export function readFormularioConsulta(etiquetas: readonly Etiqueta[]): FormularioConsulta {
  const listas = listasDe(etiquetas);
  const ejercicio = only(listas, /ejercicio$/i, 'Ejercicio');
  const periodicidad = only(listas, /periodicidad$/i, 'Periodicidad');
  const declaracion = listas.get(keyOf(listas, /declaracion$/i) ?? '');
  const periodo = listas.get(keyOf(listas, /periodo$/i) ?? '');
  const formulario = readFormularios(etiquetas).find((f) => f.etiquetas.some(isEjercicio));
  const fijos = readCampos((formulario?.etiquetas ?? etiquetas).filter(isOculto));
  const tipos = reales(periodicidad);
  if (tipos.length === 0) throw ilegible('declaraciones: sin periodicidades');

  return {
    ejercicios: reales(ejercicio).map(({ valor }) => valor),
    consultasDe(anio) {
      const campos: (readonly Par[])[] = [...fijos].map((par) => [par]);
      if (!fijos.has('tipoDocumento')) campos.push([['tipoDocumento', TIPO_DOCUMENTO]]);
      if (declaracion !== undefined) campos.push(toPares(declaracion, reales(declaracion)));
      campos.push([[ejercicio.nombre, anio]], toPares(periodicidad, tipos));
      if (periodo !== undefined) campos.push(toPares(periodo, periodosDe(periodo)));
      return cross(campos);
    },
  };
}

/** The return itself; 3 is its acknowledgement of receipt, of the same returns. */
export const TIPO_DOCUMENTO = '1';

type Par = readonly [string, string];

/** Every combination of the alternatives of each field. */
function cross(campos: readonly (readonly Par[])[]): Par[][] {
  let consultas: Par[][] = [[]];
  for (const alternativas of campos) {
    consultas = consultas.flatMap((hecha) => alternativas.map((par) => [...hecha, par]));
    if (consultas.length > MAX_CONSULTAS) throw ilegible('declaraciones: demasiados periodos');
  }
  return consultas;
}

/** No period chosen means all of them; only when there is no such choice is each one asked for. */
function periodosDe({ opciones }: Lista): readonly Opcion[] {
  const comodin = opciones.find((opcion) => !isReal(opcion));
  return comodin === undefined ? opciones : [comodin];
}

/** A list without anything to choose sends what a browser would. */
function toPares({ nombre, opciones }: Lista, elegidas: readonly Opcion[]): readonly Par[] {
  const valores = elegidas.length > 0 ? elegidas : opciones.slice(0, 1);
  return valores.length === 0 ? [[nombre, '']] : valores.map(({ valor }): Par => [nombre, valor]);
}

function reales({ opciones }: Lista): readonly Opcion[] {
  return opciones.filter(isReal);
}

function isReal({ valor, texto }: Opcion): boolean {
  return !COMODIN_VALOR.test(valor) && !COMODIN_TEXTO.test(toForma(texto));
}

function keyOf(listas: ReadonlyMap<string, Lista>, id: RegExp): string | undefined {
  return [...listas.keys()].find((clave) => id.test(clave));
}

function only(listas: ReadonlyMap<string, Lista>, id: RegExp, nombre: string): Lista {
  const lista = listas.get(keyOf(listas, id) ?? '');
  if (lista === undefined) throw ilegible(`declaraciones: sin ${nombre}`);
  return lista;
}

/** The lists of the page by their id: a browser's script enables `#Periodo` once a period kind is chosen. */
function listasDe(etiquetas: readonly Etiqueta[]): ReadonlyMap<string, Lista> {
  return new Map(
    readListas(etiquetas).map(({ id, nombre, opciones }) => [
      id || nombre,
      { id, nombre: nombre || id, opciones },
    ]),
  );
}

function isEjercicio(etiqueta: Etiqueta): boolean {
  return (
    etiqueta.nombre === 'select' &&
    /ejercicio$/i.test(readAtributo(etiqueta, 'id') ?? readAtributo(etiqueta, 'name') ?? '')
  );
}

function isOculto(etiqueta: Etiqueta): boolean {
  return etiqueta.nombre === 'input' && readAtributo(etiqueta, 'type')?.trim().toLowerCase() === 'hidden';
}
