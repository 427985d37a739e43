#!/usr/bin/env node
// The command line: from its TypeScript in a checkout, which a build may be older than, and elsewhere as it was compiled.
import { existsSync } from 'node:fs';
import { register } from 'node:module';
import { fileURLToPath } from 'node:url';

const source = new URL('../src/main.ts', import.meta.url);
const built = new URL('../dist/main.js', import.meta.url);
/** The workspaces as TypeScript: `--conditions=acuse-source` for this process, which gets every signal itself. */
const WITH_SOURCES = `data:text/javascript,export const resolve = (name, context, next) =>
  next(name, { ...context, conditions: [...context.conditions, 'acuse-source'] });`;

/** What runs TypeScript; null where the libraries for building are not installed. */
function findLoader() {
  try {
    return import.meta.resolve('tsx/esm/api');
  } catch {
    return null;
  }
}

const loader = existsSync(fileURLToPath(source)) ? findLoader() : null;
if (loader === null) await import(built.href);
else {
  const tsx = await import(loader);
  tsx.register();
  register(WITH_SOURCES);
  await import(source.href);
}
