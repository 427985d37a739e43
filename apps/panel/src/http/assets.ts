import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { brotliCompressSync, gzipSync } from 'node:zlib';

/** The files that pages refer to, each under an address that changes with its content. */
export type Activos = ReturnType<typeof createActivos>;

/** Path under which the files are served. */
export const RUTA_ACTIVOS = '/assets/';

const TIPOS: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

/** Holds for a year, since another content has another address (RFC 8246). */
const CACHE = 'public, max-age=31536000, immutable';

/** Beside the sources, also when the panel runs from its build: the compiler copies no style sheets. */
const CARPETA = new URL('../../src/assets/', import.meta.url);

/** Reads the folder once; its style sheets, scripts and drawings stay in memory, compressed as well. */
export function createActivos() {
  const hrefs = new Map<string, string>();
  const archivos = new Map<string, Archivo>();
  for (const nombre of readdirSync(CARPETA)) {
    const [, base, extension = ''] = /^([\w-]+)\.([a-z]+)$/.exec(nombre) ?? [];
    const tipo = TIPOS[extension];
    if (base === undefined || tipo === undefined) continue;
    const bytes = readFileSync(new URL(nombre, CARPETA));
    const huella = createHash('sha256').update(bytes).digest('base64url').slice(0, 16);
    const archivo = `${base}.${huella}.${extension}`;
    hrefs.set(nombre, RUTA_ACTIVOS + archivo);
    archivos.set(archivo, { tipo, bytes, br: brotliCompressSync(bytes), gzip: gzipSync(bytes, { level: 9 }) });
  }
  return {
    /** Address of a file of the folder, such as `estilo.css`. Throws for one that is not there. */
    href(nombre: string): string {
      const href = hrefs.get(nombre);
      if (href === undefined) throw new Error(`no file ${nombre} in the assets of the panel`);
      return href;
    },
    /** Answers a request for `/assets/<archivo>`; null for an address that no file has. */
    serve(archivo: string, acceptEncoding = ''): Response | null {
      const found = archivos.get(archivo);
      if (!found) return null;
      const encoding = (['br', 'gzip'] as const).find((each) => accepts(acceptEncoding, each));
      return new Response(new Uint8Array(encoding ? found[encoding] : found.bytes), {
        headers: {
          'Content-Type': found.tipo,
          'Cache-Control': CACHE,
          'X-Content-Type-Options': 'nosniff',
          Vary: 'Accept-Encoding',
          ...(encoding ? { 'Content-Encoding': encoding } : {}),
        },
      });
    },
  };
}

interface Archivo {
  readonly tipo: string;
  readonly bytes: Buffer;
  readonly br: Buffer;
  readonly gzip: Buffer;
}

/** RFC 9110, 12.5.3: named, and not with weight zero. */
function accepts(header: string, coding: string): boolean {
  return header.split(',').some((each) => {
    const [name = '', ...parameters] = each
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/);
    return name === coding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}
