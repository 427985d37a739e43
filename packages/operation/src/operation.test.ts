import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { z } from 'zod';
import type { OperationDeps } from './feature.ts';
import { loadOperations, operationsWith } from './operation.ts';

const defineOperation = operationsWith<OperationDeps>();

const base = { summary: 's', effect: 'reads', cost: 0, rfc: 'ninguno', body: z.object({ a: z.string() }) } as const;
const open = { ...base, credential: 'api-key', errors: [] } as const;
const data = z.object({ estado: z.enum(['EN_PROCESO', 'TERMINADA']), total: z.number() });

test('a declaration and its handler agree by type', () => {
  const good = defineOperation({
    ...base,
    credential: 'efirma',
    data,
    errors: ['SOLICITUD_NO_ENCONTRADA'],
    async handle({ a }, { error, credenciales }) {
      if (a === '') throw error('SOLICITUD_NO_ENCONTRADA');
      const only: 'efirma' | undefined = credenciales[0]?.open().tipo;
      return { estado: 'EN_PROCESO', total: only?.length ?? 0 };
    },
  });
  expect(good).toMatchObject({ accepts: 'efirma', charge: 'before', secretos: {} });
});

test('what does not fit does not compile', () => {
  const declarations = [
    () =>
      defineOperation({
        ...base,
        credential: 'api-key',
        data,
        errors: ['SOLICITUD_NO_ENCONTRADA'],
        async handle(_body, { error }) {
          // @ts-expect-error: an error that is not declared
          throw error('CFDI_NO_ENCONTRADO');
        },
      }),
    () =>
      defineOperation({
        ...open,
        data,
        // @ts-expect-error: a field of the data is missing
        handle: async () => ({ estado: 'EN_PROCESO' }),
      }),
    () =>
      defineOperation({
        ...open,
        data,
        // @ts-expect-error: a word that the schema does not know
        handle: async () => ({ estado: 'OTRA_COSA', total: 1 }),
      }),
    () =>
      defineOperation({
        ...open,
        data: null,
        async handle(_body, contexto) {
          // @ts-expect-error: the operation did not ask for a credential
          contexto.openCredencial();
          return undefined;
        },
      }),
    () =>
      defineOperation({
        ...open,
        data: null,
        async handle(body) {
          // @ts-expect-error: a field that the body does not have
          body.b;
          return undefined;
        },
      }),
  ];
  expect(declarations).toHaveLength(5);
});

const define = JSON.stringify(fileURLToPath(new URL('./operation.ts', import.meta.url)));
const zod = JSON.stringify(fileURLToPath(import.meta.resolve('zod')));
const operation = (errors: string) => `
  import { operationsWith } from ${define};
  import { z } from ${zod};
  export default operationsWith()({ summary: 's', credential: 'api-key', effect: 'reads', cost: 0, rfc: 'ninguno', body: z.object({}), data: null,
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
    const [only, ...more] = await loadOperations([pathToFileURL(base)]);
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
    await expect(loadOperations([pathToFileURL(base)])).rejects.toThrow(message);
  });
});
