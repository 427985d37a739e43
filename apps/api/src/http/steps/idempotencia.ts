import { CfdiError } from '@acuse/contract';
import { huellaDeCuerpo, openRespuesta } from '@acuse/vault';
import type { ApiDeps } from '../../api-deps.ts';
import { vidaDeLlamada } from '../../api-settings.ts';
import { accessOf, type Body, bodyOf, type Contestacion, type Llamada } from '../llamada.ts';

const IDEMPOTENCY_KEY = 'Idempotency-Key';
const ILEGIBLE = 'La respuesta guardada con esta clave ya no se puede leer. Use una clave nueva.';
const CLAVE = /^[\x21-\x7e]{1,255}$/;

/**
 * The optional `Idempotency-Key` header, the same for every operation: what was answered once is answered again for 24
 * hours, and nothing is done or charged twice. Neither answer nor body can be read where they are kept without the
 * caller's API key.
 */
export async function idempotencia(
  llamada: Llamada,
  { idempotencia: port, keyring, settings }: Pick<ApiDeps, 'idempotencia' | 'keyring' | 'settings'>,
): Promise<Contestacion | undefined> {
  const clave = llamada.headers.get(IDEMPOTENCY_KEY);
  const { operation } = llamada;
  if (clave === null || llamada.idempotency !== null) return undefined;
  if (!CLAVE.test(clave)) {
    const motivo = 'debe tener de 1 a 255 caracteres ASCII visibles, sin espacios';
    throw new CfdiError('CAMPO_INVALIDO', { campo: IDEMPOTENCY_KEY, motivo });
  }
  const { access, apiKey } = accessOf(llamada);
  const peticion = { apiKeyId: access.apiKey.id, operacion: operation.path, clave };
  const resultado = await port.begin({
    ...peticion,
    cuerpoHash: huellaDeCuerpo(camposOf(bodyOf(llamada)), peticion, apiKey.secret),
    opId: llamada.opId,
    // Only then may a repetition take the place of an attempt that died.
    bloqueoSegundos: vidaDeLlamada(settings),
  });
  switch (resultado.resultado) {
    case 'ADELANTE':
      llamada.idempotency = { clave };
      llamada.opId = resultado.opId;
      return undefined;
    case 'CONTESTADA': {
      const { status, sobre } = resultado;
      const claves = { secret: apiKey.secret, keyring };
      const cuerpo = openRespuesta(sobre, { ...peticion, status }, claves);
      if (cuerpo === null) throw new CfdiError('IDEMPOTENCIA_EN_CONFLICTO', { motivo: ILEGIBLE });
      return { status, cuerpo, headers: { 'Idempotent-Replayed': 'true' } };
    }
    case 'OTRO_CUERPO':
      throw new CfdiError('IDEMPOTENCIA_EN_CONFLICTO', { motivo: 'La clave ya se usó con otro contenido.' });
    case 'EN_CURSO':
      throw new CfdiError('IDEMPOTENCIA_EN_CONFLICTO', {
        motivo: 'La primera petición con esta clave sigue en curso.',
        reintentar_en: resultado.reintentarEn,
      });
  }
}

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) => (a < b ? -1 : 1);

/** Every field of the body, those included that never become a string. */
const camposOf = ({ value, secretos }: Body) => [canonicalJson(value), ...Object.entries(secretos).sort(byName).flat()];

/** JSON with the names of every object in order, so that the same content has the same bytes. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(byName))
      : item,
  );
}
