import { CfdiError } from '@acuse/contract';
import { bodyOf, type Llamada, paseOf } from '../llamada.ts';

/** A key belongs to exactly one RFC, which has to be associated with it first (specification, Authentication 3 and 7). */
export async function rfcDeLaLlave(llamada: Llamada): Promise<undefined> {
  const { rfc } = llamada.operation;
  if (rfc !== 'propio' && rfc !== 'propio-sin-registrar') return;
  const { pase } = paseOf(llamada);
  if (bodyOf(llamada).value['rfc'] !== pase.rfc) throw new CfdiError('RFC_AJENO');
  if (rfc === 'propio' && !pase.apiKey.isRegistrada) throw new CfdiError('RFC_NO_REGISTRADO');
}
