import { Hono } from 'hono';
import { attend } from '../web/http.ts';
import { type EdicionListado, NOMBRES_LISTADOS, type NombreListado, type RenglonListado } from '../world/listados.ts';
import { dayFirst, dayInWords } from '../world/texts.ts';
import { formatWallTime } from '../world/wall-time.ts';
import type { World } from '../world/world.ts';
import { answer, EOL, encodeAs, field, type Publicado, publicar } from './archivos.ts';

const DATOS_ABIERTOS = '/agsc-publicaciones/Datos_abiertos';
/** What a file of article 69 has, column by column. */
type Columna = readonly [titulo: string, valor: (renglon: RenglonListado, n: number) => string];

const RFC: Columna = ['RFC', ({ rfc }) => rfc];
const TIPO: Columna = ['TIPO PERSONA', ({ rfc }) => (rfc.length === 12 ? 'M' : 'F')];
const ENTIDADES = ['CIUDAD DE MEXICO', 'JALISCO', 'NUEVO LEON', 'YUCATAN', 'PUEBLA'];
const ENTIDAD: Columna = ['ENTIDAD FEDERATIVA', (_, n) => ENTIDADES[n % ENTIDADES.length] ?? ''];
const dia = ({ publicada }: RenglonListado) => dayFirst(formatWallTime(publicada));
/** One row of the real file of final credits gives neither kind nor reason. */
const isBlank = (n: number) => n % 211 === 17;

/** Headers as public repositories read them in August 2026: no two spellings of the same column agree. */
const DEL_69: readonly Columna[] = [
  RFC,
  ['RAZON SOCIAL', ({ nombre }) => nombre],
  ['TIPO PERSONA', (renglon, n) => (isBlank(n) ? '' : TIPO[1](renglon, n))],
  ['SUPUESTO', ({ supuesto }, n) => (isBlank(n) ? '' : supuesto)],
  ['FECHA DE PRIMERA PUBLICACION', dia],
  ENTIDAD,
];
const COLUMNAS: Readonly<Record<Exclude<NombreListado, 'Listado_69_B_Bis_Completo.csv'>, readonly Columna[]>> = {
  'Firmes.csv': DEL_69,
  'Exigibles.csv': DEL_69,
  'No_localizados.csv': DEL_69,
  'Cancelados.csv': [
    ...[
      RFC,
      ['RAZON SOCIAL', ({ nombre }) => nombre] as Columna,
      TIPO,
      ['SUPUESTO', ({ supuesto }) => supuesto] as Columna,
    ],
    ['FECHA DE CANCELACION', dia],
    ['MONTO ', (_, n) => ((n * 7_919) % 2_000_000).toLocaleString('en-US')],
    ['FECHA DE PUBLICACION', dia],
    ENTIDAD,
  ],
  'ReduccionArt74CFF.csv': DEL_69,
  'Sentencias.csv': [
    ...[
      RFC,
      ['RAZÓN SOCIAL', ({ nombre }) => nombre] as Columna,
      TIPO,
      ['SUPUESTO', ({ supuesto }) => supuesto] as Columna,
    ],
    ['FECHAS DE PRIMERA PUBLICACION', dia],
    ENTIDAD,
  ],
  'EntespublicosydeGobiernoomisos.csv': [
    ...[RFC, ['RAZON SOCIAL', ({ nombre }) => nombre] as Columna, ['SUPUESTO', ({ supuesto }) => supuesto] as Columna],
    ['EJERCICIO', (renglon) => dia(renglon).slice(-4)],
    ['PERIODO', (_, n) => String(1 + (n % 12))],
    ENTIDAD,
  ],
  'CSDsinefectos.csv': [
    ...[RFC, ['NOMBRE O RAZON SOCIAL', ({ nombre }) => nombre] as Columna],
    ['SUPUESTO DE CANCELACION CSD', ({ supuesto }) => supuesto],
    ['FECHA DE CANCELACION CSD', dia],
    ['FECHA DE PRIMERA PUBLICACION', dia],
    ['NUMERO', (_, n) => String(n + 1)],
  ],
};

const BIS = [
  ...['No.', 'RFC', 'Nombre del Contribuyente', 'Situación del contribuyente'],
  ...['Número y fecha de oficio global definitivo SAT', 'Publicación página SAT definitivo'],
  ...['Número y fecha de oficio global definitivo DOF', 'Publicación DOF definitivo'],
  'Número y fecha de oficio global de sentencia favorable SAT',
  'Publicación página SAT sentencia favorable',
  'Número y fecha de oficio global de sentencia favorable DOF',
  'Publicación DOF sentencia favorable',
];

function linesOf(nombre: NombreListado, { registros, publicada }: EdicionListado): string[] {
  if (nombre !== 'Listado_69_B_Bis_Completo.csv') {
    const columnas = COLUMNAS[nombre];
    const row = (renglon: RenglonListado, n: number) => columnas.map(([, valor]) => field(valor(renglon, n))).join(',');
    return [columnas.map(([titulo]) => titulo).join(','), ...registros.map(row)];
  }
  const tail = ','.repeat(BIS.length - 1);
  const cut = dayInWords(publicada.toISOString()).replace(/^0/, '');
  const rows = registros.map((renglon, n) => {
    const oficio = `900-04-00-00-00-2024-${80 + n} de 25 de enero de 2024`;
    const paso = [oficio, dia(renglon), oficio, dia(renglon)];
    const none = ['', '', '', ''];
    const pasos = renglon.supuesto === 'Definitivo' ? [...paso, ...none] : [...none, ...paso];
    return [String(n + 1), renglon.rfc, renglon.nombre, renglon.supuesto, ...pasos].map(field).join(',');
  });
  return [
    field(`Información actualizada al ${cut}; los listados son públicos, y se consultan en el portal.`) + tail,
    `Listado completo de contribuyentes (Artículo 69-B Bis del CFF)${tail}`,
    BIS.join(','),
    ...rows,
  ];
}

/** The files beside the list of article 69-B, at their addresses of 2026. */
export function createListados(world: World): Hono {
  const rendered = new Map<NombreListado, { edicion: EdicionListado; codificacion: string; archivo: Publicado }>();
  const publish = (nombre: NombreListado): Publicado => {
    const edicion = world.listados.vigente(nombre);
    const { codificacion_listas: codificacion } = world.settings;
    const known = rendered.get(nombre);
    if (known?.edicion === edicion && known.codificacion === codificacion) return known.archivo;
    const bytes = encodeAs(codificacion, linesOf(nombre, edicion).join(EOL) + EOL);
    const archivo = publicar(bytes, edicion.publicada);
    rendered.set(nombre, { edicion, codificacion, archivo });
    return archivo;
  };
  const app = new Hono();
  for (const nombre of NOMBRES_LISTADOS) {
    const folder = nombre === 'Listado_69_B_Bis_Completo.csv' ? 'Documents_AGGC' : 'Documents_AGR';
    app.get(`${DATOS_ABIERTOS}/${folder}/${nombre}`, (c) =>
      attend(world, { service: 'wu1agsprosta001', operation: nombre, rfc: '' }, () => answer(c, publish(nombre))),
    );
  }
  return app;
}
