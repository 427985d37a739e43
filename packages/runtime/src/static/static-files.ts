import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { fontFace, MARCA } from './marca.ts';

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  md: 'text/markdown; charset=utf-8',
  rss: 'application/rss+xml; charset=utf-8',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
  woff2: 'font/woff2',
};

/** Inter (SIL Open Font License 1.1): Latin letters of every weight. Programs that serve no page come without the package. */
const readTypeface = () =>
  readFileSync(
    createRequire(import.meta.url).resolve('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2'),
  );

/** Kept for a year, since another content has another address (RFC 8246). */
const FOREVER = 'public, max-age=31536000, immutable';
/** Asked for again each time, and not sent again while it is the same. */
const ASK_AGAIN = 'no-cache';

/** How browsers take it, the smaller one first. Text of megabytes has to be ready within a second. */
const ENCODINGS = {
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: bytes.length > 200_000 ? 6 : 11 } }),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes, { level: 9 }),
} as const;

/** The coding of these that a request takes (RFC 9110, 12.5.3), the smaller one first; undefined when it takes none. */
const codingFor = (accepted: string | null) =>
  (['br', 'gzip'] as const).find((coding) => accepts(accepted ?? '', coding));

/** A text that was made for one request: compressed quickly, off the thread that answers. */
const QUICKLY = {
  br: (text: string) => promisify(brotliCompress)(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (text: string) => promisify(gzip)(text, { level: 5 }),
} as const;

/** Smallest text worth compressing, in UTF-16 code units: below it the header costs more than compression saves. */
const COMPRESSED_FROM = 1_024;

/** The body of an answer, and the header fields that belong to it. */
interface Body {
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly headers: Readonly<Record<string, string>>;
}

/** A text as the body of an answer to a request with this Accept-Encoding. */
export async function compressedFor(text: string, accepted: string | null): Promise<Body> {
  if (text.length < COMPRESSED_FROM) return { body: text, headers: {} };
  const headers = { Vary: 'Accept-Encoding' };
  const coding = codingFor(accepted);
  if (coding === undefined) return { body: text, headers };
  return { body: new Uint8Array(await QUICKLY[coding](text)), headers: { ...headers, 'Content-Encoding': coding } };
}

/** Something that is served whole, in memory, compressed once for each way in which browsers take it. */
export interface StaticFile {
  /** Changes with the content; fit for an address. */
  readonly hash: string;
  /** Answers a request with these header fields: whole, compressed, or 304. */
  answer(request: Pick<Headers, 'get'>, headers?: Readonly<Record<string, string>>): Promise<Response>;
}

/** A file of this extension (`css`, `html`, `js`, `json`, `md`, `rss`, `svg`, `txt`, `woff2`). Throws for another one. */
export function createStaticFile(content: string | Buffer, extension: string): StaticFile {
  const type = TYPES[extension];
  if (type === undefined) throw new Error(`no type is known of .${extension}`);
  const bytes = Buffer.from(content);
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 16);
  const compressed = new Map<keyof typeof ENCODINGS, Promise<Buffer>>();
  const compress = (coding: keyof typeof ENCODINGS): Promise<Buffer> => {
    const making = compressed.get(coding) ?? ENCODINGS[coding](bytes);
    compressed.set(coding, making);
    return making;
  };
  return {
    hash,
    async answer(request, more = {}) {
      const headers = {
        'Content-Type': type,
        'Cache-Control': ASK_AGAIN,
        'X-Content-Type-Options': 'nosniff',
        ETag: `W/"${hash}"`,
        Vary: 'Accept-Encoding',
        ...more,
      };
      if (isKnown(request.get('if-none-match'), hash)) return new Response(null, { status: 304, headers });
      // WOFF2 is compressed already.
      const coding = extension === 'woff2' ? undefined : codingFor(request.get('accept-encoding'));
      const body = coding === undefined ? bytes : await compress(coding);
      return new Response(new Uint8Array(body), {
        headers: coding === undefined ? headers : { ...headers, 'Content-Encoding': coding },
      });
    },
  };
}

/** The files that pages refer to, each under an address that changes with its content. */
export type Assets = ReturnType<typeof createAssets>;

/**
 * Reads a folder once and serves its files of known types below `prefix`, which ends with a slash, with `marca.css` and the
 * typeface that it names. `more`: further files by their names.
 */
export function createAssets(folder: URL, prefix: string, more: Readonly<Record<string, Buffer>> = {}) {
  const hrefs = new Map<string, string>();
  const files = new Map<string, StaticFile>();
  const add = (name: string, read: () => Buffer) => {
    const [, base, extension = ''] = /^([\w-]+)\.([a-z\d]+)$/.exec(name) ?? [];
    if (base === undefined || TYPES[extension] === undefined) return;
    const file = createStaticFile(read(), extension);
    const address = `${base}.${file.hash}.${extension}`;
    hrefs.set(name, prefix + address);
    files.set(address, file);
  };
  const href = (name: string): string => {
    const found = hrefs.get(name);
    if (found === undefined) throw new Error(`no file ${name} in ${folder.pathname}`);
    return found;
  };
  add('inter.woff2', readTypeface);
  add('marca.css', () => Buffer.from(fontFace(href('inter.woff2')) + MARCA));
  for (const name of readdirSync(folder)) add(name, () => readFileSync(new URL(name, folder)));
  for (const [name, bytes] of Object.entries(more)) add(name, () => bytes);
  return {
    /** Address of a file of the folder, such as `estilo.css`. Throws for one that is not there. */
    href,
    /** Answers a request for what stands behind the prefix; null for an address that no file has. */
    async serve(address: string, request: Pick<Headers, 'get'>): Promise<Response | null> {
      return (await files.get(address)?.answer(request, { 'Cache-Control': FOREVER })) ?? null;
    },
  };
}

/** RFC 9110, 13.1.2: compared weakly, one of several, or any. */
function isKnown(header: string | null, hash: string): boolean {
  return header?.split(',').some((each) => each.trim() === '*' || each.includes(`"${hash}"`)) ?? false;
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
