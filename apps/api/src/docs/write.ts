import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { OperacionPublicada } from '@acuse/contract';
import type { Operation } from '@acuse/operation';
import { loadAll } from '../features.ts';
import { CREDENCIALES, openApiDocument } from '../openapi/document.ts';
import type { ReferenceDocument } from '../site/operation-pages.ts';
import { errorsText } from './errors.ts';
import { channelsText, operationsText } from './operations.ts';
import { satCodesText } from './sat-codes.ts';
import { webhooksText } from './webhooks.ts';

const LINE_WIDTH = 120;

const HEAD = `import type { OperacionPublicada } from './operacion-publicada.ts';

/**
 * Every operation of the API, by path. Generated from the operations themselves by \`npm run generate\`; a test compares
 * the two.
 */
export const OPERACIONES = [
`;

const TAIL = `] as const satisfies readonly OperacionPublicada[];

/** How an operation is named where it is switched off or charged for. */
export type PathOperacion = (typeof OPERACIONES)[number]['path'];
`;

/** What other processes may know of the operations, formatted as the repository's formatter would. */
function publishedText(operations: readonly Operation[]): string {
  const blocks = [...operations]
    .sort((a, b) => (a.path < b.path ? -1 : 1))
    .map(({ path, summary, description = '', cost, credential }): OperacionPublicada => {
      const texts = { path, resumen: summary, descripcion: description };
      return { ...texts, costo: cost, credencial: CREDENCIALES[credential] };
    })
    .map((published) => `  {\n${Object.entries(published).map(property).join('')}  },\n`);
  return `${HEAD}${blocks.join('')}${TAIL}`;
}

function property([name, value]: [string, string | number]): string {
  const line = `    ${name}: ${literal(value)},`;
  return `${line.length <= LINE_WIDTH ? line : `    ${name}:\n      ${literal(value)},`}\n`;
}

/** What a single-quoted literal cannot hold as it is, and none of our texts has, falls back to JSON's escapes. */
function literal(value: string | number): string {
  if (typeof value === 'number') return String(value);
  return /['\\\n]/.test(value) ? JSON.stringify(value) : `'${value}'`;
}

const fromRoot = (path: string) => new URL(`../../../../${path}`, import.meta.url);

/** The text of every file that is generated from this source tree for integrators, by its path from the root. */
export async function operationDocuments() {
  const operations = await loadAll();
  const openapi = openApiDocument(operations) as unknown as ReferenceDocument;
  return {
    'docs/openapi.json': `${JSON.stringify(openapi, null, 2)}\n`,
    'docs/integrators/es/operaciones.md': operationsText(openapi, 'es'),
    'docs/integrators/en/operations.md': operationsText(openapi, 'en'),
    'docs/operators/channels.md': channelsText(operations),
    'docs/integrators/es/errores.md': errorsText(operations, 'es'),
    'docs/integrators/en/errors.md': errorsText(operations, 'en'),
    'docs/integrators/es/codigos-sat.md': satCodesText('es'),
    'docs/integrators/en/sat-codes.md': satCodesText('en'),
    'docs/integrators/es/webhooks.md': webhooksText(fromRoot('docs/integrators/es/webhooks.md'), 0),
    'docs/integrators/en/webhooks.md': webhooksText(fromRoot('docs/integrators/en/webhooks.md'), 1),
    'packages/contract/src/operaciones.ts': publishedText(operations),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [path, text] of Object.entries(await operationDocuments())) await writeFile(fromRoot(path), text);
}
