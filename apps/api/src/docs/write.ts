import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { loadOperations } from '../http/load-operations.ts';
import { operationsText } from './operaciones.ts';

/** The text of docs/operations.md for the operations of this source tree. */
export async function operationsDocument(): Promise<string> {
  return operationsText(await loadOperations(fileURLToPath(new URL('../operations', import.meta.url))));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const path = fileURLToPath(new URL('../../../../docs/operations.md', import.meta.url));
  await writeFile(path, await operationsDocument());
}
