import type { AccessSnapshot } from '@acuse/core';
import type { ApiKey } from '../api-key/api-key.ts';

/** Whose credential it is, and the API key, already verified, that it is encrypted under. */
export interface Dueno {
  readonly access: Pick<AccessSnapshot, 'contribuyenteId' | 'cuentaId' | 'rfc'>;
  readonly apiKey: Pick<ApiKey, 'keyId' | 'secret'>;
  /** From where it was asked, for the audit log. */
  readonly ip: string;
  /** Who asked; the API key itself unless said. */
  readonly actor?: string;
}
