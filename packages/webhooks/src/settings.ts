import { bool, durationMs, integer, intervalosField, list, parseRange, secret } from '@acuse/runtime';
import * as z from 'zod';

const redes = list(
  'Redes a las que un webhook puede ir aunque no sean públicas, en CIDR y separadas por comas. Solo para receptores propios: lo que está en ellas queda al alcance de quien registre un webhook.',
).transform((values, context) => {
  if (values.every((value) => parseRange(value) !== null)) return values;
  context.addIssue({ code: 'custom', message: 'debe ser una lista de bloques CIDR' });
  return z.NEVER;
});

/** For a process that takes the address of a webhook, or sends to it: the same in all of them. */
export const webhookFields = {
  WEBHOOK_KEYS: secret(
    'Claves de 32 bytes que cifran los secretos con los que se firman los webhooks, id:base64 separadas por comas; la primera es la vigente. La misma en la API, el panel y los workers.',
  ),
  WEBHOOK_PERMITIR_HTTP: bool('Acepta webhooks en http, además de https. Solo para pruebas.').default(false),
  WEBHOOK_REDES_PERMITIDAS: redes.default([]),
};

/** For a process with the role `webhooks`. */
export const webhooksRoleFields = {
  ...webhookFields,
  WEBHOOK_KEYS: secret(`${webhookFields.WEBHOOK_KEYS.description} Solo la necesita webhooks.`).default(''),
  WEBHOOKS_CONCURRENCY: integer('Webhooks que se envían a la vez.', { min: 1, max: 1_000 }).default(50),
  WEBHOOKS_POR_DESTINO: integer('De ellos, los que van a un mismo receptor.', { min: 1, max: 100 }).default(8),
  WEBHOOKS_POR_CUENTA: integer('De ellos, los que van a todos los receptores de una cuenta.', {
    min: 1,
    max: 1_000,
  }).default(25),
  WEBHOOK_TIMEOUT_MS: durationMs('Milisegundos hasta dar por perdido un envío.', { min: 1_000, max: 15_000 }).default(
    10_000,
  ),
  WEBHOOK_REINTENTOS_SECONDS: intervalosField('entregar un webhook').default([
    5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800, 28_800,
  ]),
  WEBHOOK_DIAS_FALLANDO: integer('Días sin que un receptor acepte nada tras los que su webhook se apaga.', {
    min: 1,
    max: 60,
  }).default(3),
  WEBHOOK_MAX_PENDIENTES: integer('Avisos que pueden esperar a un receptor que falla; con más, su webhook se apaga.', {
    min: 1,
  }).default(10_000),
  WEBHOOKS_INTERVAL_MS: durationMs('Milisegundos entre dos vistas a los webhooks por enviar.', { min: 10 }).default(
    1_000,
  ),
};

export type WebhooksSettings = Readonly<z.output<z.ZodObject<typeof webhooksRoleFields>>>;

export const WEBHOOKS_ROLE = 'webhooks';

/** Secret of the workers, and the roles that need the secret. */
export const WEBHOOKS_SECRET = { name: 'WEBHOOK_KEYS', roles: [WEBHOOKS_ROLE] } as const;
