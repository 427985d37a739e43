import { CfdiError } from '@acuse/contract';
import type { ApiDeps } from '../../api-deps.ts';
import { takeSecretos } from '../../credenciales/secretos.ts';
import { parseJsonObject } from '../json.ts';
import type { Body, Llamada } from '../llamada.ts';

const KIB = 1_024;
const MEDIA_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?;?\s*$/i;

/** 64 KiB, and 256 KiB for the vault, whose bodies carry files. */
export const bodyLimit = (path: string) => (path.startsWith('vault/') ? 256 : 64) * KIB;

/** Reads the body once: media type, size, JSON, then every field. A wrong RFC is told before any other wrong field. */
export async function readBody(
  llamada: Llamada,
  { settings }: Pick<ApiDeps, 'settings'>,
): Promise<undefined> {
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
  const { rest, secretos, reparo } = takeSecretos(raw, operation.secretos, settings);
  try {
    const parsed = operation.body.safeParse(parseJsonObject(rest));
    if (!parsed.success) throw wrongField(parsed.error.issues, operation.rfc !== 'ninguno');
    const wrong = reparo ?? operation.check(parsed.data, now);
    if (wrong !== null) throw new CfdiError('CAMPO_INVALIDO', { campo: wrong.campo, motivo: wrong.motivo });
    return { value: parsed.data, secretos };
  } catch (error) {
    for (const secreto of Object.values(secretos)) secreto.fill(0);
    throw error;
  }
}

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly input?: unknown;
}

function wrongField(issues: readonly Issue[], hasRfc: boolean): CfdiError {
  const rfc = hasRfc ? issues.find((issue) => issue.path[0] === 'rfc') : undefined;
  if (rfc) return new CfdiError('RFC_INVALIDO', { campo: 'rfc', motivo: rfc.message });
  const [first] = issues;
  return new CfdiError('CAMPO_INVALIDO', {
    campo: first?.path.map(String).join('.') ?? '',
    motivo: first?.message ?? '',
  });
}
