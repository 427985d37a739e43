import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadOperations } from './load-operations.ts';

const define = JSON.stringify(fileURLToPath(new URL('./define-operation.ts', import.meta.url)));
const zod = JSON.stringify(fileURLToPath(import.meta.resolve('zod')));
const operation = (errors: string) => `
  import { defineOperation } from ${define};
  import { z } from ${zod};
  export default defineOperation({ summary: 's', credential: 'api-key', cost: 0, rfc: 'ninguno', body: z.object({}), data: null,
    errors: ${errors}, handle: async () => undefined });`;

describe('loadOperations', () => {
  let root = '';
  beforeAll(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'acuse-operations-'));
  });
  afterAll(() => rm(root, { recursive: true }));

  async function folder(name: string, files: Record<string, string>): Promise<string> {
    const base = path.join(root, name);
    for (const [file, content] of Object.entries(files)) {
      await mkdir(path.dirname(path.join(base, file)), { recursive: true });
      await writeFile(path.join(base, file), content);
    }
    return base;
  }

  it('takes the path from the place of the file, and leaves tests and declarations out', async () => {
    const base = await folder('good', {
      'tax/una-cosa.ts': operation('[]'),
      'tax/una-cosa.test.ts': 'throw new Error("a test was loaded")',
      'tax/una-cosa.d.ts': 'export {}',
      'otra.mjs.map': '{}',
    });
    const [only, ...more] = await loadOperations(base);
    expect(only?.path).toBe('tax/una-cosa');
    expect(more).toEqual([]);
  });

  it.each([
    ['no default export', { 'a.ts': 'export const x = 1;' }, /a\.ts: its default export/],
    ['another default export', { 'a.ts': 'export default { summary: "s" };' }, /a\.ts: its default export/],
    ['two on a path', { 'a.js': operation('[]'), 'a.ts': operation('[]') }, /there is another operation on a/],
    ['an unknown error', { 'a.ts': operation('["NO_EXISTE"]') }, /a\.ts: unknown error NO_EXISTE/],
    ['no operation at all', { 'readme.md': '' }, /no operations/],
  ])('refuses to start on %s', async (name, files, message) => {
    const base = await folder(name.replaceAll(' ', '-'), files as unknown as Record<string, string>);
    await expect(loadOperations(base)).rejects.toThrow(message);
  });
});
