import type { CampoOperacion, Esquema, OperacionDelServicio } from '@acuse/sdk/operaciones';
import type { Tool } from '@modelcontextprotocol/sdk/types.js';

/** What an object has, for a schema. */
export type Properties = Readonly<Record<string, Esquema>>;

const isSchema = (value: unknown): value is Esquema => typeof value === 'object' && value !== null;
/** Keywords that a later service may change: a client that checks them would refuse its answer. */
const STRICT = new Set(['enum', 'const', 'pattern', 'format', 'minimum', 'maximum', 'required', 'examples']);

/** An answer's schema that also fits what a later service adds: a field, or another word. */
function tolerant(esquema: Esquema): Esquema {
  const entries = Object.entries(esquema).filter(([keyword]) => !STRICT.has(keyword));
  return Object.fromEntries(
    entries.map(([keyword, value]) => {
      if (keyword === 'properties' && isSchema(value)) return [keyword, tolerantAll(value)];
      if (Array.isArray(value)) return [keyword, value.map((one) => (isSchema(one) ? tolerant(one) : one))];
      return [keyword, keyword === 'items' && isSchema(value) ? tolerant(value) : value];
    }),
  );
}
const tolerantAll = (properties: Esquema): Properties =>
  Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, isSchema(one) ? tolerant(one) : {}]));

const propertiesOf = ({ respuesta }: OperacionDelServicio): Properties =>
  ((respuesta as { properties?: Properties }).properties?.['data']?.['properties'] ?? {}) as Properties;

/** Whether an operation reads a log: its cursor is never null, and outlives the session. */
export const isLog = (operacion: OperacionDelServicio): boolean =>
  propertiesOf(operacion)['siguiente']?.['type'] === 'string';

const CURSOR: Esquema = {
  type: 'string',
  description: 'El cursor de la respuesta anterior, con los mismos campos: da lo que sigue de la lista y no cuesta.',
};

/** What a tool takes of an operation. A key is of one RFC, so that may be left out where it is known. */
export function inputOf(operacion: OperacionDelServicio, rfc: string): Tool['inputSchema'] {
  const { campos } = operacion;
  const isAsked = ({ nombre, esObligatorio }: CampoOperacion) => esObligatorio && (nombre !== 'rfc' || rfc === '');
  return {
    type: 'object',
    properties: Object.fromEntries(
      campos.map((campo) => [
        campo.nombre,
        campo.nombre === 'rfc' && rfc !== ''
          ? { ...campo.esquema, description: `${campo.descripcion} Si falta, ${rfc}.` }
          : campo.nombre === 'cursor' && !isLog(operacion)
            ? CURSOR
            : campo.esquema,
      ]),
    ),
    required: campos.filter(isAsked).map(({ nombre }) => nombre),
    additionalProperties: false,
  };
}

const RECORTES: Esquema = {
  type: 'array',
  items: { type: 'string' },
  description: 'Listas que van recortadas: cuántos elementos de cuántos.',
};
/** How a list goes on. */
export const SIGUE: Properties = {
  cursor: {
    type: ['string', 'null'],
    description: 'Con él, la misma herramienta o lista_continuar da lo que sigue, sin costo; null al final.',
  },
  quedan: { type: 'integer', description: 'Cuántos elementos de esta respuesta faltan; puede haber más páginas.' },
  recortes: RECORTES,
};

export const objectOf = (properties: Properties): NonNullable<Tool['outputSchema']> => ({
  type: 'object',
  properties: { ...properties },
});

/** What a tool answers of an operation. */
export function outputOf(operacion: OperacionDelServicio): NonNullable<Tool['outputSchema']> {
  const { properties = {} } = tolerant(operacion.respuesta) as { readonly properties?: Properties };
  const isInPieces = 'items' in propertiesOf(operacion) && !isLog(operacion);
  return objectOf({ ...properties, ...(isInPieces ? SIGUE : { recortes: RECORTES }) });
}
