import { createHash } from 'node:crypto';
import type { Context } from 'hono';
import type { Settings } from '../world/settings.ts';

/** A file as it is served. */
export type Publicado = { bytes: Buffer; etag: string; publicada: Date };

export function publicar(bytes: Buffer, publicada: Date): Publicado {
  const etag = `"0x${createHash('sha256').update(bytes).digest('hex').slice(0, 15).toUpperCase()}"`;
  return { bytes, etag, publicada };
}

/** Serves a file; ETag and Last-Modified are honoured with 304. */
export function answer(c: Context, { bytes, etag, publicada }: Publicado): Response {
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

export const EOL = '\r\n';

/** A cell of CSV, quoted where it has to be. */
export function field(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The signs of windows-1252 between 0x80 and 0x9F that the lists use; the others are those of latin-1. */
const WINDOWS_1252: Readonly<Record<string, string>> = {
  '€': '\u0080',
  '‘': '\u0091',
  '’': '\u0092',
  '“': '\u0093',
  '”': '\u0094',
  '–': '\u0096',
  '—': '\u0097',
};
/** The letters of Spanish in the code page of DOS; other signs beyond ASCII become a question mark. */
const CP850: Readonly<Record<string, number>> = {
  Á: 0xb5,
  É: 0x90,
  Í: 0xd6,
  Ó: 0xe0,
  Ú: 0xe9,
  Ü: 0x9a,
  Ñ: 0xa5,
  á: 0xa0,
  é: 0x82,
  í: 0xa1,
  ó: 0xa2,
  ú: 0xa3,
  ü: 0x81,
  ñ: 0xa4,
};

/** The text in bytes: as the SAT writes its lists (windows-1252), or wrongly, as a test of readers asks for. */
export function encodeAs(codificacion: Settings['codificacion_listas'], text: string): Buffer {
  if (codificacion === 'utf-8') return Buffer.from(text);
  if (codificacion === 'utf-16') return Buffer.from(`\ufeff${text}`, 'utf16le');
  if (codificacion === 'cp850')
    return Buffer.from(
      text.replace(/[^\0-\x7f]/g, (sign) => String.fromCharCode(CP850[sign] ?? 0x3f)),
      'latin1',
    );
  return Buffer.from(
    text.replace(/[€‘’“”–—]/g, (sign) => WINDOWS_1252[sign] ?? sign),
    'latin1',
  );
}
