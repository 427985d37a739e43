import { type EventoWebhook, fechaField, tipoDescargaField } from '@acuse/contract';
import { z } from 'zod';
import { solicitudData } from '../consultas/solicitud.ts';
import { contraparteCfdi, listadaFields } from '../features/riesgo.ts';
import { cursorField, motivoPausa } from '../features/sincronizacion.ts';
import { canalDeDescarga, instante, modoField, rfcData, texto, tipoCredencial } from '../fields.ts';
import { describe, exampleOf, type NamedSchemas, named, pascal } from './schema.ts';

const rfc = rfcData.meta({ description: 'De qué RFC es.' });
const deRfc = { rfc, modo: modoField };
const cuantos = (description: string, example: number) => z.int().min(0).meta({ description, example });

/** The data of an event. Each holds the mark of an example, which a receiver must not take for what happened. */
const datos = (id: string, fields: z.ZodRawShape) =>
  z
    .strictObject({
      ...fields,
      ejemplo: z
        .literal(true)
        .optional()
        .meta({ description: 'Solo en un ejemplo pedido con webhooks/probar: nada de esto pasó. No lo procese.' }),
    })
    .meta({ id, description: 'Qué pasó.' });

const solicitud = datos('DatosEventoSolicitud', { rfc, ...solicitudData.shape });
const TERMINO = { progreso: 1, proxima_consulta: null, terminada_en: '2026-02-01T18:40:00.000Z' };
const ESPERA = 'La llave de la e.firma caducó antes de que el SAT terminara: guárdela otra vez.';

/** Every event: when it is sent, its data, and what its example has otherwise than each field by itself. */
const EVENTOS: Readonly<
  Record<EventoWebhook | 'prueba', { readonly cuando: string; readonly datos: z.ZodObject; readonly ejemplo?: object }>
> = {
  'solicitud.terminada': {
    cuando: 'Una solicitud terminó y su paquete está listo.',
    datos: solicitud,
    ejemplo: {
      ...{ ...TERMINO, estado: 'TERMINADA', confianza: 'confirmado' },
      contrapartes_listadas: { total: 2, adversas: 1 },
    },
  },
  'solicitud.fallida': {
    cuando: 'Una solicitud terminó sin paquete y su crédito se devolvió; no si se canceló.',
    datos: solicitud,
    ejemplo: { ...TERMINO, estado: 'RECHAZADA', registros: null, reembolsada: true, motivo: 'El SAT la rechazó.' },
  },
  'solicitud.espera_efirma': {
    cuando: 'Una solicitud espera a que se guarde otra vez la llave de la e.firma.',
    datos: solicitud,
    ejemplo: { estado: 'ESPERA_EFIRMA', proxima_consulta: null, motivo: ESPERA },
  },
  'credencial.por_vencer': {
    cuando: 'Un certificado vence en 30 días, y otra vez a los 7.',
    datos: datos('DatosCredencialPorVencer', {
      ...deRfc,
      credencial: tipoCredencial,
      vence_en: instante('Cuándo vence.'),
    }),
  },
  'credencial.rechazada': {
    cuando: 'El SAT rechazó una credencial guardada.',
    datos: datos('DatosCredencialRechazada', {
      ...deRfc,
      credencial: tipoCredencial,
      canal: canalDeDescarga.meta({ description: 'Por dónde la rechazó.' }),
    }),
  },
  'saldo.bajo': {
    cuando: 'Quedan menos créditos que los del aviso de saldo; otra vez si sube y vuelve a bajar.',
    datos: datos('DatosSaldoBajo', {
      saldo: z.int().meta({ description: 'Créditos que quedan.', example: 3 }),
      umbral: cuantos('Créditos desde los que se avisa.', 5),
    }),
  },
  'llave.por_rotar': {
    cuando: 'Una API key cumple 90 días en una semana; otra vez si un año después sigue activa.',
    datos: datos('DatosLlavePorRotar', {
      ...deRfc,
      creada_en: instante('Cuándo se creó.'),
      rotar_antes_de: instante('Cuándo cumple 90 días.').meta({ example: '2026-05-01T18:30:00.000Z' }),
    }),
  },
  'cfdi.cambios': {
    cuando: 'Una lectura de un RFC que se mantiene al día encontró algo.',
    datos: datos('DatosCfdiCambios', {
      ...deRfc,
      tipo: tipoDescargaField.meta({ description: 'Qué CFDI se leyeron.' }),
      desde: fechaField.meta({ description: 'Primer día de emisión que se leyó.', example: '2026-01-01' }),
      hasta: fechaField.meta({ description: 'Último día de emisión que se leyó.' }),
      nuevos: cuantos('CFDI que se vieron por primera vez.', 12),
      cambiados: cuantos('CFDI que cambiaron.', 1),
      ausentes: cuantos('CFDI que el SAT ya no da.', 0),
      cursor: cursorField.meta({ description: 'Con él, sincronizacion/cambios da desde lo que encontró.' }),
    }),
  },
  'sincronizacion.pausada': {
    cuando: 'Un RFC dejó de mantenerse al día por sí solo.',
    datos: datos('DatosSincronizacionPausada', { ...deRfc, motivo: motivoPausa }),
  },
  'proveedor.listado': {
    cuando:
      'Una contraparte de un RFC que se mantiene al día entró a una lista del SAT, cambió ahí de supuesto o salió.',
    datos: datos('DatosProveedorListado', {
      ...deRfc,
      cambio: z
        .enum(['entra', 'cambia', 'sale'])
        .meta({ id: 'CambioEnLista', description: 'Qué hizo en la lista.', example: 'entra' }),
      ...listadaFields,
      supuesto_anterior: texto('El que tenía; null si acaba de entrar.', 'Presunto').nullable().meta({ example: null }),
      notado_en: instante('Cuándo se notó.'),
      cfdi: contraparteCfdi,
    }),
  },
  prueba: {
    cuando: 'Se pidió en el panel, o con webhooks/probar.',
    datos: z.strictObject({}).meta({ id: 'DatosPrueba', description: 'Nada.' }),
  },
};

type TipoAvisado = keyof typeof EVENTOS;
/** Every type that a message may have. */
const TIPOS_AVISADOS = Object.keys(EVENTOS) as TipoAvisado[];

/** A message of a type, as its receiver reads it (Standard Webhooks 1.0). */
export const mensajeDe = (tipo: TipoAvisado) =>
  z
    .strictObject({
      type: z.literal(tipo).meta({ description: 'Qué pasó.', example: tipo }),
      timestamp: instante('Cuándo pasó.'),
      data: EVENTOS[tipo].datos,
    })
    .meta({ id: `Evento${pascal(tipo)}`, description: EVENTOS[tipo].cuando });

/** The schema of a message, under its name in the document. */
const schemaOf = (tipo: TipoAvisado) => named(`Evento${pascal(tipo)}`, describe(mensajeDe(tipo), 'output'));

/** The schemas of all messages, and where each is meant. */
export const esquemasDeEventos = () =>
  TIPOS_AVISADOS.map((tipo): readonly [string, NamedSchemas] => [`the webhook ${tipo}`, schemaOf(tipo).named]);

/** The data of an event as an example about `rfc`, with the mark that tells a receiver so. */
export function ejemploDe(tipo: EventoWebhook, rfc: string): Readonly<Record<string, unknown>> {
  const data = exampleDataOf(tipo);
  return { ...data, ...('rfc' in data ? { rfc } : {}), ejemplo: true };
}

function exampleDataOf(tipo: TipoAvisado) {
  const { schema, named } = describe(EVENTOS[tipo].datos, 'output');
  const { ejemplo: _, ...data } = exampleOf(schema, named) as Record<string, unknown>;
  return { ...data, ...EVENTOS[tipo].ejemplo };
}

const encabezado = (name: string, description: string, example: string | number, required = true) => ({
  ...{ name, in: 'header', required, description, example },
  schema: { type: typeof example === 'number' ? 'integer' : 'string' },
});

/** Header fields of the messages. */
export const ENCABEZADOS_AVISO = {
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

/** What an installation sends to the receivers of its customers: the section `webhooks` of the document. */
export const webhooks = (): Record<string, unknown> =>
  Object.fromEntries(
    TIPOS_AVISADOS.map((tipo) => {
      const example = { type: tipo, timestamp: '2026-02-01T18:40:00.000Z', data: exampleDataOf(tipo) };
      const post = {
        operationId: `aviso${pascal(tipo)}`,
        tags: ['webhooks'],
        summary: `Aviso ${tipo}`,
        description: EVENTOS[tipo].cuando,
        security: [],
        parameters: Object.keys(ENCABEZADOS_AVISO).map((name) => ({ $ref: `#/components/parameters/${name}` })),
        requestBody: { required: true, content: { 'application/json': { schema: schemaOf(tipo).schema, example } } },
        responses: RESPUESTAS,
      };
      return [tipo, { post }];
    }),
  );
