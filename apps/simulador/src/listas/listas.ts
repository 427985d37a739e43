import { createHash } from 'node:crypto';
import { type Context, Hono } from 'hono';
import { attend } from '../portal/web/attend.ts';
import { situacionOf } from '../world/listado69b/registro.ts';
import type { Edicion } from '../world/listado69b.ts';
import type { Situacion69B } from '../world/magia.ts';
import type { World } from '../world/world.ts';
import { writeCsv } from './csv.ts';
import { indexPage } from './indice.ts';

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

type Publicado = { bytes: Buffer; etag: string; publicada: Date };

/**
 * The files of the list of article 69-B: `wu1agsprosta001` has those in force, `omawww` the complete one as it was on
 * 2025-12-31, and `www` the index page with the day of the cut. ETag and Last-Modified are honoured with 304.
 */
export function createListas(world: World): { wu1agsprosta001: Hono; omawww: Hono; www: Hono } {
  const rendered = new WeakMap<Edicion, Map<string, Publicado>>();
  let frozen: Edicion | undefined;
  const publish = (edicion: Edicion, archivo: Archivo): Publicado => {
    const files = rendered.get(edicion) ?? new Map<string, Publicado>();
    rendered.set(edicion, files);
    const known = files.get(archivo.nombre);
    if (known) return known;
    const bytes = render(edicion, archivo);
    const etag = `"0x${createHash('sha256').update(bytes).digest('hex').slice(0, 15).toUpperCase()}"`;
    const file = { bytes, etag, publicada: edicion.publicada };
    files.set(archivo.nombre, file);
    return file;
  };
  const serve = (c: Context, service: string, edicion: () => Edicion, archivo: Archivo) =>
    attend(world, { service, operation: archivo.nombre, rfc: '' }, () => answer(c, publish(edicion(), archivo)));

  const wu1agsprosta001 = new Hono();
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
      const base = `${new URL(c.req.url).origin}/wu1agsprosta001${CARPETA}`;
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
  return {
    nombre,
    situacion,
    vacias,
    titulo: `Listado de contribuyentes (Artículo 69-B del CFF): ${situacion}`,
  };
}

function render({ corte, registros }: Edicion, { titulo, situacion, vacias }: Archivo): Buffer {
  const own = situacion === null ? registros : registros.filter((each) => situacionOf(each) === situacion);
  return writeCsv({ titulo, corte, registros: own, numero: situacion === null ? 'No' : 'No.', vacias });
}

function answer(c: Context, { bytes, etag, publicada }: Publicado): Response {
  const headers = { etag, 'last-modified': publicada.toUTCString() };
  const match = c.req.header('if-none-match');
  const since = Date.parse(c.req.header('if-modified-since') ?? '');
  const isSame = match === undefined ? Math.floor(publicada.getTime() / 1000) * 1000 <= since : match.includes(etag);
  if (isSame) return new Response(null, { status: 304, headers });
  const length = String(bytes.length);
  return new Response(new Uint8Array(bytes), {
    headers: { ...headers, 'content-type': 'application/octet-stream', 'content-length': length },
  });
}
