import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Documento } from './documento.ts';
import { phpFiles } from './php-files.ts';
import { pythonFiles } from './python-files.ts';
import { sdkFiles } from './sdk-files.ts';

const root = new URL('../../../', import.meta.url);
const text = async (path: string) => readFile(new URL(path, root), 'utf8');

const { version } = JSON.parse(await text('packages/sdk/package.json')) as { version: string };
const documento = JSON.parse(await text('docs/openapi.json')) as Documento;
const written = {
  'packages/sdk/src/generated/': await sdkFiles(documento, version),
  'packages/sdk-python/acuse/generated/': pythonFiles(documento, version),
  'packages/sdk-php/src/generated/': phpFiles(documento, version),
};
for (const [path, files] of Object.entries(written)) {
  const folder = new URL(path, root);
  await mkdir(fileURLToPath(folder), { recursive: true });
  for (const [name, content] of Object.entries(files)) await writeFile(new URL(name, folder), content);
}
