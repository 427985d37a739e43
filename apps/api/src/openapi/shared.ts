import { CODIGO_EXITO, TEXTO_EXITO } from '@acuse/contract';
import type { NamedSchemas } from './schema.ts';

const text = (description: string, example: string) => ({
  description,
  schema: { type: 'string' },
  example,
});

/** Header fields of answers. */
export const HEADERS = {
  'X-Request-Id': text(
    'Identificador de la petición: el que se envió o uno nuevo.',
    '01936f5e-7c3a-7b1e-8f00-2a4b6c8d0e1f',
  ),
  RateLimit: text('Peticiones que quedan y segundos hasta recuperarlas todas.', '"llave";r=99;t=1'),
  'RateLimit-Policy': text('Peticiones que se admiten de una vez y ventana en segundos.', '"llave";q=100;w=2'),
  'Retry-After': {
    description: 'Segundos que conviene esperar; lo mismo que data.reintentar_en.',
    schema: { type: 'integer', minimum: 0 },
    example: 30,
  },
  'Idempotent-Replayed': {
    description: 'true cuando la respuesta es la de una petición anterior con el mismo Idempotency-Key.',
    schema: { type: 'string', const: 'true' },
  },
  'WWW-Authenticate': text('Esquema con el que se autentica la petición.', 'Bearer'),
  Allow: text('Métodos que admite la ruta.', 'POST'),
} as const;

/** References to header fields of an answer; every one carries `X-Request-Id`. */
export function headersOf(names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(['X-Request-Id', ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/**
 * Header fields of requests. `User-Agent` is not among them: a program in a browser cannot set it, and generated
 * clients could not be called.
 */
export const PARAMETERS = {
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
export const EXITO: NamedSchemas = {
  Exito: {
    type: 'object',
    description: 'El sobre de toda respuesta con éxito.',
    required: ['cfdi_codigo', 'cfdi_texto'],
    properties: {
      cfdi_codigo: { type: 'integer', const: CODIGO_EXITO, description: '1: éxito.' },
      cfdi_texto: { type: 'string', example: TEXTO_EXITO },
    },
  },
};
