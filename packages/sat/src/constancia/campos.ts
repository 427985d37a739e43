import { type Constancia, type DomicilioFiscal, SatError } from '@acuse/core';
import { readFecha } from './fechas.ts';

/** The values of a constancia by what they are, `''` for a label without value; whatever was not labelled is absent. */
export type Campos = ReadonlyMap<Campo, string>;

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
 * What both the page and the document say, once their labels are told apart. Throws RESPUESTA_ILEGIBLE when a field is
 * missing or malformed.
 */
export function toDatos(
  campos: Campos,
): Pick<Constancia, 'curp' | 'nombre' | 'estatus' | 'fechaInicioOperaciones' | 'fechaUltimoCambio' | 'domicilio'> {
  const curp = campos.get('curp') ?? '';
  if (curp !== '' && !CURP.test(curp)) throw unreadable('CURP');
  const inicio = readFecha(required(campos, 'inicioOperaciones'));
  if (inicio === null) throw unreadable('inicio de operaciones');
  const cambio = campos.get('ultimoCambio') ?? '';
  const fechaUltimoCambio = cambio === '' ? null : readFecha(cambio);
  if (cambio !== '' && fechaUltimoCambio === null) throw unreadable('último cambio');
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
  if (moral === campos.has('nombres')) throw unreadable('nombre');
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
      throw unreadable('estatus');
  }
}

/** Every label must be there; a value may be empty. */
function domicilioDe(campos: Campos): DomicilioFiscal {
  for (const campo of ['cp', 'vialidad', 'municipio', 'entidad'] as const) {
    if (!campos.has(campo)) throw unreadable(campo);
  }
  const valor = (campo: Campo) => campos.get(campo) ?? '';
  const cp = valor('cp');
  if (cp !== '' && !/^\d{5}$/.test(cp)) throw unreadable('código postal');
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
  if (valor === '') throw unreadable(campo);
  return valor;
}

export function unreadable(detalle: string): SatError {
  return new SatError('RESPUESTA_ILEGIBLE', { detalle: `constancia: ${detalle}` });
}
