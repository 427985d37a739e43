import type { Constancia, DomicilioFiscal } from '@acuse/core';
import { readFechaConstancia } from '../fechas.ts';
import { ilegible, toForma } from '../texto.ts';

/** The values of a constancia by what they are, `''` for a label without value; whatever was not labelled is absent. */
type Campos = ReadonlyMap<Campo, string>;

export type Campo =
  | 'rfc'
  | 'curp'
  | 'nombres'
  | 'primerApellido'
  | 'segundoApellido'
  | 'razonSocial'
  | 'inicioOperaciones'
  | 'estatus'
  | 'ultimoCambio'
  | 'cp'
  | 'tipoVialidad'
  | 'vialidad'
  | 'numeroExterior'
  | 'numeroInterior'
  | 'colonia'
  | 'municipio'
  | 'entidad';

const CURP = /^[A-Z]{4}\d{6}[HMX][A-Z]{5}[A-Z\d]\d$/;
const SIN_VALOR = /^(?:S\/?N|SIN (?:NUMERO|NÚMERO)|-)?$/i;

/**
 * Data that page and document share, from their labelled values. Throws RESPUESTA_ILEGIBLE when a field is missing or
 * malformed.
 */
export function toDatos(
  campos: Campos,
): Pick<Constancia, 'curp' | 'nombre' | 'estatus' | 'fechaInicioOperaciones' | 'fechaUltimoCambio' | 'domicilio'> {
  const curp = campos.get('curp') ?? '';
  if (curp !== '' && !CURP.test(curp)) throw ilegible('constancia: CURP');
  const inicio = readFechaConstancia(required(campos, 'inicioOperaciones'));
  if (inicio === null) throw ilegible('constancia: inicio de operaciones');
  const cambio = campos.get('ultimoCambio') ?? '';
  const fechaUltimoCambio = cambio === '' ? null : readFechaConstancia(cambio);
  if (cambio !== '' && fechaUltimoCambio === null) throw ilegible('constancia: último cambio');
  return {
    curp: curp === '' ? null : curp,
    nombre: nombreDe(campos),
    estatus: readEstatus(required(campos, 'estatus')),
    fechaInicioOperaciones: inicio,
    fechaUltimoCambio,
    domicilio: domicilioDe(campos),
  };
}

/**
 * Of a legal person the name alone: a CFDI 4.0 is stamped only with the receiver's name as registered, without its
 * capital regime (Anexo 20, guide to filling in version 4.0, `Receptor.Nombre`).
 */
function nombreDe(campos: Campos): string {
  const moral = campos.has('razonSocial');
  if (moral === campos.has('nombres')) throw ilegible('constancia: nombre');
  if (moral) return required(campos, 'razonSocial');
  const partes = [required(campos, 'nombres'), campos.get('primerApellido'), campos.get('segundoApellido')];
  return partes.filter((parte) => parte !== undefined && parte !== '').join(' ');
}

/**
 * `REACTIVADO` and `SUSPENDIDO POR DEFUNCION` are states of the register, too; one that is not known is not guessed.
 */
function readEstatus(texto: string): Constancia['estatus'] {
  const palabra = /^\p{L}+/u.exec(texto.toUpperCase())?.[0];
  switch (palabra) {
    case 'ACTIVO':
    case 'REACTIVADO':
      return 'ACTIVO';
    case 'SUSPENDIDO':
      return 'SUSPENDIDO';
    case 'CANCELADO':
      return 'CANCELADO';
    default:
      throw ilegible('constancia: estatus');
  }
}

/** Every label must be there; a value may be empty. */
function domicilioDe(campos: Campos): DomicilioFiscal {
  for (const campo of ['cp', 'vialidad', 'municipio', 'entidad'] as const) {
    if (!campos.has(campo)) throw ilegible(`constancia: ${campo}`);
  }
  const valor = (campo: Campo) => campos.get(campo) ?? '';
  const cp = valor('cp');
  if (cp !== '' && !/^\d{5}$/.test(cp)) throw ilegible('constancia: código postal');
  return {
    calle: calleDe(valor('tipoVialidad'), valor('vialidad'), valor('numeroExterior'), valor('numeroInterior')),
    colonia: valor('colonia'),
    municipio: valor('municipio'),
    estado: valor('entidad'),
    cp,
  };
}

function calleDe(tipo: string, nombre: string, exterior: string, interior: string): string {
  const repetido = `${nombre} `.startsWith(`${tipo} `);
  const partes = [repetido ? '' : tipo, nombre, exterior, SIN_VALOR.test(interior) ? '' : `INT ${interior}`];
  return partes.filter((parte) => parte !== '').join(' ');
}

function required(campos: Campos, campo: Campo): string {
  const valor = campos.get(campo) ?? '';
  if (valor === '') throw ilegible(`constancia: ${campo}`);
  return valor;
}

/** Catalogue c_RegimenFiscal of CFDI 4.0 (SAT, Anexo 20), 609 and 629 to 630 of earlier editions included. */
const CATALOGO: Readonly<Record<string, string>> = {
  '601': 'General de Ley Personas Morales',
  '603': 'Personas Morales con Fines no Lucrativos',
  '605': 'Sueldos y Salarios e Ingresos Asimilados a Salarios',
  '606': 'Arrendamiento',
  '607': 'Régimen de Enajenación o Adquisición de Bienes',
  '608': 'Demás ingresos',
  '609': 'Consolidación',
  '610': 'Residentes en el Extranjero sin Establecimiento Permanente en México',
  '611': 'Ingresos por Dividendos (socios y accionistas)',
  '612': 'Personas Físicas con Actividades Empresariales y Profesionales',
  '614': 'Ingresos por intereses',
  '615': 'Régimen de los ingresos por obtención de premios',
  '616': 'Sin obligaciones fiscales',
  '620': 'Sociedades Cooperativas de Producción que optan por diferir sus ingresos',
  '621': 'Incorporación Fiscal',
  '622': 'Actividades Agrícolas, Ganaderas, Silvícolas y Pesqueras',
  '623': 'Opcional para Grupos de Sociedades',
  '624': 'Coordinados',
  '625': 'Régimen de las Actividades Empresariales con ingresos a través de Plataformas Tecnológicas',
  '626': 'Régimen Simplificado de Confianza',
  '628': 'Hidrocarburos',
  '629': 'De los Regímenes Fiscales Preferentes y de las Empresas Multinacionales',
  '630': 'Enajenación de acciones en bolsa de valores',
};

/** Wordings of constancias that differ from the catalogue by more than articles. */
const OTRAS_FORMAS: Readonly<Record<string, string>> = {
  'Sueldos y Salarios': '605',
  'Sueldos y Salarios e Ingresos Asimilados': '605',
  'Ingresos por Dividendos': '611',
  'Personas Físicas con Actividad Empresarial y Profesional': '612',
  'Actividades Empresariales y Profesionales': '612',
  'Ingresos por obtención de premios': '615',
  'Sociedades Cooperativas de Producción que optan por diferir sus ingresos para ISR': '620',
  'Plataformas Tecnológicas': '625',
  'Simplificado de Confianza Personas Físicas': '626',
  'Simplificado de Confianza Personas Morales': '626',
  'Enajenación de acciones en bolsas de valores': '630',
};

const CLAVES = new Map<string, string>([
  ...Object.entries(CATALOGO).map(([clave, nombre]): [string, string] => [toClave(nombre), clave]),
  ...Object.entries(OTRAS_FORMAS).map(([nombre, clave]): [string, string] => [toClave(nombre), clave]),
]);

/**
 * The code of c_RegimenFiscal for the name that a constancia gives, which puts `Régimen de las …` before the
 * catalogue's and sometimes `PM` behind. Letter case, accents, punctuation and articles do not count; everything else
 * must be the same. Null for any other name.
 */
export function claveDeRegimen(nombre: string): string | null {
  return CLAVES.get(toClave(nombre)) ?? null;
}

function toClave(nombre: string): string {
  return toForma(nombre)
    .replace(/[^a-z0-9]+/g, ' ')
    .trim()
    .replace(/^regimen /, '')
    .replace(/ p[mf]$/, '')
    .split(' ')
    .filter((palabra) => !['de', 'del', 'la', 'las', 'el', 'los'].includes(palabra))
    .join(' ');
}
