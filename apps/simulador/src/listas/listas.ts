import { type Context, Hono } from 'hono';
import { attend, encode, originOf } from '../web/http.ts';
import { type Edicion, type Paso, type Registro, situacionOf } from '../world/listado69b.ts';
import { SITUACIONES_69B, type Situacion69B } from '../world/magia/catalogo.ts';
import { dayFirst, dayInWords } from '../world/texts.ts';
import { formatWallTime, type WallTime } from '../world/wall-time.ts';
import type { World } from '../world/world.ts';
import { answer, EOL, encodeAs, field, type Publicado, publicar } from './archivos.ts';
import { createListados } from './listados.ts';

type Archivo = { nombre: string; titulo: string; situacion: Situacion69B | null; vacias: number };

const COMPLETO: Archivo = {
  nombre: 'Listado_completo_69-B.csv',
  titulo: 'Listado completo de contribuyentes (Artículo 69-B del CFF)',
  situacion: null,
  vacias: 0,
};
/** The files of the list, by the names that they have at the address of 2026. */
const ARCHIVOS: readonly Archivo[] = [
  COMPLETO,
  parte('Definitivos.csv', 'Definitivo', 0),
  parte('Presuntos.csv', 'Presunto', 3),
  parte('Desvirtuados.csv', 'Desvirtuado', 0),
  parte('SentenciasFavorables.csv', 'Sentencia Favorable', 0),
];
const CARPETA = '/agsc-publicaciones/Datos_abiertos/Documents_AGAFF';

/**
 * The files of the list of article 69-B: `wu1agsprosta001` has those in force, and the other lists; `omawww` has the
 * complete one as it was on 2025-12-31, and `www` the index page with the day of the cut. ETag and Last-Modified are honoured with 304.
 */
export function createListas(world: World): { wu1agsprosta001: Hono; omawww: Hono; www: Hono } {
  const rendered = new WeakMap<Edicion, Map<string, Publicado>>();
  let frozen: Edicion | undefined;
  const publish = (edicion: Edicion, archivo: Archivo): Publicado => {
    const files = rendered.get(edicion) ?? new Map<string, Publicado>();
    rendered.set(edicion, files);
    const { codificacion_listas: codificacion } = world.settings;
    const key = `${codificacion} ${archivo.nombre}`;
    const known = files.get(key);
    if (known) return known;
    const file = publicar(encodeAs(codificacion, render(edicion, archivo)), edicion.publicada);
    files.set(key, file);
    return file;
  };
  const serve = (c: Context, service: string, edicion: () => Edicion, archivo: Archivo) =>
    attend(world, { service, operation: archivo.nombre, rfc: '' }, () => answer(c, publish(edicion(), archivo)));

  const wu1agsprosta001 = createListados(world);
  for (const archivo of ARCHIVOS) {
    const path = `${CARPETA}/${archivo.nombre}`;
    wu1agsprosta001.get(path, (c) => serve(c, 'wu1agsprosta001', world.listado69b.vigente, archivo));
  }
  const omawww = new Hono().get('/cifras_sat/Documents/Listado_Completo_69-B.csv', (c) =>
    serve(
      c,
      'omawww',
      () => {
        frozen ??= world.listado69b.congelada();
        return frozen;
      },
      COMPLETO,
    ),
  );
  const www = new Hono().get('/minisitio/DatosAbiertos/contribuyentes_publicados.html', (c) =>
    attend(world, { service: 'www', operation: 'contribuyentes_publicados.html', rfc: '' }, () => {
      const base = `${originOf(c)}/wu1agsprosta001${CARPETA}`;
      const { corte } = world.listado69b.vigente();
      return c.html(
        indexPage(
          corte,
          ARCHIVOS.map(({ nombre, titulo }) => ({ titulo, href: `${base}/${nombre}` })),
        ),
      );
    }),
  );
  return { wu1agsprosta001, omawww, www };
}

function parte(nombre: string, situacion: Situacion69B, vacias: number): Archivo {
  return { nombre, situacion, vacias, titulo: `Listado de contribuyentes (Artículo 69-B del CFF): ${situacion}` };
}

function render({ corte, registros }: Edicion, { titulo, situacion, vacias }: Archivo): string {
  const own = situacion === null ? registros : registros.filter((each) => situacionOf(each) === situacion);
  return writeCsv({ titulo, corte, registros: own, numero: situacion === null ? 'No' : 'No.', vacias });
}

/** The page of open data that links the files; the day of the cut is in its text. */
function indexPage(corte: WallTime, archivos: readonly { titulo: string; href: string }[]): string {
  const links = archivos.map(({ titulo, href }) => `<li><a href="${encode(href)}">${encode(titulo)}</a></li>`);
  return `<!DOCTYPE html>
<html lang="es">
<head><meta charset="utf-8"><title>Datos abiertos: contribuyentes publicados</title></head>
<body>
<h1>Contribuyentes publicados</h1>
<h2>Artículo 69-B del Código Fiscal de la Federación</h2>
<p>Información actualizada al ${dayInWords(formatWallTime(corte)).replace(/^0/, '')}</p>
<ul>
${links.join('\n')}
</ul>
</body>
</html>
`;
}

const COLUMNS = [
  'RFC',
  'Nombre del Contribuyente',
  'Situación del contribuyente',
  'Número y fecha de oficio global de presunción SAT',
  'Publicación página SAT presuntos',
  'Número y fecha de oficio global de presunción DOF',
  'Publicación DOF presuntos',
  'Número y fecha de oficio global de contribuyentes que desvirtuaron SAT',
  'Publicación página SAT desvirtuados',
  'Número y fecha de oficio global de contribuyentes que desvirtuaron DOF',
  'Publicación DOF desvirtuados',
  'Número y fecha de oficio global de definitivos SAT',
  'Publicación página SAT definitivos',
  'Número y fecha de oficio global de definitivos DOF',
  'Publicación DOF definitivos',
  'Número y fecha de oficio global de sentencia favorable SAT',
  'Publicación página SAT sentencia favorable',
  'Número y fecha de oficio global de sentencia favorable DOF',
  'Publicación DOF sentencia favorable',
];
const WIDTH = COLUMNS.length + 1;
const MASK = 'XXXXXXXXXXXX';
const MASKED_NAME = 'Información suprimida por orden de autoridad competente';
/** Lines of commas alone that the public file has after its rows. */
const FILLERS = 3;

type CsvOptions = {
  titulo: string;
  corte: WallTime;
  registros: readonly Registro[];
  numero: string;
  /** Empty columns after the twentieth. */
  vacias: number;
};

/**
 * A file of the list as the SAT writes it: windows-1252, CRLF, two lines of preamble, 20 columns, the situation
 * Desvirtuado now and then with a blank behind it, and lines of commas alone at the end. Source: descriptions of the
 * files of August 2026 in public repositories.
 */
function writeCsv({ titulo, corte, registros, numero, vacias }: CsvOptions): string {
  const tail = ','.repeat(vacias);
  const preamble = `Información actualizada al ${dayInWords(formatWallTime(corte)).replace(/^0/, '')}; los listados son públicos, y se consultan en el portal.`;
  const commas = ','.repeat(WIDTH - 1);
  const lines = [
    field(preamble) + commas + tail,
    titulo + commas + tail,
    [numero, ...COLUMNS].map(field).join(',') + tail,
    ...registros.map((registro, i) => lineOf(registro, i + 1) + tail),
    ...Array.from({ length: FILLERS }, () => commas + tail),
  ];
  return lines.join(EOL) + EOL;
}

function lineOf(registro: Registro, number: number): string {
  const { rfc, nombre, isMasked, pasos } = registro;
  const situacion = situacionOf(registro);
  const blank = situacion === 'Desvirtuado' && number % 4 === 0 ? ' ' : '';
  const groups = SITUACIONES_69B.flatMap((each) => groupOf(pasos.find((paso) => paso.situacion === each)));
  const cells = [String(number), isMasked ? MASK : rfc, isMasked ? MASKED_NAME : nombre, situacion + blank, ...groups];
  return cells.map(field).join(',');
}

function groupOf(paso: Paso | undefined): string[] {
  if (!paso) return ['', '', '', ''];
  const { oficio, fechaSat, fechaDof } = paso;
  const dof = fechaDof === null ? ['', ''] : [oficio, dayFirst(formatWallTime(fechaDof))];
  return [oficio, dayFirst(formatWallTime(fechaSat)), ...dof];
}
