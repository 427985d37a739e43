import openapiTS, { astToString } from 'openapi-typescript';

interface Ref {
  readonly $ref: string;
}
interface Campo {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly contentEncoding?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly example?: unknown;
}
interface Peticion {
  readonly required?: readonly string[];
  readonly properties: Readonly<Record<string, Campo>>;
}
type Json<T> = { readonly content: { readonly 'application/json': T } };
type Respuesta = Json<{ readonly schema: Ref; readonly examples?: Readonly<Record<string, unknown>> }>;

/** What is read of docs/openapi.json. */
export interface Documento {
  readonly openapi: string;
  readonly info: unknown;
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, { readonly post: Operacion }>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, unknown>>;
    readonly responses: Readonly<Record<string, Respuesta>>;
    readonly examples: Readonly<Record<string, { readonly value: { readonly cfdi_codigo: number } }>>;
  };
}
interface Operacion {
  readonly summary: string;
  readonly description: string;
  readonly 'x-costo': number;
  readonly 'x-credencial': string;
  readonly requestBody: Json<{ readonly schema: Ref }>;
  readonly responses: Readonly<Record<string, Respuesta | Ref>>;
}

/** What changes nothing, and so is repeated without an `Idempotency-Key`, for which the service would keep each answer. */
const LECTURAS = new Set([
  ...['descarga/listar', 'descarga/paquete', 'descarga/verificar', 'efos/consultar', 'uso/consultar'],
  ...['tax/opinion-cumplimiento-publica', 'vault/estado', 'vault/firma-estado', 'webhooks/entregas', 'webhooks/listar'],
]);

const BASE = '/api/v1/';
const nameOf = ({ $ref }: Ref) => $ref.slice($ref.lastIndexOf('/') + 1);
const camel = (words: string) => words.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
const HEAD = '// Generated from docs/openapi.json by `npm run generate`.\n';

function responsesOf({ components }: Documento, operacion: Operacion) {
  return Object.entries(operacion.responses).map(([status, answer]) => {
    const found = '$ref' in answer ? components.responses[nameOf(answer)] : answer;
    if (found === undefined) throw new Error(`docs/openapi.json has no response ${JSON.stringify(answer)}`);
    const { schema, examples = {} } = found.content['application/json'];
    return { http: Number(status), schema, nombres: Object.keys(examples) };
  });
}

function operationsOf(documento: Documento) {
  return Object.entries(documento.paths).map(([address, { post }]) => {
    const path = address.replace(BASE, '');
    const [grupo = '', accion = ''] = path.split('/');
    const responses = responsesOf(documento, post);
    const success = responses.find(({ http }) => http === 200);
    if (success === undefined) throw new Error(`${address} has no response 200`);
    return {
      ...{ path, grupo, accion, metodo: camel(accion), responses, costo: post['x-costo'], post },
      peticion: nameOf(post.requestBody.content['application/json'].schema),
      respuesta: nameOf(success.schema),
    };
  });
}
type Publicada = ReturnType<typeof operationsOf>[number];

/** Names of errors that every operation may answer are not repeated at each of them. */
function ownErrors(operations: readonly Publicada[], { responses }: Publicada): string[] {
  const isOwn = (nombre: string) =>
    !operations.every((other) => other.responses.some(({ nombres }) => nombres.includes(nombre)));
  return responses.flatMap(({ http, nombres }) => (http === 200 ? [] : nombres.filter(isOwn)));
}

function methodText(operations: readonly Publicada[], one: Publicada): string {
  const { path, metodo, peticion, respuesta, post } = one;
  const errors = ownErrors(operations, one);
  return `    /**
     * ${post.summary}.
     *
     * ${post.description.replace(/\n+/g, '\n     *\n     * ')}
${errors.length === 0 ? '' : `     *\n     * @throws AcuseError ${errors.join(', ')}, y los comunes a toda operación.\n`}     */
    ${metodo}: (peticion: ${peticion}, opciones?: OpcionesLlamada): Promise<${respuesta}> =>
      this.call('${path}', ${!LECTURAS.has(path)}, peticion, opciones),
`;
}

function operationsText(documento: Documento, version: string): string {
  const operations = operationsOf(documento);
  const names = [...new Set(operations.flatMap(({ peticion, respuesta }) => [peticion, respuesta]))].sort();
  const groups = documento.tags
    .map(({ name, description }) => ({ name, description, own: operations.filter(({ grupo }) => grupo === name) }))
    .filter(({ own }) => own.length > 0)
    .map(
      ({ name, description, own }) => `
  /** ${description ?? name} */
  readonly ${name} = {
${own.map((one) => methodText(operations, one)).join('')}  };
`,
    );
  return `${HEAD}import type { OpcionesLlamada } from '../transport.ts';
import type { ${names.join(', ')} } from './openapi.ts';

export const VERSION = '${version}';

/** Every operation of the service, grouped as its paths are. */
export abstract class Operaciones {
  /** Calls an operation by its path; \`changes\` tells that it charges or changes something. */
  protected abstract call<T>(path: string, changes: boolean, peticion: object, opciones?: OpcionesLlamada): Promise<T>;
${groups.join('')}}
`;
}

/** Every error by its name, with the code and the HTTP status that it comes with. */
function errorsText(documento: Documento): string {
  const statuses = new Map(
    operationsOf(documento).flatMap(({ responses }) =>
      responses.flatMap(({ http, nombres }) => (http === 200 ? [] : nombres.map((nombre) => [nombre, http] as const))),
    ),
  );
  const lines = Object.entries(documento.components.examples).map(([nombre, { value }]) => {
    return `  ${nombre}: { codigo: ${value.cfdi_codigo}, http: ${statuses.get(nombre)} },\n`;
  });
  return `${HEAD}import type { NombreFallo } from './openapi.ts';

/** Every error that an operation answers, by its name: its \`cfdi_codigo\` and its HTTP status. */
export const FALLOS = {
${lines.join('')}} as const satisfies Partial<Record<NombreFallo, { readonly codigo: number; readonly http: number }>>;
`;
}

function fieldsOf({ components }: Documento, peticion: string) {
  const { required = [], properties } = components.schemas[peticion] as Peticion;
  return Object.entries(properties).map(([nombre, own]) => {
    const campo =
      own.$ref === undefined ? own : { ...(components.schemas[nameOf({ $ref: own.$ref })] as Campo), ...own };
    const { type = 'string', format, contentEncoding, description = '', enum: valores, example } = campo;
    return {
      ...{ nombre, descripcion: description, tipo: type, esObligatorio: required.includes(nombre) },
      ...{ esSecreto: format === 'password', esArchivo: contentEncoding === 'base64', valores: valores ?? null },
      ejemplo: example ?? null,
    };
  });
}

/** What a program needs that offers the operations to people: texts, prices and fields. */
function catalogueText(documento: Documento): string {
  const operaciones = operationsOf(documento).map(({ path, grupo, accion, metodo, costo, peticion, post }) => ({
    ...{ path, grupo, accion, metodo, resumen: post.summary, descripcion: post.description, costo },
    credencial: post['x-credencial'],
    campos: fieldsOf(documento, peticion),
  }));
  const grupos = documento.tags.filter(({ name }) => operaciones.some(({ grupo }) => grupo === name));
  return `${HEAD}
/** A field of the body of an operation. */
export interface CampoOperacion {
  readonly nombre: string;
  readonly descripcion: string;
  /** As JSON Schema calls it: \`string\`, \`number\`, \`integer\`; \`array\` is one of strings. */
  readonly tipo: string;
  readonly esObligatorio: boolean;
  /** A password: never to be shown, logged or taken from a command line. */
  readonly esSecreto: boolean;
  /** The content of a file, in base64. */
  readonly esArchivo: boolean;
  /** The only values that it may have. */
  readonly valores: readonly string[] | null;
  readonly ejemplo: unknown;
}

/** An operation as it is offered to people. */
export interface OperacionDelServicio {
  /** \`grupo/accion\`, below \`/api/v1/\`. */
  readonly path: string;
  readonly grupo: string;
  readonly accion: string;
  /** Its name in the group of the client. */
  readonly metodo: string;
  readonly resumen: string;
  readonly descripcion: string;
  /** Credits. */
  readonly costo: number;
  readonly credencial: string;
  readonly campos: readonly CampoOperacion[];
}

/** The groups of the operations, with what each is about. */
export const GRUPOS: readonly { readonly name: string; readonly description?: string }[] = ${JSON.stringify(grupos, null, 2)};

/** Every operation of the service. */
export const OPERACIONES: readonly OperacionDelServicio[] = ${JSON.stringify(operaciones, null, 2)};
`;
}

/** The files of packages/sdk/src/generated, by their name. */
export async function sdkFiles(documento: Documento, version: string): Promise<Readonly<Record<string, string>>> {
  const { openapi, info, components } = documento;
  const schemas = { openapi, info, paths: {}, components: { schemas: components.schemas } };
  const types = await openapiTS(JSON.stringify(schemas), {
    ...{ silent: true, rootTypes: true, rootTypesNoSchemaPrefix: true },
  });
  return {
    'openapi.ts': `${HEAD}${astToString(types).replace(/^export type [\w$]+ = Record<string, never>;\n/gm, '')}`,
    'operaciones.ts': operationsText(documento, version),
    'fallos.ts': errorsText(documento),
    'catalogo.ts': catalogueText(documento),
  };
}
