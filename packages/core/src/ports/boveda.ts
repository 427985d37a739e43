import type { CanalSat } from './sat.ts';

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

  /** Names a taxpayer whom nobody has named, as the SAT does. The panel shows it. */
  nameContribuyente(input: { apiKeyId: string; contribuyenteId: string; nombre: string; ip: string }): Promise<void>;

  /**
   * Stores or replaces the credential of its kind, demanding that the key is still active. A new certificate with
   * another serial number drops a stored e.firma key, since the two would no longer be a pair. False when the key is no
   * longer active.
   */
  store(nueva: NuevaGuardada, ip: string): Promise<boolean>;

  /**
   * Open solicitudes of this taxpayer that go through the e.firma, waiting for it or not: a fresh key serves them all,
   * also those that an earlier API key asked for.
   */
  waitingForEfirma(contribuyenteId: string): Promise<readonly EsperaEfirma[]>;

  /**
   * Gives a solicitud its newly sealed credential and, if it waited for one, sets it going again: one statement. False
   * when it has ended.
   */
  resume(sellada: { solicitudId: string; kid: string; sobre: Buffer; expiraEn: Date }): Promise<boolean>;

  /**
   * Marks a stored credential that the SAT refused at one channel, by the id of its row: nobody tries it there again
   * until it is stored anew. Nothing when it was replaced meanwhile.
   */
  refuse(contribuyenteId: string, credencialId: string, canal: CanalSat): Promise<void>;

  /** Deletes what has expired: e.firma keys, their shred keys, sealed copies. Returns how many rows. */
  reap(): Promise<number>;

  /** The database's clock: what `expiraEn` is counted from. */
  now(): Promise<Date>;
}
