import { readFileSync } from 'node:fs';

/** Beside the sources, also when the API runs from its build. */
const TEXTS = new URL('../../src/openapi/english.json', import.meta.url);
/** Members of the document that people read. Error responses list names and codes. */
const MEMBERS = new Set(['summary', 'description', 'x-displayName', 'x-credencial']);
const NAMES = /^\d{4} [A-Z_]+/;

/** Ends a text before names of the interface: `Aviso …`. */
const REST = '…';

/** A text of the document in English, paragraph by paragraph; undefined for an unknown one. */
function translated(text: string, texts: Readonly<Record<string, string>>): string | undefined {
  const found = text.split('\n\n').map((each) => {
    const title = texts[each.replace(/\.$/, '')];
    const begin = Object.keys(texts).find((key) => key.endsWith(REST) && each.startsWith(key.slice(0, -1)));
    return (
      texts[each] ??
      (title && `${title}.`) ??
      (begin && each.replace(begin.slice(0, -1), texts[begin]?.slice(0, -1) ?? ''))
    );
  });
  return found.includes(undefined) ? undefined : found.join('\n\n');
}

/** The OpenAPI document in English. Names, codes and examples stay. `missing` is called for each unknown text. */
export function inEnglish<T>(document: T, missing: (text: string) => void = () => {}): T {
  const texts = JSON.parse(readFileSync(TEXTS, 'utf8')) as Record<string, string>;
  const isText = (name: string, value: unknown): value is string => typeof value === 'string' && MEMBERS.has(name);
  const walk = (name: string, value: unknown): unknown => {
    if (Array.isArray(value)) return value.map((each) => walk('', each));
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(
        Object.entries(value).map(([key, each]) => [key, /^(examples?|enum)$/.test(key) ? each : walk(key, each)]),
      );
    if (!isText(name, value) || NAMES.test(value)) return value;
    const english = translated(value, texts);
    if (english === undefined) missing(value);
    return english ?? value;
  };
  return walk('', document) as T;
}
