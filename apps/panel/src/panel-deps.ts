import type { Paquetes, Sellado } from '@acuse/core';
import type { Database, Intentos, SegundosFactores, Sesiones, Usuarios } from '@acuse/db';
import type { Dashboard } from '@acuse/queue';
import type { Health, Logger } from '@acuse/runtime';
import type { ApiKeyHasher, Keyring, Sealer, TrustBundle } from '@acuse/vault';
import type { Passwords } from './acceso/passwords.ts';
import type { PanelSettings } from './config.ts';
import type { Seguimiento } from './pages/solicitudes/avance/seguimiento.ts';
import type { Checkout } from './pagos/checkout.ts';

/** Everything the panel needs from outside itself. `main` builds it, tests build their own over a real database. */
export interface PanelDeps {
  readonly database: Database;
  readonly hasher: ApiKeyHasher;
  readonly keyring: Keyring;
  /** Seals a credential for the workers. */
  readonly sealer: Sealer;
  /** The authorities that issue e.firmas. */
  readonly trust: TrustBundle;
  readonly paquetes: Paquetes;

  /** The workers' queues, to look at. */
  readonly dashboard: Dashboard;

  /** Streams of progress to browsers. */
  readonly seguimiento: Seguimiento;

  readonly usuarios: Usuarios;
  readonly sesiones: Sesiones;
  readonly segundosFactores: SegundosFactores;
  readonly intentos: Intentos;
  readonly passwords: Passwords;
  /** Seals what only the panel may read: secrets of second factors. */
  readonly sellado: Sellado;
  /** Keys of the CSRF tokens: the first makes them, all are good, so that open forms outlive a rotation. */
  readonly clavesCsrf: readonly Buffer[];

  /** The sale of credits. */
  readonly checkout: Checkout;

  readonly settings: PanelSettings;
  readonly health: Health;
  readonly now: () => Date;
  /** UUIDv7. */
  readonly newId: () => string;
  readonly log: Logger;
}
