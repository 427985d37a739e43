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
