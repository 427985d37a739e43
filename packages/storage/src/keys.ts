/** Prefix of everything that we store. */
export const ROOT = 'solicitudes/';

/** Prefix of the documents that an answer gave a URL of. */
const DOCUMENTOS = 'documentos/';

/** Key of a document. Throws on an id that could reach elsewhere. */
export function documentoKey(id: string): string {
  if (!/^[0-9a-f-]{36}$/.test(id)) throw new TypeError(`not an id of a document: ${JSON.stringify(id)}`);
  return `${DOCUMENTOS}${id}.pdf`;
}

/** Longest readable segment; a longer one would leave too little of the 1,024 bytes that an S3 key may have. */
const MAX_SEGMENT = 200;

/** Prefix of the objects of a solicitud. Throws on an id that could reach outside of it. */
export function solicitudPrefix(solicitudId: string): string {
  if (!/^[A-Za-z0-9_-]{1,100}$/.test(solicitudId)) {
    throw new TypeError(`not an id of a solicitud: ${JSON.stringify(solicitudId)}`);
  }
  return `${ROOT}${solicitudId}/`;
}

/** Prefix of the copies of the SAT's packages. */
export function originalsPrefix(solicitudId: string): string {
  return `${solicitudPrefix(solicitudId)}sat/`;
}

/** Key of the copy of one package of the SAT: the same arguments, the same key; other arguments, another key. */
export function satKey(origen: { solicitudId: string; parteId: string; paquete: string }): string {
  return `${originalsPrefix(origen.solicitudId)}${toSegment(origen.parteId)}/${toSegment(origen.paquete)}.zip`;
}

/** Prefix of the SAT's answers that go into `evidencia/`; no part has this id. */
export const evidenciaPrefix = (solicitudId: string): string => `${originalsPrefix(solicitudId)}evidencia/`;

/** Key of one answer of the SAT. Throws TypeError for a name that is no plain file name. */
export function evidenciaKey(solicitudId: string, nombre: string): string {
  if (!/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$/.test(nombre)) {
    throw new TypeError(`not a name of evidence: ${JSON.stringify(nombre)}`);
  }
  return `${evidenciaPrefix(solicitudId)}${nombre}`;
}

/** Key of the ZIP that a caller downloads. */
export function paqueteKey(solicitudId: string): string {
  return `${solicitudPrefix(solicitudId)}paquete.zip`;
}

/**
 * Any text as one segment of a key or of a path in a ZIP: letters, digits, `_`, `-` and dots that do not lead stay,
 * every other byte of its UTF-8 becomes `=` and two hexadecimal digits. Different texts give different segments.
 */
export function toSegment(text: string): string {
  let segment = '';
  for (const byte of Buffer.from(text)) {
    const character = String.fromCharCode(byte);
    const isSafe = /[A-Za-z0-9_-]/.test(character) || (character === '.' && segment !== '');
    segment += isSafe ? character : `=${byte.toString(16).padStart(2, '0').toUpperCase()}`;
  }
  if (segment === '' || segment.length > MAX_SEGMENT) {
    throw new TypeError(`cannot be a segment of a key: ${JSON.stringify(text.slice(0, MAX_SEGMENT))}`);
  }
  return segment;
}

/** What an object is, by the end of its key or of the name it is given: a document (PDF) or a package (ZIP). */
export const mediaTypeOf = (name: string) => (name.endsWith('.pdf') ? 'application/pdf' : 'application/zip');
