import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/**
 * Takes Scalar's reference, one script for browsers, out of the package that carries it as a text. The package that is
 * named after it brings 270 others (287 MB) that the script already holds.
 */
const source = createRequire(import.meta.url).resolve('@scalar/fastify-api-reference');
const name = 'standalone_default';
const parsed = ts.createSourceFile(source, await readFile(source, 'utf8'), ts.ScriptTarget.Latest);
const script = parsed.statements
  .filter(ts.isVariableStatement)
  .flatMap(({ declarationList }) => declarationList.declarations)
  .find((declaration) => ts.isIdentifier(declaration.name) && declaration.name.text === name)?.initializer;
if (script === undefined || !ts.isStringLiteralLike(script)) throw new Error(`${source} has no text ${name}`);

const folder = new URL('../src/site/generated/', import.meta.url);
await mkdir(fileURLToPath(folder), { recursive: true });
await writeFile(new URL('scalar.js', folder), script.text.replace(/^\/\/# sourceMappingURL=.*$/m, ''));
