import { EVENTOS } from '@acuse/contract';
import {
  type DocumentParts,
  describe,
  type Evento,
  type Eventos,
  exampleOf,
  instante,
  named,
  pascal,
} from '@acuse/operation';
import { z } from 'zod';

/** Event that a person asks for, to try a webhook. */
export const PRUEBA: Eventos = {
  prueba: {
    datos: z.strictObject({}).meta({ id: 'DatosPrueba', description: 'Nada.' }),
  },
};

const cuandoDe = (tipo: keyof Eventos) =>
  tipo === 'prueba' ? 'Se pidió en el panel, o con webhooks/probar.' : `${EVENTOS[tipo][0]}.`;

/** A message of a type, as its receiver reads it (Standard Webhooks 1.0). */
export const mensajeDe = (tipo: keyof Eventos, { datos }: Evento) =>
  z
    .strictObject({
      type: z.literal(tipo).meta({ description: 'Qué pasó.', example: tipo }),
      timestamp: instante('Cuándo pasó.'),
      data: datos,
    })
    .meta({ id: `Evento${pascal(tipo)}`, description: cuandoDe(tipo) });

/** The data of an event as an example about `rfc`, with the mark of an example. */
export function ejemploDe(evento: Evento, rfc: string): Readonly<Record<string, unknown>> {
  const data = exampleDataOf(evento);
  return { ...data, ...('rfc' in data ? { rfc } : {}), ejemplo: true };
}

function exampleDataOf({ datos, ejemplo }: Evento) {
  const { schema, named } = describe(datos, 'output');
  const { ejemplo: _, ...data } = exampleOf(schema, named) as Record<string, unknown>;
  return { ...data, ...ejemplo };
}

const encabezado = (name: string, description: string, example: string | number, required = true) => ({
  name,
  in: 'header',
  required,
  description,
  example,
  schema: { type: typeof example === 'number' ? 'integer' : 'string' },
});

/** Header fields of the messages. */
const ENCABEZADOS_AVISO = {
  'webhook-id': encabezado(
    'webhook-id',
    'El mismo en cada intento: guarde los que ya atendió.',
    'evt_01936f5e-7c3a-7b1e-8f00-2a4b6c8d0e1f',
  ),
  'webhook-timestamp': encabezado('webhook-timestamp', 'Segundos desde 1970 de este intento.', 1_769_971_200),
  'webhook-signature': encabezado(
    'webhook-signature',
    'Firmas separadas por espacios: v1, y el HMAC-SHA256 en base64 de webhook-id.webhook-timestamp.cuerpo.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
  'X-Acuse-Secuencia': encabezado(
    'X-Acuse-Secuencia',
    'Número del aviso para este webhook, en el orden en que pasaron.',
    17,
  ),
};

const RESPUESTAS = {
  '2XX': { description: 'Recibido: no se envía otra vez.' },
  410: { description: 'No quiere más: el webhook se apaga.' },
  default: { description: 'Falla: se intenta otra vez.' },
};

/** Messages to the receivers of an installation: the parts of the OpenAPI document about them. */
export function documentOf(eventos: Eventos): DocumentParts {
  const avisados = (Object.entries(eventos) as [keyof Eventos, Evento][]).map(([tipo, evento]) => {
    const described = named(`Evento${pascal(tipo)}`, describe(mensajeDe(tipo, evento), 'output'));
    return { tipo, evento, ...described };
  });
  return {
    webhooks: Object.fromEntries(
      avisados.map(({ tipo, evento, schema }) => [tipo, { post: postOf(tipo, evento, schema) }]),
    ),
    schemas: avisados.map(({ tipo, named }) => [`the webhook ${tipo}`, named]),
    parameters: ENCABEZADOS_AVISO,
  };
}

function postOf(tipo: keyof Eventos, evento: Evento, schema: object) {
  const example = { type: tipo, timestamp: '2026-02-01T18:40:00.000Z', data: exampleDataOf(evento) };
  return {
    operationId: `aviso${pascal(tipo)}`,
    tags: ['webhooks'],
    summary: `Aviso ${tipo}`,
    description: cuandoDe(tipo),
    security: [],
    parameters: Object.keys(ENCABEZADOS_AVISO).map((name) => ({ $ref: `#/components/parameters/${name}` })),
    requestBody: { required: true, content: { 'application/json': { schema, example } } },
    responses: RESPUESTAS,
  };
}
