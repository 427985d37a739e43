import { CATALOGO } from '@acuse/contract';
import { errorsOf } from '../http/errors-of.ts';
import type { CredencialPedida, Operation } from '../http/operation.ts';
import { errorExamples, errorResponses, FALLO, sharedResponses } from './fallos.ts';
import { type Described, describe, exampleOf, type NamedSchemas, named, refTo, resolve } from './schema.ts';
import { EXITO, HEADERS, headersOf, PARAMETERS } from './shared.ts';

/** The credential labels as the specification writes them. */
export const CREDENCIALES: Record<CredencialPedida, string> = {
  'api-key': 'API key',
  ciec: 'API key + CIEC',
  efirma: 'API key + e.firma',
  'ciec-o-efirma': 'API key + CIEC o e.firma',
};

const DESCRIPTION = `Consulta de CFDI y de información fiscal ante el SAT, con las credenciales del contribuyente.

Todas las operaciones son POST con cuerpo y respuesta JSON. Toda respuesta lleva \`cfdi_codigo\`: 1 es éxito; cualquier otro valor es un código de error. El mismo código puede tener varios significados; el campo \`error\` dice cuál con un nombre que no cambia.

Toda petición debe llevar un encabezado \`User-Agent\` que identifique a la aplicación, de hasta 512 caracteres; sin él se contesta 403/6001. Las bibliotecas de HTTP y los navegadores envían uno por sí mismos, por eso no figura como parámetro.

Las respuestas pueden ganar campos nuevos sin aviso; los que hay no cambian de significado.`;

const TAGS: Readonly<Record<string, string>> = {
  descarga: 'Solicitudes de descarga masiva, sus paquetes y el estado de un CFDI.',
  efos: 'Listas del artículo 69-B del Código Fiscal de la Federación.',
  tax: 'Consultas al SAT con las credenciales guardadas del contribuyente.',
  usuario: 'Datos del contribuyente.',
  vault: 'Asociación del RFC con la API key y custodia de sus credenciales.',
};

/** The OpenAPI 3.1 description of the loaded operations. The same operations give the same bytes. */
export function openApiDocument(operations: readonly Operation[]): Record<string, unknown> {
  const sorted = [...operations].sort((a, b) => (a.path < b.path ? -1 : 1));
  const errores = sorted.flatMap(errorsOf);
  const shared = sharedResponses(sorted.map(errorsOf));
  const schemas = sorted.flatMap((operation) => [describeBody(operation).named, describeAnswer(operation).named]);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Acuse',
      version: '1.0.0',
      description: DESCRIPTION,
      contact: { name: 'El operador de esta instalación' },
      license: { name: 'Propietaria', identifier: 'LicenseRef-Propietaria' },
    },
    servers: [{ url: '/', description: 'Esta instalación' }],
    security: [{ apiKey: [] }],
    tags: [...new Set(sorted.map(tagOf))].map((name) => ({ name, description: TAGS[name] ?? name })),
    paths: Object.fromEntries(
      sorted.map((operation) => [`/api/v1/${operation.path}`, { post: post(operation, shared) }]),
    ),
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'Authorization: Bearer <API_KEY>' },
      },
      parameters: PARAMETERS,
      headers: HEADERS,
      schemas: sortedByName({ ...FALLO, ...EXITO, ...Object.assign({}, ...schemas) }),
      responses: Object.fromEntries(shared.values()),
      examples: errorExamples(errores),
    },
  };
}

const sortedByName = (schemas: NamedSchemas): NamedSchemas =>
  Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)));

const tagOf = ({ path }: Operation) => path.split('/')[0] ?? path;

/** `tax/facturas-fiel` as `TaxFacturasFiel`. */
const pascal = (path: string) =>
  path
    .split(/[/-]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

function post(operation: Operation, shared: Parameters<typeof errorResponses>[1]): Record<string, unknown> {
  const { path, summary, description, cost, credential } = operation;
  const costo = cost === 0 ? 'Sin costo.' : `Costo: ${cost} crédito.`;
  return {
    operationId: path.replaceAll('/', '-'),
    tags: [tagOf(operation)],
    summary,
    description: [description, `${costo} Credencial: ${CREDENCIALES[credential]}.`].filter(Boolean).join('\n\n'),
    'x-costo': cost,
    'x-credencial': CREDENCIALES[credential],
    parameters: Object.keys(PARAMETERS).map((name) => ({ $ref: `#/components/parameters/${name}` })),
    requestBody: {
      required: true,
      content: {
        'application/json': { schema: describeBody(operation).schema, example: exampleBody(operation) },
      },
    },
    responses: {
      200: {
        description: 'Éxito.',
        headers: headersOf(['RateLimit', 'RateLimit-Policy', 'Idempotent-Replayed']),
        content: {
          'application/json': { schema: describeAnswer(operation).schema, example: exampleAnswer(operation) },
        },
      },
      ...errorResponses(
        errorsOf(operation).map((nombre) => [nombre, CATALOGO[nombre]]),
        shared,
      ),
    },
  };
}

/** The body: the schema's own fields, and the secret ones that never reach it. */
function describeBody({ path, body, secretos }: Operation): Described {
  const plain = describe(body, 'input');
  const fields = Object.entries(secretos);
  if (fields.length === 0) return named(`Peticion${pascal(path)}`, plain);
  const { properties, required = [], ...rest } = resolve(plain.schema, plain.named);
  const secretProperties = fields.map(([campo, { description, example, encoding }]) => [
    campo,
    {
      ...{ type: 'string', description, example },
      ...(encoding === 'base64' ? { contentEncoding: 'base64' } : { format: 'password' }),
    },
  ]);
  const demanded = fields.filter(([, { required: isRequired }]) => isRequired).map(([campo]) => campo);
  const schema = {
    ...rest,
    properties: { ...properties, ...Object.fromEntries(secretProperties) },
    required: [...required, ...demanded],
  };
  return named(`Peticion${pascal(path)}`, { schema, named: {} });
}

/** The envelope of a success with the operation's data in it. */
function describeAnswer({ path, data, envelope }: Operation): Described {
  const described = data === null ? null : named(`Datos${pascal(path)}`, describe(data, 'output'));
  const properties = {
    ...(envelope ? { cfdi_descripcion: { type: 'string', example: envelope.descripcion } } : {}),
    ...(described ? { data: described.schema } : {}),
    ...(envelope ? { saldo: { type: 'integer', minimum: 0, description: 'Créditos restantes.', example: 99 } } : {}),
  };
  const own = { type: 'object', properties, required: Object.keys(properties) };
  const schema = described === null ? refTo('Exito') : { allOf: [refTo('Exito'), own] };
  return named(`Respuesta${pascal(path)}`, { schema, named: { ...EXITO, ...described?.named } });
}

/** A body that the operation takes. */
export function exampleBody(operation: Operation): unknown {
  const { schema, named } = describeBody(operation);
  return exampleOf(schema, named);
}

/** An answer of the operation to a call that succeeds. */
export function exampleAnswer(operation: Operation): unknown {
  const { schema, named } = describeAnswer(operation);
  return exampleOf(schema, named);
}
