import { CATALOGO, CODIGO_EXITO, TEXTO_EXITO } from '@acuse/contract';
import { z } from 'zod';
import { errorsOf } from '../http/errors-of.ts';
import type { CredencialPedida, Operation } from '../http/operation.ts';
import { exampleOf, type JsonSchema, schemaOf } from './schema.ts';
import { errorExamples, errorResponses, HEADERS, REQUEST_PARAMETERS } from './shared.ts';

/** The credential labels as the specification writes them. */
export const CREDENCIALES: Record<CredencialPedida, string> = {
  'api-key': 'API key',
  ciec: 'API key + CIEC',
  efirma: 'API key + e.firma',
  'ciec-o-efirma': 'API key + CIEC o e.firma',
};

const DESCRIPTION = `Consulta de CFDI y de información fiscal ante el SAT, con las credenciales del contribuyente.

Todas las operaciones son POST con cuerpo y respuesta JSON. Toda respuesta lleva \`cfdi_codigo\`: 1 es éxito; cualquier otro valor es un código de error. El mismo código puede tener varios significados según el estado HTTP y la operación.`;

/** The OpenAPI 3.1 description of the loaded operations. The same operations give the same bytes. */
export function openApiDocument(operations: readonly Operation[]): Record<string, unknown> {
  const sorted = [...operations].sort((a, b) => (a.path < b.path ? -1 : 1));
  return {
    openapi: '3.1.0',
    info: { title: 'Acuse', version: '1.0.0', description: DESCRIPTION },
    servers: [{ url: '/', description: 'Esta instalación' }],
    security: [{ apiKey: [] }],
    tags: [...new Set(sorted.map(tagOf))].map((name) => ({ name })),
    paths: Object.fromEntries(
      sorted.map((operation) => [`/api/v1/${operation.path}`, { post: post(operation) }]),
    ),
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'Authorization: Bearer <API_KEY>' },
      },
      headers: HEADERS,
      schemas: { Error: errorSchema },
      examples: errorExamples(operations.flatMap(errorsOf)),
    },
  };
}

const errorSchema = {
  type: 'object',
  required: ['cfdi_codigo', 'cfdi_texto'],
  properties: {
    cfdi_codigo: { type: 'integer', description: 'Código de error; nunca 1.' },
    cfdi_texto: { type: 'string', description: 'Qué pasó, por qué y qué hacer.' },
    data: {
      type: 'object',
      properties: {
        campo: { type: 'string', description: 'Campo del cuerpo al que se refiere.' },
        motivo: { type: 'string', description: 'Causa precisa.' },
        reintentar_en: { type: 'number', description: 'Segundos.' },
      },
    },
  },
};

const tagOf = ({ path }: Operation) => path.split('/')[0] ?? path;

function post(operation: Operation): Record<string, unknown> {
  const { path, summary, description, cost, credential } = operation;
  const costo = cost === 0 ? 'Sin costo.' : `Costo: ${cost} crédito.`;
  const body = bodySchema(operation);
  return {
    operationId: path.replaceAll('/', '-'),
    tags: [tagOf(operation)],
    summary,
    description: [description, `${costo} Credencial: ${CREDENCIALES[credential]}.`]
      .filter(Boolean)
      .join('\n\n'),
    'x-costo': cost,
    'x-credencial': CREDENCIALES[credential],
    parameters: REQUEST_PARAMETERS,
    requestBody: {
      required: true,
      content: { 'application/json': { schema: body, example: exampleOf(body) } },
    },
    responses: {
      200: success(operation),
      ...errorResponses(errorsOf(operation).map((nombre) => [nombre, CATALOGO[nombre]])),
    },
  };
}

/** The schema's own fields, and the secret ones that never reach it. */
export function bodySchema({ body, secretos }: Operation): JsonSchema {
  const schema = schemaOf(body, 'input');
  const fields = Object.entries(secretos);
  const secretProperties = fields.map(([campo, { description, example, encoding }]) => [
    campo,
    { type: 'string', description, example, ...(encoding === 'base64' ? { contentEncoding: 'base64' } : {}) },
  ]);
  const required = fields.filter(([, { required: isRequired }]) => isRequired).map(([campo]) => campo);
  return {
    ...schema,
    properties: { ...schema.properties, ...Object.fromEntries(secretProperties) },
    required: [...(schema.required ?? []), ...required],
  };
}

/** The envelope of a success with the operation's data in it. */
export function successSchema({ data, envelope }: Operation): JsonSchema {
  const fields = {
    cfdi_codigo: z.literal(CODIGO_EXITO).meta({ example: CODIGO_EXITO }),
    cfdi_texto: z.string().meta({ example: TEXTO_EXITO }),
    ...(envelope ? { cfdi_descripcion: z.string().meta({ example: envelope.descripcion }) } : {}),
    ...(data ? { data } : {}),
    ...(envelope ? { saldo: z.number().meta({ description: 'Créditos restantes.', example: 99 }) } : {}),
  };
  return schemaOf(z.object(fields), 'output');
}

function success(operation: Operation): Record<string, unknown> {
  const schema = successSchema(operation);
  return {
    description: 'Éxito.',
    headers: Object.fromEntries(
      ['X-Request-Id', 'RateLimit', 'RateLimit-Policy', 'Idempotent-Replayed'].map((name) => [
        name,
        { $ref: `#/components/headers/${name}` },
      ]),
    ),
    content: { 'application/json': { schema, example: exampleOf(schema) } },
  };
}
