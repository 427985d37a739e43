import type { Perfil } from '../world/taxpayers/perfil.ts';
import { dayFirst } from '../world/texts.ts';
import type { Linea, Seccion } from './qr-table.ts';

/** What the page says of a taxpayer, in the SAT's order and with its labels. It has no obligations. */
export function secciones(perfil: Perfil): Seccion[] {
  return [
    { titulo: 'Datos de Identificación', lineas: [...identificacion(perfil), ...situacion(perfil)] },
    { titulo: 'Datos de Ubicación (domicilio fiscal, vigente)', lineas: ubicacion(perfil) },
    { titulo: 'Características fiscales (vigente)', lineas: caracteristicas(perfil) },
  ];
}

function identificacion(perfil: Perfil): Linea[] {
  if (perfil.tipoPersona === 'moral') {
    return [
      ['Denominación o Razón Social:', perfil.nombre],
      ['Régimen de capital:', abbreviate(perfil.regimenCapital ?? '')],
      ['Fecha de constitución:', dayFirst(perfil.fechaConstitucion, '-')],
    ];
  }
  return [
    ['CURP:', perfil.curp ?? ''],
    ['Nombre:', perfil.nombres ?? ''],
    ['Apellido Paterno:', perfil.apellidoPaterno ?? ''],
    ['Apellido Materno:', perfil.apellidoMaterno ?? ''],
    ['Fecha Nacimiento:', dayFirst(perfil.fechaNacimiento, '-')],
  ];
}

function situacion({ inicioOperaciones, estatus, ultimoCambio }: Perfil): Linea[] {
  return [
    ['Fecha de Inicio de operaciones:', dayFirst(inicioOperaciones, '-')],
    ['Situación del contribuyente:', estatus],
    ['Fecha del último cambio de situación:', dayFirst(ultimoCambio, '-')],
  ];
}

/**
 * An address without colonia shows its localidad in the same place (phpcfdi/csf-scraper,
 * tests/_files/scrap_moral_without_colonia.html).
 */
function ubicacion({ domicilio, email }: Perfil): Linea[] {
  const { colonia, localidad } = domicilio;
  return [
    ['Entidad Federativa:', domicilio.entidad],
    ['Municipio o delegación:', domicilio.municipio],
    colonia === '' ? ['Localidad:', localidad] : ['Colonia:', colonia],
    ['Tipo de vialidad:', domicilio.tipoVialidad],
    ['Nombre de la vialidad:', domicilio.vialidad],
    ['Número exterior:', domicilio.numeroExterior],
    ['Número interior:', domicilio.numeroInterior],
    ['CP:', domicilio.cp],
    ['Correo electrónico:', email],
    ['AL:', domicilio.administracion],
  ];
}

function caracteristicas({ regimenes }: Perfil): Linea[] {
  return regimenes.flatMap(({ nombre, desde }): Linea[] => [
    ['Régimen:', nombre],
    ['Fecha de alta:', dayFirst(desde, '-')],
  ]);
}

/** The page abbreviates the capital regime that the PDF writes out: SA DE CV. */
function abbreviate(regimenCapital: string): string {
  return regimenCapital
    .replace('SOCIEDAD ANONIMA', 'SA')
    .replace('SOCIEDAD DE RESPONSABILIDAD LIMITADA', 'S DE RL')
    .replace('CAPITAL VARIABLE', 'CV');
}
