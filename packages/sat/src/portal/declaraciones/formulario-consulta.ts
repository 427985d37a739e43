import { SatError } from '@acuse/core';
import { toForma } from '../../texto/forma.ts';
import type { Etiqueta } from '../paginas/etiquetas.ts';
import { readCampos, readFormularios } from '../paginas/formulario.ts';
import { ilegible } from '../paginas/ilegible.ts';
import { type Lista, type Opcion, readListas } from '../paginas/opciones.ts';

/** The search form of the portal: what it sends for a fiscal year, one list of fields for each query. */
export interface FormularioConsulta {
  readonly ejercicios: readonly string[];
  consultasDe(ejercicio: string): readonly (readonly (readonly [string, string])[])[];
}

const MAX_CONSULTAS = 60;
/**
 * The periods of a kind, which a script fills in once the kind is chosen: the months (soycontadorAI/sat-dm,
 * declaraciones.py) and the quarters (public scripts for the form of `ConfigDeclaracion.aspx`). Those of the other
 * kinds are in no public source.
 */
const PERIODOS: ReadonlyMap<string, readonly string[]> = new Map([
  ['M', claves(1, 12)],
  ['T', claves(13, 16)],
]);
/** Options that choose nothing, or everything. */
const COMODIN_VALOR = /^(?:|-1|0+)$/;
const COMODIN_TEXTO = /^(?:-*|-*\s*(?:seleccion|elija|elige|escoge|sin seleccion|tod[oa]s?\b).*)$/;

/**
 * Reads `#IdDeclaracion`, `#Ejercicio`, `#Periodicidad` and `#Periodo` of the page `/Consulta/Consulta`. A query is a
 * form type with a kind and one of its periods, as a person fills them in; the whole year, with neither chosen, is
 * asked for the kinds whose periods nobody has told (public clients search both ways). Throws RESPUESTA_ILEGIBLE for a
 * page without these lists, or with more to ask than any taxpayer files.
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
      campos.push([[ejercicio.nombre, anio]]);
      const nombrePeriodo = periodo?.nombre ?? 'Periodo';
      const offered = new Set((periodo === undefined ? [] : reales(periodo)).map(({ valor }) => valor));
      const kinds = tipos.flatMap((tipo): Par[][] => {
        const periodos = PERIODOS.get(tipo.valor)?.filter((clave) => offered.size === 0 || offered.has(clave));
        return (periodos ?? []).map((clave) => [
          [periodicidad.nombre, tipo.valor],
          [nombrePeriodo, clave],
        ]);
      });
      const wholeYear: Par[] = [
        [periodicidad.nombre, ''],
        [nombrePeriodo, ''],
      ];
      const all = tipos.every(({ valor }) => PERIODOS.has(valor)) ? kinds : [wholeYear, ...kinds];
      const consultas = cross(campos).flatMap((fields) => all.map((kind) => [...fields, ...kind]));
      if (consultas.length > MAX_CONSULTAS) throw ilegible('declaraciones: demasiados periodos');
      return consultas;
    },
  };
}

/** For a year that a portal does not have. */
export function rejectEjercicio(ejercicio: number): SatError {
  return new SatError('PETICION_RECHAZADA', {
    codigo: 'EJERCICIO',
    detalle: `el portal no tiene ${ejercicio}`,
  });
}

/** The return itself; 3 is its acknowledgement of receipt, of the same returns. */
export const TIPO_DOCUMENTO = '1';

type Par = readonly [string, string];

/** Every combination of the alternatives of each field. */
function cross(campos: readonly (readonly Par[])[]): Par[][] {
  return campos.reduce<Par[][]>(
    (consultas, alternativas) =>
      consultas.flatMap((hecha) => alternativas.slice(0, MAX_CONSULTAS).map((par) => [...hecha, par])),
    [[]],
  );
}

/** The keys of consecutive periods: three digits each. */
function claves(desde: number, hasta: number): readonly string[] {
  return Array.from({ length: hasta - desde + 1 }, (_, i) => String(desde + i).padStart(3, '0'));
}

/** A list without anything to choose sends what a browser would. */
function toPares({ nombre, opciones }: Lista, elegidas: readonly Opcion[]): readonly Par[] {
  const valores = elegidas.length > 0 ? elegidas : opciones.slice(0, 1);
  return valores.length === 0 ? [[nombre, '']] : valores.map(({ valor }): Par => [nombre, valor]);
}

/** The choices that choose something. */
export function reales({ opciones }: Lista): readonly Opcion[] {
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
    readListas(etiquetas).map(({ id, nombre, opciones }) => [id || nombre, { id, nombre: nombre || id, opciones }]),
  );
}

function isEjercicio(etiqueta: Etiqueta): boolean {
  return (
    etiqueta.nombre === 'select' &&
    /ejercicio$/i.test(etiqueta.atributos.get('id') ?? etiqueta.atributos.get('name') ?? '')
  );
}

function isOculto(etiqueta: Etiqueta): boolean {
  return etiqueta.nombre === 'input' && etiqueta.atributos.get('type')?.trim().toLowerCase() === 'hidden';
}
