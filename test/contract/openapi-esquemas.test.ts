import { EVENTOS_WEBHOOK, RFC_PATTERN } from '@acuse/contract';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { operationDocuments } from '../../apps/api/src/docs/write.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly example?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}
interface Aviso {
  readonly operationId: string;
  readonly requestBody: { readonly content: { 'application/json': { readonly schema: Schema; example: object } } };
}
const documento: {
  readonly servers: readonly { readonly url: string; readonly variables?: Record<string, { default: string }> }[];
  readonly paths: Readonly<Record<string, { readonly post: { readonly operationId: string } }>>;
  readonly webhooks?: Readonly<Record<string, { readonly post: Aviso }>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
} = JSON.parse((await operationDocuments())['docs/openapi.json']);
const { schemas } = documento.components;

const nameOf = ({ $ref = '' }: Schema) => $ref.replace('#/components/schemas/', '');
const found = (schema: Schema): Schema =>
  schema.$ref === undefined ? schema : { ...schemas[nameOf(schema)], ...schema };

/** Every property of every schema, with where it stands. */
const properties = Object.entries(schemas).flatMap(([name, schema]) => propertiesOf(name, schema));
function propertiesOf(where: string, node: unknown): (readonly [where: string, name: string, schema: Schema])[] {
  if (typeof node !== 'object' || node === null) return [];
  const own = Object.entries((node as Schema).properties ?? {});
  return [
    ...own.map(([name, schema]) => [`${where}.${name}`, name, schema] as const),
    ...Object.entries(node)
      .filter(([key]) => key !== 'example')
      .flatMap(([key, inner]) => propertiesOf(key === 'properties' ? where : `${where}/${key}`, inner)),
  ];
}
/** What a field may be, the null of a nullable one left out. */
const formsOf = (schema: Schema): readonly Schema[] =>
  schema.anyOf === undefined ? [found(schema)] : schema.anyOf.flatMap(formsOf).filter(({ type }) => type !== 'null');

test('every property is described, by itself or by what it refers to', () => {
  expect(properties.length).toBeGreaterThan(400);
  expect(properties.filter(([, , schema]) => !found(schema).description).map(([where]) => where)).toEqual([]);
});

test('every closed set of words is a named enum', () => {
  const inline = (where: string, node: unknown): string[] => {
    if (typeof node !== 'object' || node === null) return [];
    const own = ((node as Schema).enum?.length ?? 0) > 1 && !(where in schemas) ? [where] : [];
    return [...own, ...Object.entries(node).flatMap(([key, inner]) => inline(`${where}/${key}`, inner))];
  };
  expect(Object.entries(schemas).flatMap(([name, schema]) => inline(name, schema))).toEqual([]);
  expect(schemas['TipoEvento']?.enum).toEqual(EVENTOS_WEBHOOK);
  expect(schemas['IntentoWebhook']?.properties?.['error']?.anyOf?.map(nameOf)).toContain('FalloDeEntrega');
});

test('RFCs, local times and amounts that are text have a pattern, which their examples keep', () => {
  const texts = properties.flatMap(([where, name, schema]) =>
    formsOf(schema)
      .filter(({ type, enum: words }) => type === 'string' && words === undefined)
      .map((form) => ({ where, name, pattern: form.pattern, example: schema.example ?? form.example })),
  );
  const rfcs = texts.filter(({ name }) => /^rfc$|_rfc$|^rfc_/.test(name));
  expect(rfcs.length).toBeGreaterThan(40);
  expect(rfcs.filter(({ pattern }) => pattern !== RFC_PATTERN)).toEqual([]);
  const shaped = texts.filter(({ example }) => /^-?\d+\.\d\d$|^\d{4}-\d\d-\d\dT[\d:]+$/.test(String(example)));
  expect(shaped.length).toBeGreaterThan(15);
  expect(shaped.filter(({ pattern, example }) => !RegExp(pattern ?? '$^').test(String(example)))).toEqual([]);
  const amounts = texts.filter(({ where, example }) => /^\d+\.\d\d$/.test(String(example)) && !/^Peticion/.test(where));
  expect(amounts.filter(({ pattern }) => pattern !== schemas['Importe']?.pattern)).toEqual([]);
});

test('operations have ids in camelCase, and another installation is a server with a variable', () => {
  const ids = Object.values(documento.paths).map(({ post }) => post.operationId);
  expect(ids.filter((id) => !/^[a-z]+([A-Z0-9][a-z0-9]*)*$/.test(id))).toEqual([]);
  expect(documento.paths['/api/v1/tax/opinion-cumplimiento-fiel']?.post.operationId).toBe('taxOpinionCumplimientoFiel');
  const [own, other] = documento.servers;
  expect(own?.url).toBe('/');
  expect(other).toMatchObject({ url: 'https://{servidor}', variables: { servidor: { default: expect.any(String) } } });
});

test('every event is a webhook with a schema selected by its type, and with a valid example', () => {
  const { webhooks = {} } = documento;
  expect(Object.keys(webhooks).sort()).toEqual([...EVENTOS_WEBHOOK, 'prueba'].sort());
  const ajv = new Ajv2020({ strict: false, validateFormats: false, schemas: [{ $id: 'acuse:', ...documento }] });
  for (const [tipo, { post }] of Object.entries(webhooks)) {
    const { schema, example } = post.requestBody.content['application/json'];
    const { properties: fields, required } = schemas[nameOf(schema)] ?? {};
    expect([tipo, fields?.['type']?.const, required]).toEqual([tipo, tipo, ['type', 'timestamp', 'data']]);
    const validate = ajv.compile({ $ref: `acuse:#/components/schemas/${nameOf(schema)}` });
    expect([tipo, validate(example), validate.errors]).toEqual([tipo, true, null]);
  }
});
