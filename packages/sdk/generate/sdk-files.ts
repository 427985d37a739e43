import openapiTS, { astToString } from 'openapi-typescript';
import {
  answerOf,
  type Documento,
  eventsOf,
  fieldsOf,
  groupsOf,
  operationsOf,
  ownErrors,
  type Publicada,
  textOf,
  wholeSchema,
} from './documento.ts';

const HEAD = '// Generated from docs/openapi.json by `npm run generate`.\n';

function methodText(operations: readonly Publicada[], one: Publicada): string {
  const { path, metodo, peticion, respuesta, changes } = one;
  const errors = ownErrors(operations, one);
  return `    /**
     * ${textOf(one).join('\n     *\n     * ')}
${errors.length === 0 ? '' : `     *\n     * @throws AcuseError ${errors.join(', ')}, y los comunes a toda operación.\n`}     */
    ${metodo}: (peticion: ${peticion}, opciones?: OpcionesLlamada): Promise<${respuesta}> =>
      this.call('${path}', ${changes}, peticion, opciones),
`;
}

function operationsText(documento: Documento, version: string): string {
  const operations = operationsOf(documento);
  const names = [...new Set(operations.flatMap(({ peticion, respuesta }) => [peticion, respuesta]))].sort();
  const groups = groupsOf(documento).map(
    ({ name, description, own }) => `
  /** ${description} */
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

/** What a program needs that offers the operations to people or to other programs: texts, prices, fields, schemas. */
function catalogueText(documento: Documento): string {
  const operaciones = operationsOf(documento).map((one) => ({
    path: one.path,
    grupo: one.grupo,
    accion: one.accion,
    metodo: one.metodo,
    resumen: one.post.summary,
    descripcion: one.post.description,
    costo: one.costo,
    cambia: one.changes,
    credencial: one.post['x-credencial'],
    campos: fieldsOf(documento, one.peticion).map(({ nombre, campo, esObligatorio }) => ({
      nombre,
      descripcion: campo.description ?? '',
      tipo: campo.type ?? 'string',
      esObligatorio,
      esSecreto: campo.format === 'password',
      esArchivo: campo.contentEncoding === 'base64',
      valores: campo.enum ?? null,
      ejemplo: campo.example ?? null,
      esquema: wholeSchema(documento, campo),
    })),
    respuesta: answerOf(documento, one),
  }));
  const grupos = documento.tags
    .filter(({ name }) => operaciones.some(({ grupo }) => grupo === name))
    .map(({ name, description }) => ({ name, description }));
  return `${HEAD}
/** A JSON Schema without references. */
export type Esquema = Readonly<Record<string, unknown>>;

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
  readonly esquema: Esquema;
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
  /** Whether it charges or changes something; what does neither only reads what the service knows. */
  readonly cambia: boolean;
  readonly credencial: string;
  readonly campos: readonly CampoOperacion[];
  /** What is answered beside \`cfdi_codigo\` and its texts. */
  readonly respuesta: Esquema;
}

/** The groups of the operations, with what each is about. */
export const GRUPOS: readonly { readonly name: string; readonly description?: string }[] = ${JSON.stringify(grupos, null, 2)};

/** Every operation of the service. */
export const OPERACIONES: readonly OperacionDelServicio[] = [
${operaciones.map((one) => `  ${JSON.stringify(one)},\n`).join('')}];
`;
}

/** Every event in one type that narrows by `type`. */
const eventsText = (documento: Documento) => `
/** Event of a webhook; a check of \`type\` narrows \`data\`. */
export type EventoWebhook =
${eventsOf(documento)
  .map(({ schema }) => `    | ${schema}`)
  .join('\n')};
`;

/** The files of packages/sdk/src/generated, by their name. */
export async function sdkFiles(documento: Documento, version: string): Promise<Readonly<Record<string, string>>> {
  const { openapi, info, components } = documento;
  const schemas = { openapi, info, paths: {}, components: { schemas: components.schemas } };
  const types = await openapiTS(JSON.stringify(schemas), {
    silent: true,
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
  });
  return {
    'openapi.ts': `${HEAD}${astToString(types).replace(/^export type [\w$]+ = Record<string, never>;\n/gm, '')}${eventsText(documento)}`,
    'operaciones.ts': operationsText(documento, version),
    'fallos.ts': errorsText(documento),
    'catalogo.ts': catalogueText(documento),
  };
}
