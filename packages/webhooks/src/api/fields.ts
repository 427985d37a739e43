import { EVENTOS_WEBHOOK, solicitudIdField } from '@acuse/contract';
import type { AccessSnapshot } from '@acuse/core';
import { instante, rfcData } from '@acuse/operation';
import { z } from 'zod';
import type { AlcanceWebhooks, EntregaVista, IntentoVista, WebhookVista } from '../db/index.ts';
import { FALLOS_DE_ENTREGA, type PoliticaDestino, REPAROS_URL, readReceptor, SIN_RECEPTOR } from '../index.ts';

const iso = (date: Date | null) => date?.toISOString() ?? null;

const id = (de: string) =>
  solicitudIdField.meta({
    description: `Identificador ${de}.`,
    example: '01936f5e-7c3a-7b1e-8f00-2a4b6c8d0e1f',
    format: 'uuid',
  });

export const webhookIdField = id('del webhook');
export const entregaIdField = id('de la entrega');
/** The body of the operations on one webhook, or on one delivery. */
export const soloWebhook = z.object({ webhook_id: webhookIdField }).meta({ id: 'PeticionWebhook' });
export const soloEntrega = z.object({ entrega_id: entregaIdField }).meta({ id: 'PeticionEntrega' });

export const urlField = z
  .string({ error: 'debe ser un texto' })
  .trim()
  .min(1, { error: 'no puede estar vacío' })
  .max(2_048, { error: 'debe tener a lo más 2048 caracteres' })
  .meta({
    description: `A dónde se envían los avisos: una dirección https pública, sin usuario ni fragmento. Con ${SIN_RECEPTOR} no se envían: se leen con webhooks/entregas.`,
    example: 'https://erp.example/acuse',
    format: 'uri',
  });

const LISTA_EVENTOS = EVENTOS_WEBHOOK.join(', ');
export const tipoEvento = z
  .enum(EVENTOS_WEBHOOK, { error: `debe ser uno de: ${LISTA_EVENTOS}` })
  .meta({ id: 'TipoEvento', description: 'De qué se avisa.', example: 'solicitud.terminada' });
export const eventosField = z
  .array(tipoEvento, { error: 'debe ser una lista' })
  .min(1, { error: 'debe tener al menos un evento' })
  .max(50, { error: 'debe tener a lo más 50 eventos' })
  .meta({ description: `De qué avisar: ${LISTA_EVENTOS}.`, example: ['solicitud.terminada', 'solicitud.fallida'] });

export const descripcionField = z
  .string({ error: 'debe ser un texto' })
  .trim()
  .max(200, { error: 'debe tener a lo más 200 caracteres' })
  .meta({ description: 'Para qué es, con palabras propias.', example: 'ERP de producción' });

const ESTADOS = ['ACTIVO', 'APAGADO'] as const;
export const estadoField = z.enum(ESTADOS, { error: 'debe ser uno de estos textos: ACTIVO o APAGADO' }).meta({
  id: 'EstadoWebhook',
  description: 'ACTIVO: se le avisa. APAGADO: no, y lo que pase mientras tanto no se le cuenta después.',
  example: 'ACTIVO',
});

const webhookId = z
  .string()
  .meta({ description: 'Identificador del webhook.', example: '01936f5e-7c3a-7b1e-8f00-2a4b6c8d0e1f', format: 'uuid' });
export const entregaId = webhookId.meta({ description: 'Identificador de la entrega.' });
export const secretoData = z.string().meta({
  description: 'Secreto con el que se verifican las firmas. Se muestra esta sola vez.',
  example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
});

/** The public view of a webhook. */
export const webhookData = z.object({
  webhook_id: webhookId,
  url: z.string().meta({ description: 'A dónde se envían los avisos.', example: 'https://erp.example/acuse' }),
  descripcion: z.string().meta({ description: 'Para qué es.', example: 'ERP de producción' }),
  eventos: z.array(tipoEvento).meta({ description: 'De qué se le avisa.', example: ['solicitud.terminada'] }),
  estado: estadoField,
  motivo: z
    .enum(['USUARIO', 'CONTESTO_410', 'FALLA_DIAS', 'MUCHOS_PENDIENTES'])
    .meta({
      id: 'MotivoApagado',
      description:
        'Por qué está apagado. USUARIO: así se pidió; CONTESTO_410: el receptor contestó que ya no existe; FALLA_DIAS: pasaron días sin que aceptara nada; MUCHOS_PENDIENTES: fallaba y ya lo esperaban demasiados avisos.',
    })
    .nullable()
    .meta({ description: 'Por qué está apagado; null si no lo está.', example: null }),
  apagado_en: instante('Cuándo se apagó.').nullable().meta({ example: null }),
  fallando_desde: instante('Desde cuándo no acepta nada; null si lo último se entregó.')
    .nullable()
    .meta({ example: null }),
  pendientes: z.int().min(0).meta({ description: 'Entregas que faltan.', example: 0 }),
  secretos_anteriores: z
    .array(instante('Hasta cuándo.'))
    .meta({ description: 'Hasta cuándo se firma también con cada secreto anterior.', example: [] }),
  creado_en: instante('Cuándo se creó.'),
});

/** The public view of a webhook. It has no field for the RFC: a key's webhooks are about its own. */
export const webhookOf = (webhook: WebhookVista) => ({
  webhook_id: webhook.id,
  url: webhook.url,
  descripcion: webhook.descripcion,
  eventos: [...webhook.eventos],
  estado: webhook.estado,
  motivo: webhook.motivo,
  apagado_en: iso(webhook.apagadoEn),
  fallando_desde: iso(webhook.fallandoDesde),
  pendientes: webhook.pendientes,
  secretos_anteriores: webhook.secretosAnteriores.map((fin) => fin.toISOString()),
  creado_en: webhook.creadoEn.toISOString(),
});

const intentoData = z
  .object({
    en: instante('Cuándo.'),
    ms: z.int().min(0).meta({ description: 'Milisegundos que tardó.', example: 120 }),
    status: z
      .int()
      .nullable()
      .meta({ description: 'Código HTTP que contestó el receptor; null si no contestó.', example: 500 }),
    error: z
      .enum(FALLOS_DE_ENTREGA)
      .meta({
        id: 'FalloDeEntrega',
        description: 'Por qué no hubo respuesta. SECRETO_ILEGIBLE: no se pudo firmar; cambie el secreto.',
      })
      .nullable()
      .meta({ description: 'Por qué no hubo respuesta; null si la hubo.', example: null }),
    respuesta: z.string().nullable().meta({ description: 'Cómo empieza lo que contestó.', example: 'error' }),
  })
  .meta({ id: 'IntentoWebhook', description: 'Un intento de entrega y lo que pasó.' });

const ESTADOS_ENTREGA = ['PENDIENTE', 'ENTREGADA', 'FALLIDA'] as const;
export const estadoEntrega = z
  .enum(ESTADOS_ENTREGA, { error: 'debe ser uno de estos textos: PENDIENTE, ENTREGADA o FALLIDA' })
  .meta({ id: 'EstadoEntrega', description: 'FALLIDA: se agotaron los intentos.', example: 'ENTREGADA' });

export const entregaData = z
  .object({
    entrega_id: entregaId,
    webhook_id: webhookId,
    evento_id: z
      .string()
      .meta({ description: 'El mismo que va en webhook-id.', example: 'evt_01936f5e-7c3a-7b1e-8f00-2a4b6c8d0e1f' }),
    secuencia: z
      .int()
      .meta({ description: 'Número del aviso para este webhook, en el orden en que pasaron.', example: 17 }),
    tipo: z.union([tipoEvento, z.literal('prueba')]).meta({ description: 'Qué pasó.', example: 'solicitud.terminada' }),
    rfc: rfcData.nullable().meta({ description: 'De qué RFC; null si es de la cuenta.', example: 'ACU200101DB1' }),
    estado: estadoEntrega,
    intentos: z.int().min(0).meta({ description: 'Intentos hechos.', example: 1 }),
    proximo_intento: instante('Cuándo se intenta de nuevo.').nullable().meta({ example: null }),
    creada_en: instante('Cuándo pasó.'),
    terminada_en: instante('Cuándo se entregó o se dejó de intentar.').nullable(),
    cuerpo: z.string().nullable().meta({
      description: 'Lo que se envía, byte por byte; null antes del primer intento.',
      example: '{"type":"prueba","timestamp":"2026-02-01T18:40:00.000Z","data":{}}',
    }),
    ultimo_intento: intentoData.nullable().meta({ description: 'El último; null si no se ha intentado.' }),
  })
  .meta({ id: 'EntregaWebhook', description: 'Un aviso para un webhook y cómo va.' });

const intentoOf = ({ en, ms, status, error, respuesta }: IntentoVista) => ({
  en: en.toISOString(),
  ms,
  status,
  error,
  respuesta,
});

export const entregaOf = (entrega: EntregaVista) => ({
  entrega_id: entrega.id,
  webhook_id: entrega.webhookId,
  evento_id: entrega.eventoId,
  secuencia: entrega.secuencia,
  tipo: entrega.tipo,
  rfc: entrega.rfc,
  estado: entrega.estado,
  intentos: entrega.intentos,
  proximo_intento: iso(entrega.proximoIntento),
  creada_en: entrega.creadaEn.toISOString(),
  terminada_en: iso(entrega.terminadaEn),
  cuerpo: entrega.cuerpo,
  ultimo_intento: entrega.ultimo && intentoOf(entrega.ultimo),
});

/** The webhooks that a key may see and change: those of its own RFC and no other. */
export const alcanceOf = ({ cuentaId, rfc }: Pick<AccessSnapshot, 'cuentaId' | 'rfc'>): AlcanceWebhooks => ({
  cuentaId,
  rfc,
});

/** The canonical URL, or what its sender has to know. */
export function urlOrReparo(
  text: string,
  politica: PoliticaDestino,
): { readonly url: string } | { readonly motivo: string } {
  const { url, reparo } = readReceptor(text, politica);
  return reparo === undefined ? { url } : { motivo: REPAROS_URL[reparo] };
}
