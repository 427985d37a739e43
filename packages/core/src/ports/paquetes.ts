import type { Readable } from 'node:stream';
import type { Formato } from '@acuse/contract';
import type { CanalSat } from '../credencial.ts';
import type { Filtros, Periodo, TipoDescarga, XmlDeCfdi } from './metadata.ts';

/** Bytes up to which a package of the SAT is small, some 5,000 rows: it is held in memory and assembled at once. */
export const SMALL_BYTES = 262_144;

/** A SAT package already copied into our storage. */
interface PaqueteSat {
  /** Key of the object in our storage. */
  readonly objectKey: string;
  /** Id of the package at the SAT, for the manifest. */
  readonly paquete: string;
}

/** One period of a solicitud, finished, with its packages in the order of the SAT. */
export interface ParteLista {
  readonly canal: CanalSat;
  readonly folio: string | null;
  readonly periodo: Periodo;
  /**
   * True when the SAT was asked for more than `periodo` (a whole month of the portal, an end moved by a second): rows
   * whose FechaEmision is outside of `periodo` are then left out of the metadata.
   */
  readonly recortar: boolean;
  /** Both channels of the SAT said that it has no CFDI. */
  readonly confirmada: boolean;
  readonly paquetes: readonly PaqueteSat[];
}

export interface PlanEnsamble {
  readonly solicitudId: string;
  readonly rfc: string;
  readonly tipo: TipoDescarga;
  /** Calendar days of central Mexico, `yyyy-MM-dd`, as the caller asked. */
  readonly desde: string;
  readonly hasta: string;
  /** What its rows are written as. */
  readonly formato: Formato;
  /** Other rows are left out. */
  readonly filtros?: Filtros | null;
  /** In order of period: the order of the rows in the result. */
  readonly partes: readonly ParteLista[];
  /** Absent: metadata alone. */
  readonly xml?: PlanXml | undefined;
}

/** Why the XML of a row of the metadata is not in the package. */
export const MOTIVOS_FALTANTE = [
  /** The SAT gives no XML of cancelled received CFDI. */
  'CANCELADO_RECIBIDO',
  'NO_ENTREGADO_POR_EL_SAT',
  'CUOTA_DEL_DIA',
  'XML_ILEGIBLE',
] as const;
export type MotivoFaltante = (typeof MOTIVOS_FALTANTE)[number];

/** Packages of XML of one period, in the order of the SAT. */
export interface ParteXml {
  readonly canal: CanalSat;
  readonly folio: string | null;
  readonly periodo: Periodo;
  /** Why its XML were given up. Null: the SAT gave all that it has. */
  readonly motivo: Extract<MotivoFaltante, 'NO_ENTREGADO_POR_EL_SAT' | 'CUOTA_DEL_DIA'> | null;
  readonly paquetes: readonly PaqueteSat[];
}

/** The XML of a package, joined to its metadata by UUID. */
export interface PlanXml {
  readonly partes: readonly ParteXml[];
  /** Write `conceptos`, `impuestos`, `pagos` and `relacionados` in the format of the plan. */
  readonly tablas: boolean;
}

/** Counts of a package with XML: `esperados` = `entregados` + `faltantes`. */
export interface CuentaXml {
  /** Rows of the metadata. */
  readonly esperados: number;
  readonly entregados: number;
  readonly faltantes: number;
  /** Missing ones by reason; reasons without any are left out. */
  readonly porMotivo: Readonly<Partial<Record<MotivoFaltante, number>>>;
  /** XML in the package that the metadata does not know. */
  readonly sinMetadata: number;
}

/**
 * Kinds of CFDI by `EfectoComprobante`: ingreso, egreso, traslado, nómina, pago, and whatever else the SAT wrote there.
 */
export const EFECTOS = ['I', 'E', 'T', 'N', 'P', 'otro'] as const;
export type Efecto = (typeof EFECTOS)[number];

/** How many CFDI of each kind; kinds without any are left out. */
export type CuentaPorEfecto = Readonly<Partial<Record<Efecto, number>>>;

/** What the metadata of a package holds, counted while it was written. */
export interface ResumenPaquete {
  readonly porEfecto: CuentaPorEfecto;
  /** By calendar month of `fecha_emision`, `yyyy-MM`, in order; months beyond the 240th met count under `otro`. */
  readonly porMes: Readonly<Record<string, CuentaPorEfecto>>;
  readonly cancelados: number;
  /** Only of a package with XML. */
  readonly xml?: CuentaXml | undefined;
}

/**
 * Certainty of a result. `confirmado`: rows, or no rows by both channels of the SAT. `sin_confirmar`: no rows by one
 * channel; the SAT sometimes says so wrongly.
 */
export type Confianza = 'confirmado' | 'sin_confirmar';

export interface PaqueteEnsamblado {
  readonly objectKey: string;
  readonly bytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
  /** Rows of its metadata. */
  readonly registros: number;
  readonly confianza: Confianza;
  readonly resumen: ResumenPaquete;
  /** Observations of its rows by the name of their observer, as JSON. */
  readonly notas: Readonly<Record<string, unknown>>;
}

/** Sees each row of the metadata of one package once, while it is written. */
export interface RowObserver {
  /** Name of the observation in the notes at the end of the solicitud. */
  readonly name: string;
  /** The row is whole in `out` from `row` on; the RFC of its counterparty stands from `rfc` to `rfcEnd`. */
  see(out: Buffer, row: number, rfc: number, rfcEnd: number): void;
  /** Observation of all rows, as JSON. */
  readonly observed: unknown;
}

export interface ObjetoGuardado {
  readonly bytes: number;
  readonly sha256: string;
}

/** Object storage for the SAT's packages and for ours. */
export interface Paquetes {
  /**
   * Streams one SAT package into storage under a key that follows from its arguments, so that a repeated call
   * overwrites the same object. Nothing is visible under the key unless the stream ended without error.
   */
  saveSat(
    origen: { solicitudId: string; parteId: string; paquete: string },
    zip: Readable,
    signal: AbortSignal,
  ): Promise<ObjetoGuardado & { objectKey: string }>;

  /** Stores XML that came one by one as one ZIP, which is what the SAT gives otherwise; visible as `saveSat` says. */
  saveXml(
    origen: { solicitudId: string; parteId: string; paquete: string },
    documentos: AsyncIterable<XmlDeCfdi>,
    signal: AbortSignal,
  ): Promise<ObjetoGuardado & { objectKey: string }>;

  /**
   * Stores one answer of the SAT to a solicitud for `evidencia/` of its package with XML; the same name overwrites it.
   * Copies go with the SAT's packages (`remove`). Throws TypeError for a name that is no file name, for more than
   * 1 MiB, and for bytes that contain a token.
   */
  saveEvidencia(solicitudId: string, nombre: string, bytes: Buffer, signal: AbortSignal): Promise<void>;

  /** The object that `saveSat` or `saveXml` made for the same arguments, if it is there: nothing has to be fetched again then. */
  findSat(
    origen: { solicitudId: string; parteId: string; paquete: string },
    signal: AbortSignal,
  ): Promise<(ObjetoGuardado & { objectKey: string }) | null>;

  /**
   * Makes the one ZIP of a solicitud: its XML, if the plan has any, its metadata in the format of the plan, `originales/`,
   * with XML `evidencia/`, `manifest.json`, and with XML `firma.json`. Same plan and same packages, same bytes, with and
   * without observers. Memory does not grow with the size. Throws `PaqueteSatInvalido` when a SAT package cannot be read.
   */
  assemble(plan: PlanEnsamble, signal: AbortSignal, observers?: readonly RowObserver[]): Promise<PaqueteEnsamblado>;

  /**
   * `metadata.csv` of a ZIP that `assemble` made in that format, header included, in chunks that end anywhere. `withXml` keeps
   * the paths of the XML, the last column of a package that has any. Ends with an error when it is not whole.
   */
  readCsv(objectKey: string, signal: AbortSignal, withXml?: boolean): AsyncIterable<Buffer>;

  /** A URL that gives the object without further credentials until `expiraEn`. Local computation, no request. */
  presign(
    objectKey: string,
    options: { filename: string; ttlSeconds: number },
  ): Promise<{ url: string; expiraEn: Date }>;

  /** Stores a document whole under its key. */
  saveDocumento(objectKey: string, bytes: Buffer, signal: AbortSignal): Promise<ObjetoGuardado>;

  /** Deletes a document. */
  removeDocumento(objectKey: string): Promise<void>;

  /**
   * Deletes objects of a solicitud: everything under its prefix, everything that the SAT gave, or the objects with these
   * keys, which costs one request each.
   */
  remove(solicitudId: string, what: 'todo' | 'originales' | readonly string[]): Promise<void>;

  /**
   * Aborts multipart uploads left behind by killed processes that are older than `olderThanSeconds`. Returns how many.
   */
  sweepUploads(olderThanSeconds: number): Promise<number>;

  /** Resolves when the bucket answers. Rejects otherwise. */
  ping(signal: AbortSignal): Promise<void>;
}

/** Why a package of the SAT could not be used. */
export type MotivoPaqueteInvalido =
  | 'NO_ES_ZIP'
  | 'TRUNCADO'
  | 'CRC'
  | 'DEMASIADO_GRANDE'
  | 'SIN_METADATA'
  | 'COLUMNAS'
  | 'FILA'
  /** The object store has no such object, as after the restore of a database. */
  | 'AUSENTE';

/**
 * A package of the SAT that cannot be read. Fetching it again may help; the message names the package and the place in
 * it.
 */
export class PaqueteSatInvalido extends Error {
  readonly motivo: MotivoPaqueteInvalido;
  readonly objectKey: string;

  constructor(motivo: MotivoPaqueteInvalido, objectKey: string, detalle: string, cause?: unknown) {
    super(`${motivo}: ${objectKey}: ${detalle}`, { cause });
    this.name = 'PaqueteSatInvalido';
    this.motivo = motivo;
    this.objectKey = objectKey;
  }
}

/** A document kept in object storage for its retention. */
export interface DocumentoGuardado {
  /** UUIDv7. */
  readonly id: string;
  readonly contribuyenteId: string;
  readonly tipo: 'opinion';
  readonly objectKey: string;
  readonly bytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
}
