/** A tax regime with what it brings: an economic activity, obligations and when each is due. */
export type Regimen = {
  clave: string;
  nombre: string;
  /** No taxpayer is in it before this day. */
  existeDesde: string;
  actividad: string;
  obligaciones: readonly (readonly [descripcion: string, vencimiento: string])[];
};

const MENSUAL = 'A más tardar el día 17 del mes inmediato posterior al periodo que corresponda.';
const ANUAL_MORAL = 'Dentro de los tres meses siguientes al cierre del ejercicio.';
const ANUAL_FISICA = 'A más tardar el 30 de abril del ejercicio siguiente.';
const IVA = ['Pago definitivo mensual de IVA.', MENSUAL] as const;

const GENERAL: Regimen = {
  clave: '601',
  nombre: 'Régimen General de Ley Personas Morales',
  existeDesde: '1981-01-01',
  actividad: 'Comercio al por mayor de equipo y accesorios de cómputo',
  obligaciones: [
    ['Declaración anual de ISR del ejercicio Personas morales.', ANUAL_MORAL],
    ['Pago provisional mensual de ISR personas morales régimen general', MENSUAL],
    IVA,
    ['Entero de retenciones mensuales de ISR por sueldos y salarios', MENSUAL],
  ],
};
const NO_LUCRATIVO: Regimen = {
  clave: '603',
  nombre: 'Personas Morales con Fines no Lucrativos',
  existeDesde: '1981-01-01',
  actividad: 'Asociaciones y organizaciones civiles',
  obligaciones: [
    [
      'Declaración informativa anual de personas morales con fines no lucrativos',
      'A más tardar el 15 de febrero del año siguiente.',
    ],
  ],
};
const RESICO_MORAL: Regimen = {
  clave: '626',
  nombre: 'Régimen Simplificado de Confianza',
  existeDesde: '2022-01-01',
  actividad: 'Servicios de consultoría en computación',
  obligaciones: [
    ['Pago provisional mensual de ISR personas morales Régimen Simplificado de Confianza', MENSUAL],
    ['Declaración anual de ISR Régimen Simplificado de Confianza. Personas morales', ANUAL_MORAL],
    IVA,
  ],
};
const RESICO_FISICA: Regimen = {
  ...RESICO_MORAL,
  obligaciones: [
    ['Ajuste anual de ISR. Régimen Simplificado de Confianza', ANUAL_FISICA],
    ['Pago mensual de ISR. Régimen Simplificado de Confianza', MENSUAL],
    IVA,
  ],
};
const SUELDOS: Regimen = {
  clave: '605',
  nombre: 'Régimen de Sueldos y Salarios e Ingresos Asimilados a Salarios',
  existeDesde: '1981-01-01',
  actividad: 'Asalariado',
  obligaciones: [],
};
const ARRENDAMIENTO: Regimen = {
  clave: '606',
  nombre: 'Régimen de Arrendamiento',
  existeDesde: '1981-01-01',
  actividad: 'Alquiler de viviendas no amuebladas',
  obligaciones: [
    ['Pago provisional mensual de ISR por arrendamiento de inmuebles', MENSUAL],
    ['Declaración anual de ISR. Personas Físicas.', ANUAL_FISICA],
  ],
};
const EMPRESARIAL: Regimen = {
  clave: '612',
  nombre: 'Régimen de las Personas Físicas con Actividades Empresariales y Profesionales',
  existeDesde: '2002-01-01',
  actividad: 'Servicios de contabilidad y auditoría',
  obligaciones: [
    [
      'Pago provisional mensual de ISR por actividades empresariales. Régimen de Actividades Empresariales y Profesionales',
      MENSUAL,
    ],
    ['Declaración anual de ISR. Personas Físicas.', ANUAL_FISICA],
    IVA,
  ],
};

export const SIN_OBLIGACIONES: Regimen = {
  clave: '616',
  nombre: 'Sin obligaciones fiscales',
  existeDesde: '1981-01-01',
  actividad: 'Sin actividad económica',
  obligaciones: [],
};

type Choices = readonly [readonly Regimen[], ...(readonly Regimen[])[]];

export const REGIMENES_MORAL: Choices = [[GENERAL], [GENERAL], [RESICO_MORAL], [NO_LUCRATIVO]];
export const REGIMENES_FISICA: Choices = [
  [EMPRESARIAL],
  [RESICO_FISICA],
  [SUELDOS],
  [SUELDOS, EMPRESARIAL],
  [ARRENDAMIENTO, SUELDOS],
];

type Lugar = {
  entidad: string;
  municipio: string;
  localidad: string;
  colonia: string;
  cp: string;
  administracion: string;
};

/** Places whose parts belong together. */
export const LUGARES: readonly [Lugar, ...Lugar[]] = [
  lugar('CIUDAD DE MEXICO', 'CUAUHTEMOC', 'CUAUHTEMOC', 'GUERRERO', '06300', 'DISTRITO FEDERAL 1'),
  lugar('CIUDAD DE MEXICO', 'COYOACAN', 'COYOACAN', 'DEL CARMEN', '04100', 'DISTRITO FEDERAL 3'),
  lugar('JALISCO', 'ZAPOPAN', 'ZAPOPAN', 'CIUDAD GRANJA', '45010', 'JALISCO 2'),
  lugar('NUEVO LEON', 'MONTERREY', 'MONTERREY', 'OBISPADO', '64060', 'NUEVO LEON 1'),
  lugar('YUCATAN', 'MERIDA', 'MERIDA', 'GARCIA GINERES', '97070', 'YUCATAN 1'),
  lugar('QUERETARO', 'QUERETARO', 'SANTIAGO DE QUERETARO', 'PEÑA BLANCA', '76140', 'QUERETARO 1'),
  lugar('GUANAJUATO', 'LEON', 'LEON DE LOS ALDAMA', 'ESPAÑITA', '37020', 'GUANAJUATO 2'),
  lugar('PUEBLA', 'PUEBLA', 'HEROICA PUEBLA DE ZARAGOZA', 'LA PAZ', '72160', 'PUEBLA 1'),
];

export const TIPOS_VIALIDAD: readonly [string, ...string[]] = ['CALLE', 'AVENIDA', 'BOULEVARD', 'CALZADA', 'PRIVADA'];

export const VIALIDADES: readonly [string, ...string[]] = [
  'INDEPENDENCIA',
  'DE LOS ÑANDUES',
  '16 DE SEPTIEMBRE',
  'PASEO DEL ROBLE',
  'GENERAL IGNACIO ZARAGOZA',
  'NORTE 45',
  'DEL FERROCARRIL & CANAL',
];

function lugar(
  entidad: string,
  municipio: string,
  localidad: string,
  colonia: string,
  cp: string,
  administracion: string,
): Lugar {
  return { entidad, municipio, localidad, colonia, cp, administracion };
}
