import { CfdiError, type EntradaCatalogo, type NombreError, sobreDeError } from '@acuse/contract';

const text = (description: string) => ({ description, schema: { type: 'string' } });

/** Header fields of answers. */
export const HEADERS = {
  'X-Request-Id': text('Identificador de la petición: el que se envió o uno nuevo.'),
  RateLimit: text('Peticiones que quedan y segundos hasta recuperarlas todas.'),
  'RateLimit-Policy': text('Peticiones que se admiten de una vez y ventana en segundos.'),
  'Retry-After': { description: 'Segundos que conviene esperar.', schema: { type: 'integer' } },
  'Idempotent-Replayed': text(
    'true cuando la respuesta es la de una petición anterior con el mismo Idempotency-Key.',
  ),
} as const;

/** Header fields of requests. */
export const REQUEST_PARAMETERS = [
  {
    name: 'User-Agent',
    in: 'header',
    required: true,
    description: 'Identifica a la aplicación que llama, de hasta 512 caracteres.',
    schema: { type: 'string', minLength: 1, maxLength: 512 },
    example: 'mi-erp/2.1',
  },
  {
    name: 'X-Request-Id',
    in: 'header',
    required: false,
    description: 'Identificador propio, de hasta 64 letras, dígitos, puntos, guiones o guiones bajos.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,64}$' },
  },
  {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'De 1 a 255 caracteres ASCII visibles, sin espacios. La misma petición repetida con la misma clave en 24 horas recibe la misma respuesta (con Idempotent-Replayed: true) y ni se hace ni se cobra otra vez. Una respuesta de error no se conserva: la clave puede usarse de nuevo.',
    schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
  },
] as const;

type Entry = readonly [NombreError, EntradaCatalogo];

/** One response a status; each error is an example of it. */
export function errorResponses(entries: readonly Entry[]): Record<string, unknown> {
  const statuses = [...new Set(entries.map(([, { http }]) => http))].sort((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => [status, response(entries.filter(([, { http }]) => http === status))]),
  );
}

function response(entries: readonly Entry[]): Record<string, unknown> {
  const retries = entries.some(([, { http }]) => http === 429 || http === 503 || http === 409);
  const names = ['X-Request-Id', ...(retries ? ['Retry-After'] : [])];
  return {
    description: entries.map(([nombre, { codigo }]) => `${codigo} ${nombre}`).join(', '),
    headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        examples: Object.fromEntries(
          entries.map(([nombre]) => [nombre, { $ref: `#/components/examples/${nombre}` }]),
        ),
      },
    },
  };
}

/** An answer for every error, shared by all operations. */
export function errorExamples(nombres: readonly NombreError[]): Record<string, unknown> {
  const unique = [...new Set(nombres)].sort();
  return Object.fromEntries(
    unique.map((nombre) => [nombre, { summary: nombre, value: sobreDeError(new CfdiError(nombre)) }]),
  );
}
