import { readFileSync } from 'node:fs';
import { type CambioApi, changesBetween, type Superficie, superficieOf } from './changes.ts';

/** A version of the API and its differences from the one before, the newest first. */
interface Entrada {
  readonly version: string;
  /** Day of its release, yyyy-mm-dd; null for what this server has beyond the last release. */
  readonly fecha: string | null;
  readonly cambios: readonly CambioApi[];
}

/** What the last release promised, and the changes of each release. */
export interface Publicada {
  readonly entradas: readonly Entrada[];
  readonly superficie: Superficie;
}

/** The committed file; the image has it too. */
export const PUBLICADA = new URL('../../../../docs/integrators/api-publicada.json', import.meta.url);

export const readPublicada = (): Publicada => JSON.parse(readFileSync(PUBLICADA, 'utf8'));

interface Documento {
  readonly info: { readonly version: string };
}
const versionOf = (document: object) => (document as Documento).info.version;
const majorOf = (version = '0') => Number(version.split('.')[0]);

const changesOf = ({ superficie }: Publicada, document: object) =>
  changesBetween(superficie, superficieOf({ ...document }));

/** Breaking differences from the last release; none where the document has a greater major version. */
export const forbiddenChanges = (publicada: Publicada, document: object): CambioApi[] =>
  majorOf(versionOf(document)) > majorOf(publicada.entradas[0]?.version)
    ? []
    : changesOf(publicada, document).filter(({ incompatible }) => incompatible);

/** The next content of the file, when this document is released on `fecha` (yyyy-mm-dd). The first release has no changes. */
export function release(publicada: Publicada, document: object, fecha: string): Publicada {
  const { entradas } = publicada;
  const cambios = entradas.length === 0 ? [] : changesOf(publicada, document);
  const superficie = superficieOf({ ...document });
  return { entradas: [{ version: versionOf(document), fecha, cambios }, ...entradas], superficie };
}

/** The changelog of this server's document, as JSON and as RSS 2.0. */
export function changelogOf(publicada: Publicada, document: object) {
  const version = versionOf(document);
  const cambios = changesOf(publicada, document);
  const entradas = [...(cambios.length > 0 ? [{ version, fecha: null, cambios }] : []), ...publicada.entradas];
  return { json: JSON.stringify({ version, entradas }), rss: rssOf(entradas) };
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const escaped = (text: string) => text.replaceAll(/[&<>]/g, (letter) => ENTITIES[letter] ?? '');

function rssOf(entradas: readonly Entrada[]): string {
  const items = entradas.map(({ version, fecha, cambios }) => {
    const lines = cambios.map(
      ({ operacion, incompatible, texto }) => `${operacion}: ${texto}${incompatible ? ' (incompatible)' : ''}`,
    );
    const date = fecha === null ? '' : `<pubDate>${new Date(`${fecha}T12:00:00Z`).toUTCString()}</pubDate>`;
    const title = fecha === null ? `API ${version}, sin publicar` : `API ${version}`;
    return `<item><title>${title}</title><guid isPermaLink="false">acuse-api-${version}-${fecha}</guid>${date}<description>${escaped(lines.join('\n') || 'Primera versión publicada.')}</description></item>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0"><channel><title>Acuse: cambios de la API</title><link>/changelog.json</link><description>Diferencias entre versiones de la API de Acuse.</description><language>es-mx</language>${items.join('')}</channel></rss>\n`;
}
