import {
  CATALOGO,
  CfdiError,
  type DatosError,
  type EntradaCatalogo,
  type NombreError,
  sobreDeError,
} from '@acuse/contract';
import { type NamedSchemas, refTo } from './schema.ts';
import { headersOf } from './shared.ts';

const nombres = Object.keys(CATALOGO).sort();
const distinct = (numbers: readonly number[]) => [...new Set(numbers)].sort((a, b) => a - b);

/** The body of every error, and its parts. */
export const FALLO: NamedSchemas = {
  NombreFallo: {
    type: 'string',
    description: 'Nombre estable de un error: distingue lo que comparte un cfdi_codigo.',
    enum: nombres,
  },
  CampoFallo: {
    type: 'object',
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
    },
  },
  Fallo: {
    type: 'object',
    description: 'El sobre de todo error.',
    required: ['cfdi_codigo', 'cfdi_texto', 'error'],
    properties: {
      cfdi_codigo: {
        type: 'integer',
        description: 'Código de error; nunca 1.',
        enum: distinct(Object.values(CATALOGO).map(({ codigo }) => codigo)),
      },
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
export function sharedResponses(errores: readonly (readonly NombreError[])[]): Shared {
  const all = errores.map((own) => byStatus(own.map((nombre) => [nombre, CATALOGO[nombre]])));
  const [first = []] = all;
  const common = first
    .map(([status, answer]) => [JSON.stringify(answer), [`Fallo${status}`, answer]] as const)
    .filter(([json]) => all.every((own) => own.some(([, answer]) => JSON.stringify(answer) === json)));
  return new Map(common);
}

/** One response a status; each error is an example of it. */
export function errorResponses(entries: readonly Entry[], shared: Shared): Record<string, unknown> {
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
              properties: {
                cfdi_codigo: { type: 'integer', enum: codes },
                error: { type: 'string', enum: names },
              },
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
]);

function headerNames(entries: readonly Entry[]): string[] {
  const has = (status: number) => entries.some(([, { http }]) => http === status);
  return [
    ...(entries.every(([nombre]) => BEFORE_THE_LIMIT.has(nombre)) ? [] : ['RateLimit', 'RateLimit-Policy']),
    ...(has(409) || has(429) || has(503) ? ['Retry-After'] : []),
    ...(has(401) ? ['WWW-Authenticate'] : []),
    ...(has(405) ? ['Allow'] : []),
  ];
}

/** What the errors whose text points to `data` carry there. */
const EJEMPLOS: Partial<Record<NombreError, DatosError>> = {
  CAMPO_FALTANTE: { campo: 'desde', motivo: 'falta' },
  CAMPO_DESCONOCIDO: { campo: 'solicitudId', motivo: 'no existe; ¿quiso decir solicitud_id?' },
  CAMPO_INVALIDO: { campo: 'desde', motivo: 'debe ser una fecha real con formato AAAA-MM-DD' },
  RFC_INVALIDO: { campo: 'rfc', motivo: 'debe tener 12 o 13 caracteres con el formato de un RFC' },
  CERTIFICADO_INVALIDO: { campo: 'cer', motivo: 'El certificado venció.' },
  LLAVE_INVALIDA: { campo: 'password', motivo: 'La contraseña no abre la llave.' },
  SOLICITUD_SIN_TERMINAR: { reintentar_en: 60 },
  SOLICITUD_SIN_PAQUETE: { motivo: 'El SAT rechazó la solicitud.' },
  SOLICITUD_TERMINADA: { motivo: 'Terminó como TERMINADA.' },
  DEMASIADAS_PETICIONES: { reintentar_en: 1 },
  SALDO_NO_DISPONIBLE: { reintentar_en: 5 },
  ALMACEN_NO_DISPONIBLE: { reintentar_en: 60 },
};

/** An answer for every error, shared by all operations. */
export function errorExamples(errores: readonly NombreError[]): Record<string, unknown> {
  const unique = [...new Set(errores)].sort();
  return Object.fromEntries(
    unique.map((nombre) => [nombre, { summary: nombre, value: sobreDeError(new CfdiError(nombre, EJEMPLOS[nombre])) }]),
  );
}
