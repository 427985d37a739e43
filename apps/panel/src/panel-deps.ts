import type { Database } from '@acuse/db';
import type { Logger } from '@acuse/runtime';
import type { ApiKeyHasher, Keyring } from '@acuse/vault';

/** Everything the panel needs from outside itself. `main` builds it, tests build their own over a real database. */
export interface PanelDeps {
  readonly database: Database;
  readonly hasher: ApiKeyHasher;
  readonly keyring: Keyring;
  readonly now: () => Date;
  /** UUIDv7. */
  readonly newId: () => string;
  readonly log: Logger;
}
