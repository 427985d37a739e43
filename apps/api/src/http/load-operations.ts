import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { CATALOGO } from '@acuse/contract';
import { isDeclaracion } from './define-operation.ts';
import type { Operation } from './operation.ts';

const SOURCE = /^(?!.*\.(?:test|d)\.[tj]s$).*\.[tj]s$/;

/**
 * Imports every operation below a folder; the file tree is the URL tree below /api/v1. Works on sources and on compiled
 * files. Throws, naming the file, for one without an operation as its default export, for two on a path, and for an
 * unknown error name.
 */
export async function loadOperations(folder: string): Promise<readonly Operation[]> {
  const operations = new Map<string, Operation>();
  const files = (await readdir(folder, { recursive: true })).filter((file) => SOURCE.test(file)).sort();
  for (const file of files) {
    const route = file
      .replace(/\.[tj]s$/, '')
      .split(path.sep)
      .join('/');
    const module: { default?: unknown } = await import(pathToFileURL(path.join(folder, file)).href);
    const { default: declaracion } = module;
    if (!isDeclaracion(declaracion)) throw new Error(`${file}: its default export is no operation`);
    if (operations.has(route)) throw new Error(`${file}: there is another operation on ${route}`);
    const unknown = declaracion.errors.filter((nombre) => !Object.hasOwn(CATALOGO, nombre));
    if (unknown.length > 0) throw new Error(`${file}: unknown error ${unknown.join(', ')}`);
    operations.set(route, { ...declaracion, path: route });
  }
  if (operations.size === 0) throw new Error(`${folder}: no operations`);
  return [...operations.values()];
}
