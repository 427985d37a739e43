import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { operationsDocument } from '../../apps/api/src/docs/write.ts';
import { openApiText, operacionesText } from '../../apps/api/src/openapi/write.ts';
import { createKit } from '../../apps/api/test/kit.ts';

const text = await openApiText();

test('docs/operations.md is what the operations say (npm run generate)', async () => {
  const committed = await readFile(new URL('../../docs/operations.md', import.meta.url), 'utf8');
  expect(committed).toBe(await operationsDocument());
});

test('docs/openapi.json is what the operations say (write it anew with apps/api/src/openapi/write.ts)', async () => {
  expect(await readFile(new URL('../../docs/openapi.json', import.meta.url), 'utf8')).toBe(text);
});

test('packages/contract/src/operaciones.ts is what the operations say (npm run generate)', async () => {
  const committed = await readFile(
    new URL('../../packages/contract/src/operaciones.ts', import.meta.url),
    'utf8',
  );
  expect(committed).toBe(await operacionesText());
});

test('the service answers the same document', async () => {
  const kit = await createKit();
  const response = await kit.api.app.request('/openapi.json');
  expect(await response.json()).toEqual(JSON.parse(text));
});

test('every operation takes an Idempotency-Key and may refuse it', () => {
  for (const [path, { post }] of Object.entries<{ post: Record<'parameters' | 'responses', never> }>(
    JSON.parse(text).paths,
  )) {
    const names = (post.parameters as { name: string }[]).map(({ name }) => name);
    expect([path, names]).toEqual([path, expect.arrayContaining(['Idempotency-Key'])]);
    expect([path, post.responses]).toEqual([path, expect.objectContaining({ 409: expect.anything() })]);
  }
});

test('every reference inside of it leads somewhere', () => {
  const document = JSON.parse(text);
  const references = [...text.matchAll(/"\$ref": "#\/([^"]+)"/g)].map(([, path = '']) => path);
  expect(references.length).toBeGreaterThan(100);
  for (const reference of new Set(references)) {
    const found = reference.split('/').reduce((node, name) => node?.[name], document);
    expect([reference, typeof found]).toEqual([reference, 'object']);
  }
});

test('every example body of a request is one that the service would take', async () => {
  const { paths } = JSON.parse(text);
  const kit = await createKit();
  const { alta } = await import('../../apps/api/test/kit.ts');
  for (const [path, { post }] of Object.entries<{ post: { requestBody: never } }>(paths)) {
    const { content } = post.requestBody as {
      content: { 'application/json': { example: Record<string, unknown> } };
    };
    const a = alta(kit.store, { saldo: 0 });
    const { example } = content['application/json'];
    const body = { ...example, ...('rfc' in example ? { rfc: a.rfc } : {}) };
    const answer = await kit.call(path.replace('/api/v1/', ''), body, { key: a.key });
    expect([path, [2001, 2002].includes(answer.json.cfdi_codigo) && answer.status === 400]).toEqual([
      path,
      false,
    ]);
  }
});
