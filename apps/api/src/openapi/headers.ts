const text = (description: string, example: string) => ({ description, schema: { type: 'string' }, example });

/** Header fields of answers. */
export const HEADERS = {
  'X-Request-Id': text(
    'Identificador de la petición: el que se envió o uno nuevo.',
    '01936f5e-7c3a-7b1e-8f00-2a4b6c8d0e1f',
  ),
  'X-Acuse-Modo': text('live: preguntó al SAT; test: a un simulador en su lugar.', 'live'),
  RateLimit: text('Peticiones que quedan y segundos hasta recuperarlas todas.', '"llave";r=99;t=1'),
  'RateLimit-Policy': text(
    'Peticiones que se admiten de una vez y ventana en segundos. acuse-alcance: servicio, si cuentan todos los procesos juntos; proceso, si cuenta cada uno por su lado.',
    '"llave";q=100;w=2;acuse-alcance=servicio',
  ),
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

/** Header fields of answers of deprecated operations. */
export const DEPRECATION = {
  Deprecation: text('Desde cuándo no debe usarse la operación (RFC 9745): @ y segundos desde 1970.', '@1796083200'),
  Sunset: text('Desde cuándo puede dejar de existir (RFC 8594).', 'Wed, 01 Dec 2027 00:00:00 GMT'),
  Link: text('Los cambios de la API, con rel="deprecation".', '</changelog.json>; rel="deprecation"'),
} as const;
