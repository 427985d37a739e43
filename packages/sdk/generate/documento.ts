import { FALLOS_LOCALES } from '../src/errors.ts';

interface Ref {
  readonly $ref: string;
}
/** What an enumeration has. */
export type Valor = string | number | boolean;
/** A schema, as far as this document uses JSON Schema. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly contentEncoding?: string;
  readonly description?: string;
  readonly enum?: readonly Valor[];
  readonly const?: Valor;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly example?: unknown;
  readonly examples?: readonly unknown[];
}
type Json<T> = { readonly content: { readonly 'application/json': T } };
type Respuesta = Json<{ readonly schema: Ref; readonly examples?: Readonly<Record<string, unknown>> }>;

/** Fields of docs/openapi.json that the generator reads. */
export interface Documento {
  readonly openapi: string;
  readonly info: unknown;
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, { readonly post: Operacion }>>;
  readonly webhooks: Readonly<Record<string, { readonly post: Pick<Operacion, 'requestBody'> }>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly responses: Readonly<Record<string, Respuesta>>;
    readonly examples: Readonly<
      Record<string, { readonly value: { readonly cfdi_codigo: number; readonly cfdi_texto: string } }>
    >;
  };
}
interface Operacion {
  readonly summary: string;
  readonly description: string;
  readonly 'x-costo': number;
  readonly 'x-credencial': string;
  readonly 'x-efecto': 'lee' | 'pregunta' | 'cambia';
  readonly requestBody: Json<{ readonly schema: Ref }>;
  readonly responses: Readonly<Record<string, Respuesta | Ref>>;
}

const BASE = '/api/v1/';
export const nameOf = ({ $ref }: Ref) => $ref.slice($ref.lastIndexOf('/') + 1);
const camel = (words: string) => words.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

function responsesOf({ components }: Documento, operacion: Operacion) {
  return Object.entries(operacion.responses).map(([status, answer]) => {
    const found = '$ref' in answer ? components.responses[nameOf(answer)] : answer;
    if (found === undefined) throw new Error(`docs/openapi.json has no response ${JSON.stringify(answer)}`);
    const { schema, examples = {} } = found.content['application/json'];
    return { http: Number(status), schema, nombres: Object.keys(examples) };
  });
}

/** Every operation, with the names of its request and answer. */
export function operationsOf(documento: Documento) {
  return Object.entries(documento.paths).map(([address, { post }]) => {
    const path = address.replace(BASE, '');
    const [grupo = '', accion = ''] = path.split('/');
    const responses = responsesOf(documento, post);
    const success = responses.find(({ http }) => http === 200);
    if (success === undefined) throw new Error(`${address} has no response 200`);
    return {
      path,
      grupo,
      accion,
      metodo: camel(accion),
      responses,
      costo: post['x-costo'],
      post,
      // The rest is repeated without an `Idempotency-Key`, for which the service would keep each answer.
      changes: post['x-efecto'] === 'cambia' || post['x-costo'] > 0,
      peticion: nameOf(post.requestBody.content['application/json'].schema),
      respuesta: nameOf(success.schema),
    };
  });
}
export type Publicada = ReturnType<typeof operationsOf>[number];

/** Names of errors that every operation may answer are not repeated at each of them. */
export function ownErrors(operations: readonly Publicada[], { responses }: Publicada): string[] {
  const isOwn = (nombre: string) =>
    !operations.every((other) => other.responses.some(({ nombres }) => nombres.includes(nombre)));
  return responses.flatMap(({ http, nombres }) => (http === 200 ? [] : nombres.filter(isOwn)));
}

/** Events that the service sends: each type with the name of its schema. */
export function eventsOf({ webhooks }: Documento) {
  return Object.entries(webhooks).map(([type, { post }]) => ({
    type,
    schema: nameOf(post.requestBody.content['application/json'].schema),
  }));
}

/** The fields of the body of an operation, what they refer to filled in. */
export function fieldsOf({ components }: Documento, peticion: string) {
  const { required = [], properties = {} } = components.schemas[peticion] ?? {};
  return Object.entries(properties).map(([nombre, { $ref, ...own }]) => {
    const found = $ref === undefined ? {} : components.schemas[nameOf({ $ref })];
    return { nombre, campo: { ...found, ...own }, esObligatorio: required.includes(nombre) };
  });
}

const mapped = (schemas: Readonly<Record<string, JsonSchema>>, change: (one: JsonSchema) => JsonSchema) =>
  Object.fromEntries(Object.entries(schemas).map(([name, one]) => [name, change(one)]));

/** A schema by itself, as JSON Schema has it: what it refers to filled in, and examples by the name that it gives them. */
export function wholeSchema(documento: Documento, schema: JsonSchema): JsonSchema {
  const { $ref, example, properties, items, anyOf, ...own } = schema;
  const whole = (one: JsonSchema) => wholeSchema(documento, one);
  const found = $ref === undefined ? {} : whole(documento.components.schemas[nameOf({ $ref })] ?? {});
  return {
    ...found,
    ...own,
    ...(example === undefined || example === null ? {} : { examples: [example] }),
    ...(properties === undefined ? {} : { properties: mapped(properties, whole) }),
    ...(items === undefined ? {} : { items: whole(items) }),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map(whole) }),
  };
}

/** The answer of an operation without what every answer has (`cfdi_codigo` and its texts). */
export function answerOf(documento: Documento, { respuesta }: Publicada): JsonSchema {
  const { schemas } = documento.components;
  const [, own] = schemas[respuesta]?.allOf ?? [];
  const { cfdi_descripcion: _, ...properties } = own?.properties ?? {};
  const required = own?.required?.filter((name) => name in properties) ?? [];
  return wholeSchema(documento, { type: 'object', properties, required });
}

/** What an editor shows of an operation, in paragraphs. */
export const textOf = ({ post }: Publicada) => [`${post.summary}.`, ...post.description.split(/\n+/)];

/** The groups of the operations, with what each is about. */
export function groupsOf(documento: Documento) {
  const operations = operationsOf(documento);
  return documento.tags
    .map(({ name, description }) => ({
      name,
      description: description ?? name,
      own: operations.filter(({ grupo }) => grupo === name),
    }))
    .filter(({ own }) => own.length > 0);
}

/** Names of the schemas that a part of the document refers to. */
export const refsIn = (part: unknown): string[] =>
  [...JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name = '']) => name);

/** The names of schemas that these lead to, themselves among them. */
export function reachable({ components }: Documento, names: readonly string[]): ReadonlySet<string> {
  const found = new Set(names);
  for (const name of found) for (const next of refsIn(components.schemas[name])) found.add(next);
  return found;
}

/** Every error of the service. */
export const namesOfErrors = ({ components }: Documento) => components.schemas['NombreFallo']?.enum?.map(String) ?? [];

/** What goes wrong on this side, for languages that have no `AbortSignal` to end a waiting. */
export const FALLOS_PROPIOS = {
  ...FALLOS_LOCALES,
  ESPERA_AGOTADA: 'Pasó el tiempo que dio para esperar. La solicitud sigue: continúe después con su solicitud_id.',
} as const;
