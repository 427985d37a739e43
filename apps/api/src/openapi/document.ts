import {
  CATALOGO,
  CfdiError,
  CODIGO_EXITO,
  type EntradaCatalogo,
  type NombreError,
  sobreDeError,
  TEXTO_EXITO,
} from '@acuse/contract';
import {
  type CredencialPedida,
  type Described,
  describe,
  errorsOf,
  exampleOf,
  type FeatureApi,
  joined,
  type NamedSchemas,
  named,
  type Operation,
  pascal,
  refTo,
  resolve,
} from '@acuse/operation';
import { EVENTOS } from '../deps.ts';
import { FEATURES } from '../features.ts';
import { EJEMPLOS } from './examples.ts';
import { DEPRECATION, HEADERS } from './headers.ts';

/** References to header fields of an answer; every one carries `X-Request-Id`. */
function headersOf(names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(['X-Request-Id', ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/**
 * Header fields of requests. `User-Agent` is not among them: a program in a browser cannot set it, and generated
 * clients could not be called.
 */
const PARAMETERS = {
  'X-Request-Id': {
    name: 'X-Request-Id',
    in: 'header',
    required: false,
    description: 'Identificador propio, de hasta 64 letras, dígitos, puntos, guiones o guiones bajos.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,64}$' },
  },
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'De 1 a 255 caracteres ASCII visibles, sin espacios. La misma petición repetida con la misma clave en 24 horas recibe la misma respuesta (con Idempotent-Replayed: true) y ni se hace ni se cobra otra vez. Una respuesta de error no se conserva: la clave puede usarse de nuevo.',
    schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
  },
} as const;

/** The envelope of every success. */
const EXITO: NamedSchemas = {
  Exito: {
    type: 'object',
    description: 'El sobre de toda respuesta con éxito.',
    required: ['cfdi_codigo', 'cfdi_texto'],
    properties: {
      cfdi_codigo: { type: 'integer', const: CODIGO_EXITO, description: '1: éxito.' },
      cfdi_texto: { type: 'string', description: 'Lo mismo, en palabras.', example: TEXTO_EXITO },
    },
  },
};

const nombres = Object.keys(CATALOGO).sort();
const distinct = (numbers: readonly number[]) => [...new Set(numbers)].sort((a, b) => a - b);

/** The body of every error, and its parts. */
const FALLO: NamedSchemas = {
  NombreFallo: {
    type: 'string',
    description: 'Nombre estable de un error: distingue lo que comparte un cfdi_codigo.',
    enum: nombres,
  },
  CodigoFallo: {
    type: 'integer',
    description: 'Código de error; nunca 1.',
    enum: distinct(Object.values(CATALOGO).map(({ codigo }) => codigo)),
  },
  CampoFallo: {
    type: 'object',
    description: 'Un campo equivocado.',
    required: ['campo', 'motivo'],
    properties: {
      campo: { type: 'string', description: 'Nombre del campo, como se envió.', example: 'desde' },
      motivo: { type: 'string', description: 'Qué tiene de malo.', example: 'falta' },
    },
  },
  DatosFallo: {
    type: 'object',
    description: 'Lo que ayuda a quien llama; cada campo está cuando viene al caso.',
    properties: {
      campo: { type: 'string', description: 'Primer campo equivocado del cuerpo.' },
      motivo: { type: 'string', description: 'Causa precisa.' },
      campos: {
        type: 'array',
        description: 'Todos los campos equivocados; el primero es el de campo y motivo.',
        items: refTo('CampoFallo'),
      },
      reintentar_en: { type: 'integer', minimum: 0, description: 'Segundos que conviene esperar.' },
      webhook_id: { type: 'string', description: 'El webhook que ya hay.' },
    },
  },
  Fallo: {
    type: 'object',
    description: 'El sobre de todo error.',
    required: ['cfdi_codigo', 'cfdi_texto', 'error'],
    properties: {
      cfdi_codigo: refTo('CodigoFallo'),
      cfdi_texto: { type: 'string', description: 'Qué pasó, por qué y qué hacer.' },
      error: refTo('NombreFallo'),
      data: refTo('DatosFallo'),
    },
  },
};

type Entry = readonly [NombreError, EntradaCatalogo];
type Response = Record<string, unknown>;
/** Responses that every operation gives alike, by their JSON: the name of the component and the component. */
type Shared = ReadonlyMap<string, readonly [string, Response]>;

const byStatus = (entries: readonly Entry[]) =>
  distinct(entries.map(([, { http }]) => http)).map(
    (status) => [status, response(entries.filter(([, { http }]) => http === status))] as const,
  );

/** The error responses that are the same in every operation. */
function sharedResponses(errores: readonly (readonly NombreError[])[]): Shared {
  const all = errores.map((own) => byStatus(own.map((nombre) => [nombre, CATALOGO[nombre]])));
  const [first = []] = all;
  const common = first
    .map(([status, answer]) => [JSON.stringify(answer), [`Fallo${status}`, answer]] as const)
    .filter(([json]) => all.every((own) => own.some(([, answer]) => JSON.stringify(answer) === json)));
  return new Map(common);
}

/** One response a status; each error is an example of it. */
function errorResponses(entries: readonly Entry[], shared: Shared): Record<string, unknown> {
  return Object.fromEntries(
    byStatus(entries).map(([status, answer]) => {
      const component = shared.get(JSON.stringify(answer));
      return [status, component ? { $ref: `#/components/responses/${component[0]}` } : answer];
    }),
  );
}

function response(entries: readonly Entry[]): Response {
  const names = entries.map(([nombre]) => nombre);
  const codes = distinct(entries.map(([, { codigo }]) => codigo));
  return {
    description: entries.map(([nombre, { codigo }]) => `${codigo} ${nombre}`).join(', '),
    headers: headersOf(headerNames(entries)),
    content: {
      'application/json': {
        schema: {
          allOf: [
            refTo('Fallo'),
            {
              type: 'object',
              properties: { cfdi_codigo: { type: 'integer', enum: codes }, error: { type: 'string', enum: names } },
            },
          ],
        },
        examples: Object.fromEntries(names.map((nombre) => [nombre, { $ref: `#/components/examples/${nombre}` }])),
      },
    },
  };
}

/** Told before a key's calls are counted. */
const BEFORE_THE_LIMIT = new Set<NombreError>([
  'USER_AGENT_NO_PERMITIDO',
  'API_KEY_INVALIDA',
  'API_KEY_REVOCADA',
  'CUENTA_SUSPENDIDA',
  'IP_NO_PERMITIDA',
  'METODO_NO_PERMITIDO',
  'PARAMETROS_EN_LA_DIRECCION',
]);

function headerNames(entries: readonly Entry[]): string[] {
  const has = (status: number) => entries.some(([, { http }]) => http === status);
  return [
    ...(entries.every(([nombre]) => nombre === 'METODO_NO_PERMITIDO') ? [] : ['X-Acuse-Modo']),
    ...(entries.every(([nombre]) => BEFORE_THE_LIMIT.has(nombre)) ? [] : ['RateLimit', 'RateLimit-Policy']),
    ...(has(409) || has(429) || has(503) ? ['Retry-After'] : []),
    ...(has(401) ? ['WWW-Authenticate'] : []),
    ...(has(405) ? ['Allow'] : []),
  ];
}

/** An answer for every error, shared by all operations. */
function errorExamples(errores: readonly NombreError[]): Record<string, unknown> {
  const unique = [...new Set(errores)].sort();
  return Object.fromEntries(
    unique.map((nombre) => [nombre, { summary: nombre, value: sobreDeError(new CfdiError(nombre, EJEMPLOS[nombre])) }]),
  );
}

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

const TAGS: FeatureApi['tags'] = {
  descarga: ['Descarga masiva', 'Solicitudes de descarga masiva, sus paquetes y el estado de un CFDI.'],
  estado: ['Estado del SAT', 'Cómo contesta el SAT y cuánto tarda.'],
  tax: ['Consultas al SAT', 'Consultas al SAT con las credenciales guardadas del contribuyente.'],
  uso: ['Créditos usados', 'Créditos usados por la cuenta.'],
  usuario: ['Datos fiscales', 'Datos del contribuyente.'],
  vault: ['RFC y credenciales', 'Asociación del RFC con la API key y custodia de sus credenciales.'],
  ...Object.assign({}, ...FEATURES.map(({ tags }) => tags)),
};

const SERVERS = [
  { url: '/', description: 'Esta instalación' },
  {
    url: 'https://{servidor}',
    description: 'Otra instalación, para quien lee una copia de este documento.',
    variables: {
      servidor: {
        default: 'acuse.example',
        description: 'Nombre, y puerto si no es el 443, de la API que dio su operador.',
      },
    },
  },
];

/** The OpenAPI 3.1 description of the loaded operations. The same operations give the same bytes. */
export function openApiDocument(operations: readonly Operation[]): Record<string, unknown> {
  const sorted = [...operations].sort((a, b) => (a.path < b.path ? -1 : 1));
  const errores = sorted.flatMap(errorsOf);
  const partes = FEATURES.flatMap((feature) => feature.document?.(EVENTOS) ?? []);
  const shared = sharedResponses(sorted.map(errorsOf));
  const schemas = joined([
    ['every answer', { ...FALLO, ...EXITO }],
    ...partes.flatMap(({ schemas }) => schemas),
    ...sorted.flatMap((operation) => [
      [`the body of ${operation.path}`, describeBody(operation).named] as const,
      [`the answer of ${operation.path}`, describeAnswer(operation).named] as const,
    ]),
  ]);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Acuse',
      version: '1.0.0',
      description: DESCRIPTION,
      contact: { name: 'El operador de esta instalación' },
      license: { name: 'Propietaria', identifier: 'LicenseRef-Propietaria' },
    },
    servers: SERVERS,
    security: [{ apiKey: [] }],
    tags: [...new Set(sorted.map(tagOf))].map((name) => {
      const [title = name, description = name] = TAGS[name] ?? [];
      return { name, description, 'x-displayName': title };
    }),
    paths: Object.fromEntries(
      sorted.map((operation) => [`/api/v1/${operation.path}`, { post: post(operation, shared) }]),
    ),
    webhooks: Object.assign({}, ...partes.map(({ webhooks }) => webhooks)),
    components: {
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'Authorization: Bearer <API_KEY>' } },
      parameters: Object.assign({}, PARAMETERS, ...partes.map(({ parameters }) => parameters)),
      headers: { ...HEADERS, ...(sorted.some(({ deprecated }) => deprecated) ? DEPRECATION : {}) },
      schemas: sortedByName(schemas),
      responses: Object.fromEntries(shared.values()),
      examples: errorExamples(errores),
    },
  };
}

const sortedByName = (schemas: NamedSchemas): NamedSchemas =>
  Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)));

/** Values of `x-efecto`. */
const EFECTOS = { reads: 'lee', asks: 'pregunta', changes: 'cambia' } as const;

const tagOf = ({ path }: Operation) => path.split('/')[0] ?? path;

function post(operation: Operation, shared: Parameters<typeof errorResponses>[1]): Record<string, unknown> {
  const { path, summary, description, cost, credential, effect, deprecated } = operation;
  const costo = cost === 0 ? 'Sin costo.' : `Costo: ${cost} crédito.`;
  return {
    operationId: pascal(path).replace(/^./, (letter) => letter.toLowerCase()),
    tags: [tagOf(operation)],
    summary,
    description: [description, `${costo} Credencial: ${CREDENCIALES[credential]}.`].filter(Boolean).join('\n\n'),
    ...(deprecated && { deprecated: true }),
    'x-costo': cost,
    'x-credencial': CREDENCIALES[credential],
    'x-efecto': EFECTOS[effect],
    parameters: Object.keys(PARAMETERS).map((name) => ({ $ref: `#/components/parameters/${name}` })),
    requestBody: {
      required: true,
      content: { 'application/json': { schema: describeBody(operation).schema, example: exampleBody(operation) } },
    },
    responses: {
      200: {
        description: 'Éxito.',
        headers: headersOf([
          ...['X-Acuse-Modo', 'RateLimit', 'RateLimit-Policy', 'Idempotent-Replayed'],
          ...(deprecated ? Object.keys(DEPRECATION) : []),
        ]),
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
      type: 'string',
      description,
      example,
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
function describeAnswer({ path, summary, data, envelope }: Operation): Described {
  const described = data === null ? null : named(`Datos${pascal(path)}`, describe(data, 'output'));
  const properties = {
    ...(envelope
      ? { cfdi_descripcion: { type: 'string', description: 'De qué es la respuesta.', example: envelope.descripcion } }
      : {}),
    ...(described ? { data: { description: `${summary}.`, ...described.schema } } : {}),
    ...(envelope ? { saldo: { type: 'integer', minimum: 0, description: 'Créditos restantes.', example: 99 } } : {}),
  };
  const own = { type: 'object', properties, required: Object.keys(properties) };
  const schema = described === null ? refTo('Exito') : { allOf: [refTo('Exito'), own] };
  return named(`Respuesta${pascal(path)}`, { schema, named: { ...EXITO, ...described?.named } });
}

/** A body that the operation takes. */
export function exampleBody(operation: Operation): unknown {
  const { schema, named } = describeBody(operation);
  const example = exampleOf(schema, named);
  if (!operation.isPaginada) return example;
  // A first page takes no cursor, and the server refuses a made-up one: the example leaves it out.
  return Object.fromEntries(Object.entries(example ?? {}).filter(([campo]) => campo !== 'cursor'));
}

/** An answer of the operation to a call that succeeds. */
export function exampleAnswer(operation: Operation): unknown {
  const { schema, named } = describeAnswer(operation);
  return exampleOf(schema, named);
}
