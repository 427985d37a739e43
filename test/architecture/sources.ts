import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Optional features: the core works without them. */
export const FEATURES = [
  'borrado',
  'capsula',
  'conexion',
  'correo',
  'listas',
  'llamadas',
  'riesgo',
  'sincronizacion',
  'webhooks',
];

export interface Source {
  /** From the root, with forward slashes. */
  readonly path: string;
  readonly text: string;
  readonly lines: number;
}

const IGNORED = /(^|\/)(node_modules|dist|cjs|generated|\.acuse|\.git|coverage)(\/|$)/;

/** Every file under a folder of the root, generated and installed ones apart. */
export function walk(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (IGNORED.test(relative(ROOT, path))) return [];
    return entry.isDirectory() ? walk(path) : [path];
  });
}

/** Every TypeScript file of apps, packages and test. */
export function readSources(): Source[] {
  return ['apps', 'packages', 'test']
    .flatMap((folder) => walk(`${ROOT}${folder}`))
    .filter((path) => /(?<!\.d)\.tsx?$/.test(path))
    .map((path) => {
      const text = readFileSync(path, 'utf8');
      return { path: relative(ROOT, path), text, lines: text.split('\n').length };
    });
}

/** Written by `npm run generate`, and committed. */
export const isGenerated = ({ text }: Source) => /Generated [^*]*\bby `npm run generate`/.test(text.slice(0, 600));

export const isTest = ({ path }: Source) =>
  /\.(test|bench)\.tsx?$|\/testing\/|^test\/|\/test\/|\/fixtures\/|conformance\.ts$/.test(path);

/** `packages/core`, `apps/api`, `test`. */
export const ownerOf = (path: string) => (path.startsWith('test/') ? 'test' : path.split('/').slice(0, 2).join('/'));

/** Module names that a file imports, also dynamically and in re-exports. */
export function importsOf({ text }: Source): string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
  return [...code.matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*)['"]([^'"]+)['"]/g)].map((match) => match[1] ?? '');
}

/** The same without imports and re-exports of types alone, which do not exist when the program runs. */
export const valuesImportedBy = (source: Source): string[] =>
  importsOf({ ...source, text: source.text.replace(/\b(import|export) type [^;]*;/g, '') });

/** The source that an import leads to; null for a library. */
function targetOf(from: string, name: string, sources: ReadonlyMap<string, Source>): string | null {
  const [, workspace, module = 'index'] = /^@acuse\/([^/]+)(?:\/(.+))?$/.exec(name) ?? [];
  const path = workspace === undefined ? join(dirname(from), name) : `packages/${workspace}/src/${module}.ts`;
  return sources.has(path) ? path : null;
}

/** The sources of production that `roots` reach by the imports that `imports` finds, the roots among them. */
export function reachableFrom(roots: readonly string[], imports: typeof importsOf): ReadonlySet<string> {
  const sources = new Map(readSources().flatMap((source) => (isTest(source) ? [] : [[source.path, source]])));
  const reachable = new Set(roots);
  for (const path of reachable) {
    const source = sources.get(path);
    for (const name of source === undefined ? [] : imports(source)) {
      const target = targetOf(path, name, sources);
      if (target !== null) reachable.add(target);
    }
  }
  return reachable;
}
