import { readFile } from 'node:fs/promises';
import type { ReadyAccount } from './account.ts';
import type { Call } from './api-client.ts';

export async function storeCiec(call: Call, { rfc, ciec }: ReadyAccount): Promise<void> {
  await call('vault/rfc-guardar', { rfc, ciec });
}

export async function storeEfirma(call: Call, { rfc, efirma }: ReadyAccount): Promise<void> {
  const [cer, key] = await Promise.all([readFile(efirma.cer, 'base64'), readFile(efirma.key, 'base64')]);
  await call('vault/firma-registrar', { rfc, cer });
  await call('vault/firma-guardar', { rfc, key, password: efirma.password });
}
