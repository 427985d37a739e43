import { createHash } from 'node:crypto';
import { CfdiError } from '@acuse/contract';
import type { ApiDeps } from '../../api-deps.ts';
import { vidaDeLlamada } from '../../api-settings.ts';
import { bodyOf, type Contestacion, type Llamada, paseOf } from '../llamada.ts';

export const IDEMPOTENCY_KEY = 'Idempotency-Key';
const CLAVE = /^[\x21-\x7e]{1,255}$/;

/**
 * The optional `Idempotency-Key` header, for operations with a cost: what was answered once is answered again for 24 hours, and nothing
 * is charged twice. The others are free to repeat, and the vault's bodies are never hashed.
 */
export async function idempotencia(
  llamada: Llamada,
  { idempotencia: port, settings }: Pick<ApiDeps, 'idempotencia' | 'settings'>,
): Promise<Contestacion | undefined> {
  const clave = llamada.headers.get(IDEMPOTENCY_KEY);
  const { operation } = llamada;
  if (clave === null || operation.cost === 0 || llamada.idempotency !== null) return undefined;
  if (!CLAVE.test(clave)) {
    const motivo = 'debe tener de 1 a 255 caracteres ASCII visibles, sin espacios';
    throw new CfdiError('CAMPO_INVALIDO', { campo: IDEMPOTENCY_KEY, motivo });
  }
  const { pase } = paseOf(llamada);
  const resultado = await port.begin({
    apiKeyId: pase.apiKey.id,
    operacion: operation.path,
    clave,
    cuerpoHash: createHash('sha256')
      .update(canonicalJson(bodyOf(llamada).value))
      .digest(),
    opId: llamada.opId,
    // Only then may a repetition take the place of an attempt that died.
    bloqueoSegundos: vidaDeLlamada(settings),
  });
  switch (resultado.resultado) {
    case 'ADELANTE':
      llamada.idempotency = { clave };
      llamada.opId = resultado.opId;
      return undefined;
    case 'CONTESTADA':
      return {
        status: resultado.status,
        cuerpo: resultado.respuesta,
        headers: { 'Idempotent-Replayed': 'true' },
      };
    case 'OTRO_CUERPO':
      throw new CfdiError('IDEMPOTENCIA_EN_CONFLICTO', { motivo: 'La clave ya se usó con otro contenido.' });
    case 'EN_CURSO':
      throw new CfdiError('IDEMPOTENCIA_EN_CONFLICTO', {
        motivo: 'La primera petición con esta clave sigue en curso.',
        reintentar_en: resultado.reintentarEn,
      });
  }
}

/** JSON with the names of every object in order, so that the same content has the same bytes. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
}
