import { CfdiError } from '@acuse/contract';
import { accessOf, bodyOf, type Llamada } from '../llamada.ts';

/** A key belongs to exactly one RFC, which has to be associated with it first (specification, Authentication 3 and 7). */
export async function rfcDeLaLlave(llamada: Llamada): Promise<undefined> {
  const { rfc } = llamada.operation;
  if (rfc !== 'propio' && rfc !== 'propio-sin-registrar') return;
  const { access } = accessOf(llamada);
  if (bodyOf(llamada).value['rfc'] !== access.rfc) throw new CfdiError('RFC_AJENO');
  if (rfc === 'propio' && !access.apiKey.isRegistrada) throw new CfdiError('RFC_NO_REGISTRADO');
}
