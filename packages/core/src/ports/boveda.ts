import type { CanalSat } from '../credencial.ts';

/** Who changes something and from where, for the audit log. */
export interface Autor {
  /** `usuario:<id>`, `api_key:<id>`, `operador:cli`, or a part of the service. */
  readonly actor: string;
  /** Address that the order came from; null for one over no network, and for a payment provider's notification. */
  readonly ip: string | null;
}

/**
 * Whose data a call sees and whom it asks: `live` the SAT, `test` a simulator. Every API key is of one, for ever, and so
 * is all that was asked with it.
 */
export type Modo = 'live' | 'test';

/** What may go wrong with a certificate that was taken; the texts for people are in `@acuse/vault`. */
export type Advertencia = 'TEXTO_MAL_FORMADO' | 'AUTORIDAD_AC5';

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
  /** Of a certificate. */
  readonly advertencias: readonly Advertencia[];
  /** When the row stops existing for any operation; null for what does not expire by itself. */
  readonly expiraEn: Date | null;
  /**
   * Time of the SAT's refusal by channel. A refused channel stays unused until the credential is stored again; the
   * other channel goes on.
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
    readonly modo: Modo;
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

export type TipoGuardada = 'ciec' | 'efirma_cer' | 'efirma_key';

export interface NuevaGuardada {
  readonly id: string;
  readonly contribuyenteId: string;
  readonly apiKeyId: string;
  readonly tipo: TipoGuardada;
  readonly kid: string;
  readonly sobre: Buffer;
  readonly shred?: Buffer;
  readonly noSerie?: string;
  readonly titular?: string;
  readonly vigenteHasta?: Date;
  readonly advertencias?: readonly Advertencia[];
  readonly expiraEn?: Date;
  /** Who stores it, for the audit log; the API key itself unless said. */
  readonly actor?: string;
}

/** An open solicitud that goes on with the e.firma, and what the API has to know to seal the key to it. */
interface EsperaEfirma {
  readonly solicitudId: string;
  readonly deadlineAt: Date;
}

/** Where sealed credentials are kept. Every write leaves a row in the audit log. */
export interface Boveda {
  /** Associates the RFC with the calling key (`rfc-registrar`). Idempotent. `idCif` is kept when given. */
  register(input: {
    apiKeyId: string;
    contribuyenteId: string;
    idCif?: string;
    ip: string;
    /** Who does it, for the audit log; the API key itself unless said. */
    actor?: string;
  }): Promise<void>;

  /** Gives a taxpayer without a name the name that the SAT has. The panel shows it. */
  nameContribuyente(input: { apiKeyId: string; contribuyenteId: string; nombre: string; ip: string }): Promise<void>;

  /**
   * Stores or replaces the credential of its kind, demanding that the key is still active. A new certificate with
   * another serial number drops a stored e.firma key, since the two would no longer be a pair. False when the key is no
   * longer active.
   */
  store(nueva: NuevaGuardada, ip: string): Promise<boolean>;

  /**
   * Open solicitudes of this taxpayer that go through the e.firma, waiting for it or not: a fresh key serves them all,
   * also those that an earlier API key of the same mode asked for.
   */
  waitingForEfirma(contribuyenteId: string): Promise<readonly EsperaEfirma[]>;

  /**
   * Gives a solicitud its newly sealed credential and, if it waited for one, sets it going again: one statement. False
   * when it has ended.
   */
  resume(sellada: { solicitudId: string; kid: string; sobre: Buffer; expiraEn: Date }): Promise<boolean>;

  /**
   * Marks a stored credential as refused at one channel, by the id of its row: the channel stays unused until the
   * credential is stored again. Does nothing when the credential was replaced.
   */
  refuse(contribuyenteId: string, credencialId: string, canal: CanalSat): Promise<void>;

  /** Deletes what has expired: e.firma keys, their shred keys, sealed copies. Returns how many rows. */
  reap(): Promise<number>;

  /** The database's clock: what `expiraEn` is counted from. */
  now(): Promise<Date>;
}
