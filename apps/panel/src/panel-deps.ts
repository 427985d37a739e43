import type { Paquetes, Sellado } from '@acuse/core';
import type { Database, Intentos, SegundosFactores, Sesiones, Usuarios } from '@acuse/db';
import type { Dashboard } from '@acuse/queue';
import type { Health, Logger } from '@acuse/runtime';
import type { ApiKeyHasher, Keyring, Sealer, TrustBundle } from '@acuse/vault';
import type { Passwords } from './acceso/passwords.ts';
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

/** How often something may be tried at once after a pause, and the seconds until one more is earned. */
interface Ritmo {
  readonly rafaga: number;
  readonly segundos: number;
}

/** What the panel lets its operator choose, already read and checked. */
export interface PanelSettings {
  /** Of this program, shown at the foot of each page. */
  readonly version: string;
  /** Where people reach the panel, without a slash at the end. */
  readonly publicUrl: string;
  /** Where integrators reach the API, without a slash at the end. */
  readonly apiPublicUrl: string;
  /** Where this process reaches the API, without a slash at the end. */
  readonly apiInternalUrl: string;
  readonly queueUrl: string;
  readonly queueNamespace: string;
  /** Whether anybody may create an account, or only the operator. */
  readonly registro: 'abierto' | 'cerrado';
  /** Seconds without use after which a session is over. */
  readonly sesionInactiva: number;
  /** Seconds after which a session is over in any case. */
  readonly sesionMaxima: number;
  /** Seconds without use for which an API key that was typed in is kept, sealed, for its session; 0 keeps none. */
  readonly llaveRecordada: number;
  /** False only on http://localhost, for browsers that take no `Secure` cookie there. */
  readonly cookieHost: boolean;
  /** CIDR blocks whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
  readonly entradasPorCuenta: Ritmo;
  readonly entradasPorIp: Ritmo;
  readonly registrosPorIp: Ritmo;
  /** Characters of a CIEC. */
  readonly ciecLength: { readonly min: number; readonly max: number };
  /** Of the API keys that are issued here: `live` only where the SAT itself answers. */
  readonly modoLlave: 'live' | 'test';
  /** Whether an e.firma key is also encrypted under a key of a table that no backup has. */
  readonly efirmaShred: boolean;
  /** Credits below which an account is told that few are left, unless it chose another number; 0 never tells. */
  readonly saldoAviso: number;
  /** Life of a package's URL, seconds. */
  readonly urlTtlSeconds: number;
}
