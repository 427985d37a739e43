import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { loadOperations } from '../http/load-operations.ts';
import { openApiDocument } from './document.ts';
import { publicadas } from './publicadas.ts';
import { publicadasText } from './publicadas-text.ts';

const operationsHere = () => loadOperations(fileURLToPath(new URL('../operations', import.meta.url)));

/** The text of docs/openapi.json for the operations of this source tree. */
export async function openApiText(): Promise<string> {
  return `${JSON.stringify(openApiDocument(await operationsHere()), null, 2)}\n`;
}

/** The text of packages/contract/src/operaciones.ts for the operations of this source tree. */
export async function operacionesText(): Promise<string> {
  return publicadasText(publicadas(await operationsHere()));
}

const isMain = process.argv[1] === fileURLToPath(import.meta.url);
if (isMain) {
  const root = new URL('../../../../', import.meta.url);
  await writeFile(fileURLToPath(new URL('docs/openapi.json', root)), await openApiText());
  await writeFile(fileURLToPath(new URL('packages/contract/src/operaciones.ts', root)), await operacionesText());
}
