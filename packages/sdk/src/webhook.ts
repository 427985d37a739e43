import { AcuseError } from './errors.ts';
import type { EventoWebhook } from './generated/openapi.ts';

/** A webhook as it came. */
export interface WebhookRecibido {
  /** The body byte for byte: read as JSON and written again it has another signature. */
  readonly cuerpo: string | Uint8Array;
  /** `Headers`, or an object as Node, Express or API Gateway give them; upper and lower case are the same. */
  readonly encabezados: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** Seconds by which the clock of a webhook may differ. */
const TOLERANCE_SECONDS = 300;
const PREFIX = 'whsec_';

/**
 * Checks a webhook by the Standard Webhooks scheme and reads it: `webhook-signature` has to hold, for one of the
 * secrets, the HMAC-SHA256 of `webhook-id`, `webhook-timestamp` and body; a webhook older or newer than five minutes is
 * refused. Comparisons take the same time whatever they find. Whoever gets the same `webhook-id` twice has to do its
 * work once.
 *
 * @typeParam T Type of the event; by default all events, which a check of `type` narrows.
 * @param secretos One `whsec_…`, or several while one replaces the other.
 * @throws AcuseError `WEBHOOK_INVALIDO` with the reason; TypeError for a secret that is none.
 */
export async function verificarWebhook<T = EventoWebhook>(
  { cuerpo, encabezados }: WebhookRecibido,
  secretos: string | readonly string[],
  ahora: Date = new Date(),
): Promise<T> {
  const header = (name: string) => {
    const value = textOf(encabezados, name);
    if (value === '') throw invalid(`falta el encabezado ${name}`);
    return value;
  };
  const [id, timestamp, signatures] = [header('webhook-id'), header('webhook-timestamp'), header('webhook-signature')];
  if (!/^\d{1,15}$/.test(timestamp)) throw invalid('webhook-timestamp no es una hora');
  if (Math.abs(ahora.getTime() / 1_000 - Number(timestamp)) > TOLERANCE_SECONDS)
    throw invalid('su hora difiere más de cinco minutos de la de este equipo');
  const body = typeof cuerpo === 'string' ? new TextEncoder().encode(cuerpo) : cuerpo;
  const signed = concat(new TextEncoder().encode(`${id}.${timestamp}.`), body);
  const given = signatures.split(' ').flatMap((each) => (each.startsWith('v1,') ? (bytesOf(each.slice(3)) ?? []) : []));
  const checks = await Promise.all(
    [secretos].flat().map(async (secreto) => {
      const key = await importSecret(secreto);
      return Promise.all(given.map((signature) => crypto.subtle.verify('HMAC', key, signature, signed)));
    }),
  );
  if (!checks.flat().includes(true)) throw invalid('ninguna de sus firmas es de un secreto de los dados');
  try {
    return JSON.parse(new TextDecoder().decode(body)) as T;
  } catch {
    throw invalid('su cuerpo no es JSON');
  }
}

/** A header by its name in lower case; empty where there is none. */
function textOf(encabezados: WebhookRecibido['encabezados'], name: string): string {
  if (encabezados instanceof Headers) return encabezados.get(name) ?? '';
  const [, value = ''] = Object.entries(encabezados).find(([each]) => each.toLowerCase() === name) ?? [];
  return [value].flat().join(' ');
}

const invalid = (motivo: string) => new AcuseError({ nombre: 'WEBHOOK_INVALIDO', datos: { motivo } });

async function importSecret(secreto: string) {
  const bytes = secreto.startsWith(PREFIX) ? bytesOf(secreto.slice(PREFIX.length)) : null;
  if (bytes === null || bytes.length === 0)
    throw new TypeError('El secreto de un webhook es whsec_ y base64: cópielo como lo mostró el servicio.');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

function concat(one: Uint8Array, two: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(one.length + two.length);
  both.set(one);
  both.set(two, one.length);
  return both;
}
