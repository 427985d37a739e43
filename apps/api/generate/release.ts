import { writeFile } from 'node:fs/promises';
import { loadAll } from '../src/features.ts';
import { PUBLICADA, readPublicada, release } from '../src/openapi/changelog.ts';
import { openApiDocument } from '../src/openapi/document.ts';

/** Records the API as released today: its changes join the changelog, and later breaking changes need a new major version. */
const [today = ''] = new Date().toISOString().split('T');
const next = release(readPublicada(), openApiDocument(await loadAll()), today);
const lines = Object.entries(next.superficie).map(
  ([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`,
);
await writeFile(PUBLICADA, `{"entradas":${JSON.stringify(next.entradas)},\n"superficie":{\n${lines.join(',\n')}\n}}\n`);
