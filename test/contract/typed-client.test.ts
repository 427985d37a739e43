import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { operationDocuments } from '../../apps/api/src/docs/write.ts';
import { TABLA } from './tabla.ts';

const document: {
  readonly paths: Record<string, { post: { requestBody: { content: { 'application/json': { example: unknown } } } } }>;
} = JSON.parse((await operationDocuments())['docs/openapi.json']);
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'acuse-client-'));
  await writeFile(join(folder, 'acuse.ts'), astToString(await openapiTS(JSON.stringify(document), { silent: true })));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A client of the usual kind: it demands every parameter that the document calls required. */
const CLIENT = `
import type { components, paths } from './acuse.js';

type Post<P extends keyof paths> = paths[P]['post'];
type Json<T> = T extends { content: { 'application/json': infer J } } ? J : never;
type Params<P extends keyof paths> = Post<P>['parameters'];
type Answer<P extends keyof paths> = { [S in keyof Post<P>['responses']]: Json<Post<P>['responses'][S]> }[keyof Post<P>['responses']];

declare function call<P extends keyof paths>(
  path: P,
  request: { body: Json<Post<P>['requestBody']> } & ({} extends Params<P> ? { params?: Params<P> } : { params: Params<P> }),
): Promise<Answer<P>>;

export async function facturas(): Promise<components['schemas']['Factura'][] | string> {
  const answer = await call('/api/v1/tax/facturas', { body: { rfc: 'ACU200101DB1', desde: '2026-01-01', hasta: '2026-01-31' } });
  if (answer.cfdi_codigo === 1) return answer.data.items;
  const error: components['schemas']['NombreFallo'] = answer.error;
  const code: number = answer.cfdi_codigo;
  return code === 1004 ? 'sin saldo' : error === 'RFC_INVALIDO' ? 'rfc' : answer.cfdi_texto;
}

export async function solicitud(): Promise<components['schemas']['Solicitud'] | null> {
  const answer = await call('/api/v1/descarga/verificar', { body: { solicitud_id: 'x' } });
  return answer.cfdi_codigo === 1 ? answer.data : null;
}
`;

/** What the compiler says of a program that uses the generated types. */
async function compile(name: string, source: string): Promise<string[]> {
  const path = join(folder, name);
  await writeFile(path, source);
  const program = ts.createProgram([path], {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    lib: ['lib.es2022.d.ts'],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    exactOptionalPropertyTypes: true,
  });
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

test('a client generated from the OpenAPI document calls every operation with its example, and compiles', async () => {
  const calls = Object.entries(document.paths).map(([path, { post }]) => {
    const body = JSON.stringify(post.requestBody.content['application/json'].example);
    return `  (await call('${path}', { body: ${body} })).cfdi_codigo;`;
  });
  expect(calls).toHaveLength(TABLA.length);
  const all = `${CLIENT}\nexport async function all() {\n${calls.join('\n')}\n}\n`;
  expect(await compile('program.ts', all)).toEqual([]);
});

test('the generated client refuses a word, a field and an error name that the interface does not know', async () => {
  const wrong = `${CLIENT}
export async function wrong() {
  await call('/api/v1/tax/descarga-metadata', { body: { rfc: 'x', tipo: 'todos', desde: 'x', hasta: 'x' } });
  const answer = await call('/api/v1/tax/facturas', { body: { rfc: 'x', desde: 'x', hasta: 'x' } });
  if (answer.cfdi_codigo !== 1 && answer.error === 'NO_EXISTE') return null;
  return answer.cfdi_codigo === 1 ? answer.data.facturas : null;
}`;
  const problems = await compile('wrong.ts', wrong);
  expect(problems).toHaveLength(3);
  expect(problems.join('\n')).toMatch(/todos[\s\S]*NO_EXISTE[\s\S]*facturas/);
});
