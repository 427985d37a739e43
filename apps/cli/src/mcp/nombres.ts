import { OPERACIONES } from '@acuse/sdk/operaciones';

/** `tax/descarga-metadata` is `tax_descarga_metadata`: names of tools have no slashes. */
export const nombreOf = (path: string) => path.replace(/[/-]/g, '_');

/** The tool that takes the place of an operation which is none itself: an address of a ZIP stays out of a conversation. */
export const POR_OTRA: ReadonlyMap<string, string> = new Map([['descarga/paquete', 'descarga_guardar']]);

const longestFirst = OPERACIONES.map(({ path }) => path).sort((a, b) => b.length - a.length);
const PATHS = new RegExp(`(?:/api/v1/|(?<![\\w/-]))(${longestFirst.join('|')})(?![\\w-])`, 'g');

/** A text of the service in the words of these tools: each operation by its tool, or by the command of a person. */
export const inWordsOf = (tools: ReadonlySet<string>, texto: string): string =>
  texto.replace(PATHS, (_, path: string) => {
    const tool = POR_OTRA.get(path) ?? nombreOf(path);
    return tools.has(tool) ? tool : `«acuse ${path.replace('/', ' ')}»`;
  });

/** The same value, with each description in it in the words of these tools. */
export function describedIn<T>(tools: ReadonlySet<string>, value: T): T {
  return JSON.parse(JSON.stringify(value), (name, one) =>
    name === 'description' && typeof one === 'string' ? inWordsOf(tools, one) : one,
  );
}
