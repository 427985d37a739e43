import { readFile } from 'node:fs/promises';
import { CATALOGO } from '@acuse/contract';
import { expect, test } from 'vitest';
import { operationDocuments } from '../../apps/api/src/docs/write.ts';
import { createKit, operations } from '../../apps/api/test/kit.ts';

const documents = await operationDocuments();
const text = documents['docs/openapi.json'];

test.each(Object.entries(documents))('%s is what the operations say (npm run generate)', async (path, wanted) => {
  expect(await readFile(new URL(`../../${path}`, import.meta.url), 'utf8')).toBe(wanted);
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
    const names = (post.parameters as { $ref: string }[]).map(({ $ref }) => $ref);
    expect([path, names]).toEqual([path, expect.arrayContaining(['#/components/parameters/Idempotency-Key'])]);
    expect([path, post.responses]).toEqual([path, expect.objectContaining({ 409: expect.anything() })]);
  }
});

test('any page may read the document, without credentials, and is answered 304 when it has not changed', async () => {
  const kit = await createKit();
  const ask = (method: string, headers: Record<string, string>) =>
    kit.api.app.request('/openapi.json', { method, headers: { origin: 'https://docs.example', ...headers } });
  const first = await ask('GET', {});
  const tag = first.headers.get('etag') ?? '';
  expect([first.status, tag]).toEqual([200, expect.stringMatching(/^(W\/)?"[^"]+"$/)]);
  expect(first.headers.get('access-control-allow-origin')).toBe('*');
  expect(first.headers.get('access-control-allow-credentials')).toBeNull();
  expect(first.headers.get('cache-control')).toBe('no-cache');
  const again = await ask('GET', { 'if-none-match': tag });
  expect([again.status, await again.text()]).toEqual([304, '']);
  expect(again.headers.get('access-control-allow-origin')).toBe('*');
  expect(again.headers.get('x-request-id')).toBeTruthy();
  expect((await ask('GET', { 'if-none-match': '"another"' })).status).toBe(200);
  const preflight = await ask('OPTIONS', {
    'access-control-request-method': 'GET',
    'access-control-request-headers': 'if-none-match',
  });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get('access-control-allow-methods')).toBe('GET');
  expect(preflight.headers.get('access-control-allow-headers')).toMatch(/if-none-match/i);
});

test('an operation may not be called by any page: it answers no CORS header', async () => {
  const kit = await createKit();
  const answer = await kit.call('tax/facturas', {}, { headers: { origin: 'https://docs.example' } });
  expect(answer.headers.get('access-control-allow-origin')).toBeNull();
});

test('every operation has its id, its tag, its headers and a User-Agent only in the description', async () => {
  const { paths, tags, info, components } = JSON.parse(text);
  const ids = Object.values<Documented>(paths).map(({ post }) => post.operationId);
  expect(new Set(ids).size).toBe((await operations()).length);
  expect(info.description).toContain('User-Agent');
  const named = new Set(
    Object.values<Documented>(paths).flatMap(({ post }) => post.parameters.map(({ $ref }) => $ref)),
  );
  expect(named.size).toBe(2);
  for (const name of named) {
    const parameter = components.parameters[name.split('/').at(-1) ?? ''];
    expect([parameter.name, parameter.required]).toEqual([parameter.name, false]);
    expect(parameter.name).not.toBe('User-Agent');
  }
  for (const { name, description } of tags)
    expect([name, description]).toEqual([name, expect.stringMatching(/ .+\.$/)]);
  for (const [path, { post }] of Object.entries<Documented>(paths)) {
    expect(tags.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(post.tags));
    for (const [status, named] of Object.entries(post.responses)) {
      const response = named.$ref ? components.responses[named.$ref.split('/').at(-1) ?? ''] : named;
      const headers = Object.keys(response.headers);
      expect([path, status, headers.includes('X-Request-Id')]).toEqual([path, status, true]);
      const retries = ['409', '429', '503'].includes(status);
      expect([path, status, headers.includes('Retry-After')]).toEqual([path, status, retries]);
    }
  }
});

test('the components name what operations share, and every error', () => {
  const { components, paths } = JSON.parse(text);
  const { schemas } = components;
  expect(Object.keys(schemas)).toEqual(
    expect.arrayContaining(['Factura', 'Solicitud', 'Fallo', 'NombreFallo', 'Exito', 'EstadoSolicitud', 'Opinion']),
  );
  expect(schemas.NombreFallo.enum).toEqual(Object.keys(CATALOGO).sort());
  expect(schemas.Fallo.properties.cfdi_codigo.$ref).toBe('#/components/schemas/CodigoFallo');
  expect(schemas.CodigoFallo.type).toBe('integer');
  expect(schemas.Exito.properties.cfdi_codigo).toMatchObject({ type: 'integer', const: 1 });
  const dataOf = (path: string) => schemas[`Respuesta${path}`].allOf[1].properties.data.$ref;
  expect(dataOf('TaxFacturas')).toBe(dataOf('TaxFacturasFiel'));
  // A body or an answer is never written twice: each is a reference.
  for (const [path, { post }] of Object.entries<Documented>(paths)) {
    const inline = [post.requestBody, post.responses['200']].filter(
      (part) => part?.content['application/json'].schema.$ref === undefined,
    );
    expect([path, inline]).toEqual([path, []]);
  }
});

test('every example agrees with its own schema and with itself', async () => {
  const { paths } = JSON.parse(text);
  for (const operation of await operations()) {
    const { post }: Documented = paths[`/api/v1/${operation.path}`];
    const { data, cfdi_codigo: codigo } = post.responses['200']?.content['application/json'].example ?? {};
    expect([operation.path, codigo]).toEqual([operation.path, 1]);
    expect([operation.path, operation.data?.safeParse(data).error]).toEqual([operation.path, undefined]);
    const { desde, hasta, total, items, estado, terminada_en: terminada } = data ?? {};
    if (items && total !== undefined) expect(total).toBe(items.length);
    if (desde && hasta) expect(desde < hasta).toBe(true);
    if (terminada !== undefined) expect(terminada === null).toBe(estado === 'EN_PROCESO');
    const body = post.requestBody.content['application/json'].example;
    expect([operation.path, data?.rfc ?? body.rfc]).toEqual([operation.path, body.rfc]);
    // A sum names no CFDI.
    if (body.uuid && operation.path !== 'cfdi/resumen') expect((items?.[0] ?? data)?.uuid).toBe(body.uuid);
    if (body.solicitud_id) expect(data?.solicitud_id).toBe(body.solicitud_id);
  }
});

interface Example {
  readonly cfdi_codigo?: number;
  readonly data?: Example;
  readonly rfc?: string;
  readonly uuid?: string;
  readonly solicitud_id?: string;
  readonly desde?: string;
  readonly hasta?: string;
  readonly total?: number;
  readonly items?: readonly Example[];
  readonly estado?: string;
  readonly terminada_en?: string | null;
}
interface Content {
  readonly content: { 'application/json': { schema: { $ref?: string }; example: Example } };
}
interface Documented {
  readonly post: {
    readonly operationId: string;
    readonly parameters: readonly { readonly $ref: string }[];
    readonly tags: string[];
    readonly requestBody: Content;
    readonly responses: Record<string, Content & { readonly $ref?: string; readonly headers: object }>;
  };
}

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
  for (const [path, { post }] of Object.entries<{ post: { requestBody: never } }>(paths)) {
    const { content } = post.requestBody as { content: { 'application/json': { example: Record<string, unknown> } } };
    const a = await kit.alta({ saldo: 0 });
    const { example } = content['application/json'];
    const body = { ...example, ...('rfc' in example ? { rfc: a.rfc } : {}) };
    const answer = await kit.call(path.replace('/api/v1/', ''), body, { key: a.key });
    expect([path, [2001, 2002].includes(answer.json.cfdi_codigo) && answer.status === 400]).toEqual([path, false]);
  }
});
