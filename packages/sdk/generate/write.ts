import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { sdkFiles } from './sdk-files.ts';

const root = new URL('../../../', import.meta.url);
const text = async (path: string) => readFile(new URL(path, root), 'utf8');
const folder = new URL('packages/sdk/src/generated/', root);

const { version } = JSON.parse(await text('packages/sdk/package.json')) as { version: string };
await mkdir(fileURLToPath(folder), { recursive: true });
for (const [name, content] of Object.entries(await sdkFiles(JSON.parse(await text('docs/openapi.json')), version)))
  await writeFile(new URL(name, folder), content);
