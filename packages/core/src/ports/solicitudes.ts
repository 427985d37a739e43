import type { EstadoSolicitud, Formato } from '@acuse/contract';
import type { CanalSat, TipoCredencial } from '../credencial.ts';
import { MOTIVOS_SAT } from '../sat-error.ts';
import type { Modo } from './boveda.ts';
import type { Contenido, Filtros, Periodo, TipoDescarga } from './metadata.ts';
import type { Confianza, CuentaXml, PaqueteEnsamblado, ParteXml } from './paquetes.ts';

/** Every `tipo` of a row of the timeline (`evento`). The database takes no other. */
export const TIPOS_EVENTO = [
  'ACEPTADA',
  'SOLICITADA',
  'CUOTA_DEL_DIA',
  'XML_SIN_ENTREGA',
  'CAPSULA_HECHA',
  'SIN_CFDI',
  'VACIA_POR_CONFIRMAR',
  'VACIA_CONFIRMADA',
  'VACIA_SIN_CONFIRMAR',
  'REPETIDA',
  'DIVIDIDA',
  'SAT_EN_PROCESO',
  'SAT_TERMINADA',
  'SAT_SIN_RESPUESTA',
  'REENVIADA',
  'OTRO_CANAL',
  'CANAL_CAIDO',
  'SIN_EFIRMA',
  'PAQUETE_GUARDADO',
  'PAQUETE_ILEGIBLE',
  'FALLO_INTERNO',
  'ESPERA_EFIRMA',
  'REANUDADA',
  'TERMINADA',
  'ERROR',
  'RECHAZADA',
  'VENCIDA',
  'CANCELADA',
] as const;
export type TipoEvento = (typeof TIPOS_EVENTO)[number];

/** Why a solicitud ended without a package, or waits (`motivo`). The database takes no other. */
export const MOTIVOS_SOLICITUD = [
  ...MOTIVOS_SAT,
  'SAT_RECHAZADA',
  'SAT_ERROR',
  'SAT_VENCIDA',
  'SAT_DESCONOCIDA',
  'PLAZO_AGOTADO',
  'CREDENCIAL_NO_DISPONIBLE',
  'PAQUETE_SAT_INVALIDO',
  'PAQUETE_SAT_AGOTADO',
  'SOLICITUDES_AGOTADAS',
  'SAT_RECHAZO_LA_SOLICITUD',
  'DEMASIADOS_CFDI_POR_SEGUNDO',
  'API_KEY_REVOCADA',
  'CONSENTIMIENTO_REVOCADO',
  'CANCELADA_POR_EL_CLIENTE',
  'VACIA_SIN_CONFIRMAR',
  'EFIRMA_EXPIRADA',
] as const;
export type MotivoSolicitud = (typeof MOTIVOS_SOLICITUD)[number];

/** A credential sealed to the workers for one solicitud. */
export interface CredencialSellada {
  readonly tipo: TipoCredencial;
  readonly kid: string;
  readonly sobre: Buffer;
  /** Part of the sealed bytes' associated data; the row is gone after it. */
  readonly expiraEn: Date;
}

export interface NuevaSolicitud {
  /** UUIDv7; also the identity of its charge and refund in the ledger. */
  readonly id: string;
  readonly cuentaId: string;
  readonly contribuyenteId: string;
  readonly apiKeyId: string;
  /** Version of the pass that the caller was let in with. */
  readonly version: bigint;
  readonly rfc: string;
  readonly tipo: TipoDescarga;
  /** Calendar days, `yyyy-MM-dd`. */
  readonly desde: string;
  readonly hasta: string;
  readonly formato: Formato;
  readonly filtros?: Filtros | null;
  /** Absent: `metadata`. */
  readonly contenido?: Contenido | undefined;
  readonly tablas?: boolean | undefined;
  readonly canal: CanalSat;
  /** Credits; 0 charges nothing. */
  readonly costo: number;
  readonly deadlineAt: Date;
  readonly sellada: CredencialSellada;
  /** That of the other channel, when its credential is stored too: to go on with when the SAT refuses the first. */
  readonly otra: CredencialSellada | null;
  /** True when later steps may be signed beforehand. */
  readonly mayPresign?: boolean;
  readonly idemKey: string | null;
  /** The trace that it is accepted in (W3C Trace Context): its steps go on with it. */
  readonly traceparent?: string | null;
}

export type Aceptacion =
  | { readonly resultado: 'ACEPTADA'; readonly solicitudId: string }
  /** An equal one is running, or this Idempotency-Key made one: nothing was written, nothing charged. */
  | { readonly resultado: 'DUPLICADA'; readonly solicitudId: string; readonly estado: EstadoSolicitud }
  | { readonly resultado: 'SALDO_INSUFICIENTE' }
  /**
   * Key, operation, addresses or credentials changed since the pass was read, or the credential has expired: read it
   * again.
   */
  | { readonly resultado: 'STALE_ACCESS' };

/** What a caller may know about a solicitud. */
export interface VistaSolicitud {
  readonly id: string;
  /** That of the key that asked for it. */
  readonly modo: Modo;
  readonly rfc: string;
  readonly estado: EstadoSolicitud;
  readonly tipo: TipoDescarga;
  /** Where the SAT is asked now. */
  readonly canal: CanalSat;
  readonly desde: string;
  readonly hasta: string;
  readonly formato: Formato;
  readonly filtros: Filtros | null;
  readonly contenido: Contenido;
  readonly tablas: boolean;
  /** Counts of a package with XML; null for another one, and until it is TERMINADA. */
  readonly xml: CuentaXml | null;
  /** When all XML should be there, while a part waits for the quota of the next day; else null. */
  readonly completoHacia: Date | null;
  readonly registros: number | null;
  /** Null until it is TERMINADA. */
  readonly confianza: Confianza | null;
  /** Counterparties of the package on a list of the SAT; null for a package that was not crossed with the lists. */
  readonly contrapartesListadas: { readonly total: number; readonly adversas: number } | null;
  /** A feature asked for it, not a caller. */
  readonly hasOrigin: boolean;
  readonly isReembolsada: boolean;
  /** 0 to 1. */
  readonly progreso: number;
  /** Looks at the SAT so far. */
  readonly intentos: number;
  readonly ultimaConsulta: Date | null;
  readonly proximaConsulta: Date | null;
  readonly motivo: string | null;
  readonly creadaEn: Date;
  readonly terminadaEn: Date | null;
  readonly objectKey: string | null;
  readonly paqueteBorradoEn: Date | null;
  readonly bytes: number | null;
  readonly sha256: string | null;
}

export type Cancelacion =
  /** `isRepetida`: it was before, and nothing was written now. */
  | { readonly resultado: 'CANCELADA'; readonly isRepetida?: true }
  /** It had ended otherwise before: nothing was written. */
  | { readonly resultado: 'TERMINADA'; readonly estado: EstadoSolicitud };

export type EstadoParte = 'PENDIENTE' | 'SOLICITANDO' | 'SOLICITADA' | 'DISPONIBLE' | 'DESCARGADA' | 'VACIA';

interface PaqueteDeParte {
  readonly paquete: string;
  readonly orden: number;
  /** Null until it is in our storage. */
  readonly objectKey: string | null;
  /** Times it was fetched again because it could not be read. */
  readonly relecturas: number;
}

/** A period of a solicitud on its way through the SAT. */
export interface Parte {
  readonly id: string;
  readonly contenido: Contenido;
  readonly periodo: Periodo;
  readonly estado: EstadoParte;
  /** That of the solicitud, or the other one while or because that one had nothing. */
  readonly canal: CanalSat;
  /** Who said that it has no CFDI, in order. */
  readonly vacias: readonly CanalSat[];
  readonly folio: string | null;
  /** How many seconds the asked period was widened by, so that the SAT sees another request. */
  readonly desfase: number;
  /** Times it was sent to the SAT. */
  readonly envios: number;
  /** Times it was asked for again after the SAT gave it up, or after a package was lost. */
  readonly reenvios: number;
  /** Looks since it was accepted. */
  readonly consultas: number;
  /** Failures in a row. */
  readonly fallos: number;
  /** Log-ins that came to nothing, ever. */
  readonly accesos: number;
  /** Why its XML were given up. Null: they were not. */
  readonly motivo: ParteXml['motivo'];
  readonly dueAt: Date;
  readonly paquetes: readonly PaqueteDeParte[];
}

/** A solicitud held by one worker: every write carries `epoch` and is refused once another has claimed it. */
export interface ClaimedSolicitud {
  readonly id: string;
  readonly modo: Modo;
  readonly cuentaId: string;
  readonly contribuyenteId: string;
  readonly rfc: string;
  readonly tipo: TipoDescarga;
  readonly desde: string;
  readonly hasta: string;
  readonly formato: Formato;
  readonly filtros: Filtros | null;
  readonly contenido: Contenido;
  /** Tables of the XML are wanted. */
  readonly tablas: boolean;
  readonly canal: CanalSat;
  /** The channel that it left without a refusal: it may come back there, and leaves none for its silence any more. */
  readonly canalDejado: CanalSat | null;
  /** Origin: the row of the feature that asked for it, whose credential it uses. Null: a caller asked. */
  readonly origenId: string | null;
  readonly fase: Fase;
  readonly epoch: number;
  readonly creadaEn: Date;
  readonly deadlineAt: Date;
  /** The database's clock at the claim, or at the last reading under it. */
  readonly now: Date;
  /** Since when its claim is held, by the same clock, and the events that were written under it. */
  readonly claim: { readonly at: Date; readonly eventos: readonly TipoEvento[] };
  /** The trace that it was accepted in (W3C Trace Context). */
  readonly traceparent: string | null;
  /** When its wake-up was due, and when the queue got it (null: unknown). */
  readonly dueAt: Date;
  readonly wokenAt: Date | null;
  readonly partes: readonly Parte[];
  /** The SAT refused the credential that it was accepted with, at its channel, to this solicitud or to another one. */
  readonly isCredencialRechazada: boolean;
  /** That of its channel. Null when it has expired or was never there. */
  readonly sellada: CredencialSellada | null;
  /** That of the other channel. Null also when the SAT refused its credential there. */
  readonly otra: CredencialSellada | null;
  /** True when the caller wants it to go on after the hour of the key, by signatures made beforehand. */
  readonly mayPresign: boolean;
  /** Requests that are signed beforehand, and until when. Null when there is nothing, or it has expired. */
  readonly presigned: { readonly folios: readonly string[]; readonly expiraEn: Date } | null;
}

export type Fase = 'DESCARGA' | 'ENSAMBLE';
export type QueueName = 'descargas' | 'ensambles';

/** A change of one part. Absent fields stay as they are. */
export interface CambioParte extends Partial<Omit<Parte, 'id' | 'periodo' | 'dueAt' | 'paquetes'>> {
  readonly parteId: string;
  readonly registros?: number | null;
  /** Seconds from now until it is looked at again. */
  readonly dueInSeconds?: number;
  /** Replaces the list of its packages. */
  readonly paquetes?: readonly string[];
  readonly guardado?: {
    readonly paquete: string;
    readonly objectKey: string;
    readonly bytes: number;
    readonly sha256: string;
  };
  /** This stored package could not be read and is fetched again. */
  readonly releer?: { readonly paquete: string };
}

export interface NuevoEvento {
  readonly tipo: TipoEvento;
  readonly codigo?: string;
  readonly detalle?: string;
}

/** One fenced write: what changed, what to note, and whether the SAT was looked at. */
export interface Avance {
  readonly partes?: readonly CambioParte[];
  /** Periods to add; with `reemplaza` they take the place of that part. */
  readonly nuevas?: {
    readonly reemplaza: string | null;
    readonly periodos: readonly Periodo[];
    /** One part of each for each period; `metadata` unless said. */
    readonly contenidos?: readonly Contenido[];
    /** That of the solicitud unless said. */
    readonly canal?: CanalSat;
    readonly vacias?: readonly CanalSat[];
    /** Id and request of the one new part, which the same write says is asked for. */
    readonly pedida?: CambioParte;
  };
  readonly eventos?: readonly NuevoEvento[];
  /** Counts as a look at the SAT. */
  readonly consultado?: boolean;
}

export type EstadoFinalSinPaquete = 'ERROR' | 'RECHAZADA' | 'VENCIDA';

/**
 * Solicitudes as the workers see them. Every method but `claim` throws {@link StaleEpoch} when the epoch is no longer
 * ours.
 */
export interface Claims {
  /**
   * Takes a solicitud for `leaseSeconds` by compare-and-set. Null when it is not EN_PROCESO in this phase, when `gen`
   * is not its present wake-up, or when another holds it: then there is nothing to do.
   */
  claim(input: {
    solicitudId: string;
    gen: number;
    queue: QueueName;
    leaseSeconds: number;
  }): Promise<ClaimedSolicitud | null>;
  /** Writes progress and keeps the claim. */
  save(claimed: ClaimedSolicitud, avance: Avance): Promise<void>;
  /** Writes progress, keeps the claim and reads the solicitud as it then is. */
  goOn(claimed: ClaimedSolicitud, avance: Avance): Promise<ClaimedSolicitud>;
  /** Writes progress, gives the claim back and wakes the solicitud again `inSeconds` from now. */
  release(claimed: ClaimedSolicitud, avance: Avance, next: { queue: QueueName; inSeconds: number }): Promise<void>;
  /** Lengthens the lease. */
  extend(claimed: ClaimedSolicitud, leaseSeconds: number): Promise<void>;
  /**
   * The key's hour is over: waits until it is stored again; at once ready when that has happened since the claim.
   * Deletes a dead sealed copy and the signatures made beforehand.
   */
  awaitEfirma(claimed: ClaimedSolicitud): Promise<void>;
  /**
   * TERMINADA with its package; without any row and unconfirmed it is refunded. Deletes the sealed credential and writes
   * the finish notes over `notas` in the same transaction. Returns false when the notes could not be written.
   * `unwritten`: progress that `claimed` shows and the database does not have, written with the end.
   */
  finish(
    claimed: ClaimedSolicitud,
    paquete: Omit<PaqueteEnsamblado, 'resumen' | 'notas'> & Partial<Pick<PaqueteEnsamblado, 'resumen' | 'notas'>>,
    unwritten?: Avance,
  ): Promise<boolean>;
  /** Ends without a package: refund, sealed credential deleted, all in one statement. */
  fail(
    claimed: ClaimedSolicitud,
    end: { estado: EstadoFinalSinPaquete; motivo: MotivoSolicitud; codigo?: string },
  ): Promise<void>;
  /**
   * Goes on at the other channel with its credential: begins with the parts of `avance`, since no folio of one channel
   * is known to the other, gives the claim back and wakes the solicitud at once. The sealed copy of the credential that it leaves is
   * kept for a way back (`mayReturn`), else forgotten.
   */
  changeChannel(claimed: ClaimedSolicitud, avance: Avance, way: { readonly mayReturn: boolean }): Promise<void>;
  /**
   * Marks the stored credential as refused at the channel of the solicitud: the channel stays unused until the
   * credential is stored again.
   */
  markRefused(claimed: ClaimedSolicitud, canal: CanalSat): Promise<void>;
}

/** Another worker claimed the solicitud, or it ended: the holder stops without an error. */
export class StaleEpoch extends Error {
  constructor(solicitudId: string, epoch: number) {
    super(`epoch ${epoch} of ${solicitudId} is over`);
    this.name = 'StaleEpoch';
  }
}
