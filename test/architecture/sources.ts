import { readdirSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export interface Source {
  /** From the root, with forward slashes. */
  readonly path: string;
  readonly text: string;
  readonly lines: number;
}

const IGNORED = /(^|\/)(node_modules|dist|generated|\.acuse|\.git|coverage)(\/|$)/;

function walk(folder: string): string[] {
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
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => {
      const text = readFileSync(path, 'utf8');
      return { path: relative(ROOT, path), text, lines: text.split('\n').length };
    });
}

export const isTest = ({ path }: Source) =>
  /\.(test|bench)\.tsx?$|\/testing\/|^test\/|\/test\/|\/fixtures\/|conformance\.ts$/.test(path);

/** `packages/core`, `apps/api`, `test`. */
export const ownerOf = (path: string) => (path.startsWith('test/') ? 'test' : path.split('/').slice(0, 2).join('/'));

/** Module names that a file imports, also dynamically and in re-exports. */
export function importsOf({ text }: Source): string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
  return [...code.matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*)['"]([^'"]+)['"]/g)].map((match) => match[1] ?? '');
}
