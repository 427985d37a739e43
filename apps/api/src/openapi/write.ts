import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { loadOperations } from '../http/load-operations.ts';
import { openApiDocument } from './document.ts';

/** The text of docs/openapi.json for the operations of this source tree. */
export async function openApiText(): Promise<string> {
  const operations = await loadOperations(fileURLToPath(new URL('../operations', import.meta.url)));
  return `${JSON.stringify(openApiDocument(operations), null, 2)}\n`;
}

const isMain = process.argv[1] === fileURLToPath(import.meta.url);
if (isMain) {
  await writeFile(
    fileURLToPath(new URL('../../../../docs/openapi.json', import.meta.url)),
    await openApiText(),
  );
}
