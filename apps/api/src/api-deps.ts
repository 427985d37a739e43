import type {
  AccessSnapshots,
  Boveda,
  ConsultasEnCurso,
  Documentos,
  Idempotencia,
  Listas,
  OpinionesPublicas,
  Paquetes,
  Saldos,
  Sat,
  Semaphore,
  SesionesPortal,
  Solicitudes,
} from '@acuse/core';
import type { Health, Logger } from '@acuse/runtime';
import type { ApiKeyHasher, Keyring, Sealer, TrustBundle } from '@acuse/vault';
import type { ApiSettings } from './api-settings.ts';
import type { Caminos } from './consultas/caminos.ts';

/** The ports that reach the database. */
export interface DatabasePorts {
  readonly accessSnapshots: AccessSnapshots;
  readonly saldos: Saldos;
  readonly solicitudes: Solicitudes;
  readonly boveda: Boveda;
  readonly idempotencia: Idempotencia;
  readonly listas: Listas;
  readonly consultasEnCurso: ConsultasEnCurso;
  readonly documentos: Pick<Documentos, 'note'>;
  readonly sesiones: Pick<SesionesPortal, 'forget'>;
}

/**
 * Everything the API needs from outside itself. Nothing here is imported anywhere else: `main` builds it, tests fake
 * it.
 */
export interface ApiDeps extends DatabasePorts {
  readonly paquetes: Pick<Paquetes, 'presign' | 'saveDocumento'>;
  readonly sat: Sat;
  /** Null when the operator has configured no source. */
  readonly opinionesPublicas: OpinionesPublicas | null;
  /** Room for queries of the authority. */
  readonly turnos: Semaphore;
  /** Which credential an operation is best asked with. */
  readonly caminos: Caminos;
  /** Aborts when the process stops. */
  readonly apagado: AbortSignal;
  readonly hasher: ApiKeyHasher;
  readonly keyring: Keyring;
  readonly sealer: Sealer;
  /** Authorities that may issue an e.firma. */
  readonly trust: TrustBundle;
  /**
   * Tells the relay that there is something in the outbox. Returns at once; losing it costs a second, never a
   * solicitud.
   */
  readonly wake: () => void;
  readonly now: () => Date;
  /** UUIDv7. */
  readonly newId: () => string;
  readonly log: Logger;
  readonly health: Health;
  readonly settings: ApiSettings;
}
