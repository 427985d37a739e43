import type { Perfil } from '../../world/taxpayers/perfil.ts';
import { longDate } from './fechas.ts';

/** A label with its colon, and the value. */
export type Campo = readonly [etiqueta: string, valor: string];

/**
 * "Datos de Identificación del Contribuyente", one field a line. The trade name is last for natural persons, fourth for
 * legal ones.
 */
export function identificacion(rfc: string, perfil: Perfil): Campo[] {
  const comercial: Campo = ['Nombre Comercial:', ''];
  const situacion: Campo[] = [
    ['Fecha inicio de operaciones:', longDate(perfil.inicioOperaciones)],
    ['Estatus en el padrón:', perfil.estatus],
    ['Fecha de último cambio de estado:', longDate(perfil.ultimoCambio)],
  ];
  if (perfil.tipoPersona === 'moral') {
    return [
      ['RFC:', rfc],
      ['Denominación/Razón Social:', perfil.nombre],
      ['Régimen Capital:', perfil.regimenCapital ?? ''],
      comercial,
      ...situacion,
    ];
  }
  return [
    ['RFC:', rfc],
    ['CURP:', perfil.curp ?? ''],
    ['Nombre (s):', perfil.nombres ?? ''],
    ['Primer Apellido:', perfil.apellidoPaterno ?? ''],
    ['Segundo Apellido:', perfil.apellidoMaterno ?? ''],
    ...situacion,
    comercial,
  ];
}

/** "Datos del domicilio registrado", two fields a line. Where a label has no value the next one follows at once. */
export function domicilio({ domicilio: d }: Perfil): Campo[] {
  const [entre = '', y = ''] = d.entreCalles.split(' Y ');
  return [
    ['Código Postal:', d.cp],
    ['Tipo de Vialidad:', d.tipoVialidad],
    ['Nombre de Vialidad:', d.vialidad],
    ['Número Exterior:', d.numeroExterior],
    ['Número Interior:', d.numeroInterior],
    ['Nombre de la Colonia:', d.colonia],
    ['Nombre de la Localidad:', d.localidad],
    ['Nombre del Municipio o Demarcación Territorial:', d.municipio],
    ['Nombre de la Entidad Federativa:', d.entidad],
    ['Entre Calle:', entre],
    ['Y Calle:', y],
  ];
}
