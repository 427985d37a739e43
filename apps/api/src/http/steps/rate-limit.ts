import { CfdiError } from '@acuse/contract';
import { accessOf, type Llamada } from '../llamada.ts';
import type { TokenBucket } from '../state/token-bucket.ts';

/** Counts the call against its key. The header fields are those of draft-ietf-httpapi-ratelimit-headers. */
export async function rateLimit(
  llamada: Llamada,
  { bucket }: { readonly bucket: TokenBucket | null },
): Promise<undefined> {
  if (bucket === null || llamada.rateChecked) return;
  llamada.rateChecked = true;
  const { allowed, remaining, resetSeconds, retryAfterSeconds } = bucket.take(accessOf(llamada).apiKey.keyId);
  llamada.answerHeaders['RateLimit-Policy'] =
    `"llave";q=${bucket.burst};w=${Math.ceil(bucket.burst / bucket.perSecond)}`;
  llamada.answerHeaders['RateLimit'] = `"llave";r=${remaining};t=${resetSeconds}`;
  if (!allowed) throw new CfdiError('DEMASIADAS_PETICIONES', { reintentar_en: retryAfterSeconds });
}
