import type { CanalSat } from './sat.ts';

/** A stored credential as the database has it: sealed bytes and what may be said about them. */
export interface CredencialGuardada {
  readonly id: string;
  readonly apiKeyId: string;
  readonly kid: string;
  readonly sobre: Buffer;
  /**
   * 32 bytes mixed into the key derivation of an e.firma key; null for the others, or when a crash emptied their table.
   */
  readonly shred: Buffer | null;
  readonly noSerie: string | null;
  readonly titular: string | null;
  /** notAfter of the certificate; null for a CIEC. */
  readonly vigenteHasta: Date | null;
  /** When the row stops existing for any operation; null for what does not expire by itself. */
  readonly expiraEn: Date | null;
  /**
   * When the SAT refused it, by channel: nobody tries it there again until it is stored anew. The other channel goes
   * on.
   */
  readonly rechazadaEn: Readonly<Record<CanalSat, Date | null>>;
}

/**
 * Everything that decides whether a call may go on, read in one query by the public id of the API key. `version` moves
 * with every change of it, so that a later statement can demand that it still holds.
 */
export interface AccessSnapshot {
  readonly apiKey: {
    readonly id: string;
    readonly hash: Buffer;
    readonly pepperVersion: number;
    readonly estado: 'ACTIVA' | 'REEMPLAZADA' | 'REVOCADA';
    readonly modo: 'test' | 'live';
    /** True once `rfc-registrar` was called with this key. */
    readonly isRegistrada: boolean;
  };
  readonly cuentaId: string;
  readonly contribuyenteId: string;
  readonly rfc: string;
  readonly idCif: string | null;
  readonly version: bigint;
  readonly saldo: number;
  /** True while the operator keeps the account suspended: nothing is answered to its keys. */
  readonly isSuspendida: boolean;
  /** Operation paths without the /api/v1/ prefix, such as `tax/facturas`. */
  readonly deshabilitadas: readonly string[];
  /** CIDR blocks that may call; empty means any. */
  readonly ips: readonly string[];
  readonly ciec: CredencialGuardada | null;
  readonly efirmaCer: CredencialGuardada | null;
  /** Null from the second in which its hour is over, by the clock of the database. */
  readonly efirmaKey: CredencialGuardada | null;
}

/** Reads passes. Throws when the database does not answer. */
export interface AccessSnapshots {
  load(apiKeyId: string): Promise<AccessSnapshot | null>;
  /** Notes last uses; called in batches, off the request path. */
  noteUse(usos: readonly { apiKeyId: string; at: Date; ip: string }[]): Promise<void>;
  /**
   * Keeps another hash of the same key in place of `antes`; nothing happens if it was replaced meanwhile. Called off
   * the request path.
   */
  rehash(
    apiKeyId: string,
    antes: Uint8Array,
    nuevo: { readonly hash: Uint8Array; readonly pepperVersion: number },
  ): Promise<void>;
}
