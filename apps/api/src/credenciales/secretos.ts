import { type CampoErroneo, CfdiError } from '@acuse/contract';
import { CuerpoIlegible, decodeBase64, takeSecretFields } from '@acuse/vault';
import type { ApiSettings } from '../api-settings.ts';
import type { Secreto } from '../http/operation.ts';

export interface SecretosTomados {
  /** The body without its secret fields: JSON that may become strings. */
  readonly rest: Buffer;
  /** Decoded values of the fields that were there. */
  readonly secretos: Readonly<Record<string, Buffer>>;
  /** The secret fields that are missing or wrong. Told after the other fields. */
  readonly reparos: readonly CampoErroneo[];
}

/**
 * Takes the secret fields of an operation out of the raw body, without making strings of them. Changes `raw` in place.
 * Throws `JSON_INVALIDO` or `CAMPO_INVALIDO` (a secret field that stands there twice); everything is zeroed then.
 */
export function takeSecretos(
  raw: Buffer,
  declared: Readonly<Record<string, Secreto>>,
  settings: ApiSettings,
): SecretosTomados {
  const names = Object.keys(declared);
  if (names.length === 0) return { rest: raw, secretos: {}, reparos: [] };
  const { secrets, rest } = split(raw, names);
  const secretos: Record<string, Buffer> = {};
  const reparos: CampoErroneo[] = [];
  for (const [campo, secreto] of Object.entries(declared)) {
    const bytes = secrets[campo] ?? null;
    const motivo = bytes === null ? whyMissing(rest, campo, secreto) : null;
    const decoded = bytes === null ? motivo : decode(bytes, secreto, settings);
    if (typeof decoded === 'string') reparos.push({ campo, motivo: decoded });
    else if (decoded !== null) secretos[campo] = decoded;
  }
  return { rest, secretos, reparos };
}

function split(raw: Buffer, names: readonly string[]): ReturnType<typeof takeSecretFields<string>> {
  try {
    return takeSecretFields(raw, names);
  } catch (error) {
    if (!(error instanceof CuerpoIlegible)) throw error;
    if (error.campo === null) throw new CfdiError('JSON_INVALIDO');
    throw new CfdiError('CAMPO_INVALIDO', { campo: error.campo, motivo: 'aparece más de una vez' });
  }
}

/** A field that was there but is no string left a 0 in the rest. */
function whyMissing(rest: Buffer, campo: string, { required }: Secreto): string | null {
  const isThere = Object.hasOwn(JSON.parse(rest.toString('utf8')), campo);
  if (isThere) return 'debe ser un texto';
  return required ? 'falta' : null;
}

/** The value to hand over, or what is wrong with it. What is not handed over is zeroed. */
function decode(bytes: Buffer, secreto: Secreto, settings: ApiSettings): Buffer | string {
  const value = secreto.encoding === 'base64' ? fromBase64(bytes) : bytes;
  if (value !== bytes) bytes.fill(0);
  const motivo = value === null ? 'no es base64 válido' : whyWrong(value, secreto, settings);
  if (motivo === null && value !== null) return value;
  value?.fill(0);
  return motivo ?? '';
}

function whyWrong(value: Buffer, secreto: Secreto, settings: ApiSettings): string | null {
  if (value.length === 0 && secreto.required) return 'no puede estar vacío';
  if (value.length > secreto.maxBytes) return 'es demasiado grande';
  return secreto.check?.(value, settings) ?? null;
}

/** Base64 with or without line breaks (RFC 4648 section 3.1 leaves them to the application; many tools write them). */
function fromBase64(text: Buffer): Buffer | null {
  const compact = Buffer.allocUnsafeSlow(text.length);
  let length = 0;
  for (const byte of text) {
    if (byte === 0x0a || byte === 0x0d) continue;
    compact[length] = byte;
    length += 1;
  }
  const decoded = decodeBase64(compact.subarray(0, length));
  compact.fill(0);
  return decoded;
}
