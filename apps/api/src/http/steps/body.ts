import { CfdiError } from '@acuse/contract';
import type { ApiDeps } from '../../api-deps.ts';
import { takeSecretos } from '../../credenciales/secretos.ts';
import { parseJsonObject } from '../json.ts';
import type { Body, Llamada } from '../llamada.ts';
import { asWrongFields, wrongFields } from './campos.ts';

const KIB = 1_024;
/** JSON's white space (RFC 8259 section 2). */
const BLANKS = new Set([0x20, 0x09, 0x0a, 0x0d]);
const MEDIA_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?;?\s*$/i;

/** 64 KiB, and 256 KiB for the vault, whose bodies carry files. */
const bodyLimit = (path: string) => (path.startsWith('vault/') ? 256 : 64) * KIB;

/**
 * Reads the body once: media type, size, JSON, then every field. All wrong ones are told at once, a wrong RFC before
 * any other.
 */
export async function readBody(llamada: Llamada, { settings }: Pick<ApiDeps, 'settings'>): Promise<undefined> {
  llamada.bodyRead ??= read(llamada, settings);
  llamada.body = await llamada.bodyRead;
}

async function read(llamada: Llamada, settings: ApiDeps['settings']): Promise<Body> {
  const { headers, source, operation, now } = llamada;
  const encoding = headers.get('content-encoding')?.trim().toLowerCase() ?? 'identity';
  if (!MEDIA_TYPE.test(headers.get('content-type') ?? '') || encoding !== 'identity') {
    throw new CfdiError('TIPO_DE_CONTENIDO');
  }
  const limit = bodyLimit(operation.path);
  if ((source.declaredBytes ?? 0) > limit) throw new CfdiError('CUERPO_DEMASIADO_GRANDE');
  const raw = await source.read(limit);
  if (isBlank(raw)) throw new CfdiError('CUERPO_VACIO');
  const { rest, secretos, reparos } = takeSecretos(raw, operation.secretos, settings);
  try {
    const sent = parseJsonObject(rest);
    const parsed = operation.body.safeParse(sent);
    const wrong = wrongFields(operation, sent, parsed.error?.issues ?? [], reparos);
    if (!parsed.success) throw asWrongFields(operation, sent, wrong);
    const between = operation.check(parsed.data, now);
    const all = between === null ? wrong : [...wrong, between];
    if (all.length > 0) throw asWrongFields(operation, sent, all);
    return { value: parsed.data, secretos };
  } catch (error) {
    for (const secreto of Object.values(secretos)) secreto.fill(0);
    throw error;
  }
}

const isBlank = (bytes: Buffer) => bytes.every((byte) => BLANKS.has(byte));
