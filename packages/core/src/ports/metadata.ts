import type { Readable } from 'node:stream';
import type { CONTENIDOS, Complemento } from '@acuse/contract';

/**
 * A closed interval of whole seconds in wall-clock time of central Mexico, without a zone
 * (`yyyy-MM-ddTHH:mm:ss`), as the SAT takes it in FechaInicial and FechaFinal. Both ends are included.
 */
export interface Periodo {
  readonly inicio: string;
  readonly fin: string;
}

export type TipoDescarga = 'emitidos' | 'recibidos';

/** Which service of bulk download: CFDI, or CFDI de retenciones e información de pagos (soap only). Absent: `cfdi`. */
export type Documento = 'cfdi' | 'retenciones';

/**
 * What the CFDI of a period are narrowed by, as the caller names it. An absent field narrows nothing; there is always
 * one. RFCs in order, each once.
 */
export interface Filtros {
  readonly estado_comprobante?: 'vigente' | 'cancelado' | undefined;
  readonly tipo_comprobante?: 'I' | 'E' | 'T' | 'N' | 'P' | undefined;
  readonly rfc_contraparte?: string[] | undefined;
  /** Metadata has no such column: only the SAT can filter by it. */
  readonly complemento?: Complemento | undefined;
}

/** Content of a bulk request: rows about the CFDI, or the CFDI themselves. */
export type Contenido = (typeof CONTENIDOS)[number];

/** CFDI of a bulk request. */
interface Criterios {
  readonly rfc: string;
  readonly tipo: TipoDescarga;
  readonly periodo: Periodo;
  readonly documento?: Documento;
  /** Absent: `metadata`. */
  readonly contenido?: Contenido;
}

/** Asks the SAT to prepare the metadata or the XML of a period. NOT idempotent at the SAT: every call spends a request. */
export interface SolicitarMetadata extends Criterios {
  readonly consulta: 'solicitar-metadata';
  /** A channel may give more rows than these: the assembly leaves out the others. */
  readonly filtros?: Filtros | null;
}

export type RespuestaSolicitarMetadata =
  | { readonly resultado: 'ACEPTADA'; readonly folio: string }
  /** The period has no CFDI: the answer that the portal gives at once instead of a folio. */
  | { readonly resultado: 'VACIA' }
  /** More rows than the SAT gives in one request: the period has to be divided. */
  | { readonly resultado: 'DEMASIADOS' }
  /**
   * 5005: an equal request is in force; 5002: the lifetime quota of these criteria is spent. Another second is another
   * request.
   */
  | { readonly resultado: 'REPETIDA'; readonly codigo: string; readonly mensaje: string }
  /** The SAT will never accept this request as it is (5001 and the like). */
  | { readonly resultado: 'RECHAZADA'; readonly codigo: string; readonly mensaje: string };

/** Looks at a request accepted before. Idempotent. */
export interface VerificarMetadata extends Criterios {
  readonly consulta: 'verificar-metadata';
  readonly folio: string;
}

export type RespuestaVerificarMetadata =
  | { readonly resultado: 'EN_PROCESO' }
  /** `paquetes` in the order of the SAT. `registros` is null when the channel does not tell. */
  | { readonly resultado: 'TERMINADA'; readonly paquetes: readonly string[]; readonly registros: number | null }
  /** No CFDI in the period (EstadoSolicitud 5 with CodigoEstadoSolicitud 5004): a success with 0 rows. */
  | { readonly resultado: 'VACIA' }
  | { readonly resultado: 'DEMASIADOS' }
  /**
   * The SAT gave the request up: RECHAZADA (5), ERROR (4), VENCIDA (6) or the folio is unknown to it (5004 of the
   * call).
   */
  | {
      readonly resultado: 'RECHAZADA' | 'ERROR' | 'VENCIDA' | 'DESCONOCIDA';
      readonly codigo: string;
      readonly mensaje: string;
    };

/** Fetches one package. The SAT gives a package at most twice within 72 hours. */
export interface DescargarPaquete extends Criterios {
  readonly consulta: 'descargar-paquete';
  readonly folio: string;
  readonly paquete: string;
}

export type RespuestaDescargarPaquete =
  /**
   * The bytes of the SAT's ZIP as they arrive, never whole in memory. The stream ends with an error (a `SatError`) when
   * the connection is cut, the text is no valid base64, or the size limit is passed: a consumer that saw `end` has all
   * of it.
   */
  | { readonly resultado: 'PAQUETE'; readonly zip: Readable }
  /** 5007 (gone or past its 72 h) or 5008 (given twice already): the request has to be made again. */
  | { readonly resultado: 'AGOTADO'; readonly codigo: string; readonly mensaje: string };

/**
 * Lists the CFDI of a period in the portal and fetches the XML of each in the same session: its links live no longer.
 * The portal gives no XML of cancelled received CFDI.
 */
export interface BajarXml {
  readonly consulta: 'bajar-xml';
  readonly rfc: string;
  readonly tipo: TipoDescarga;
  readonly periodo: Periodo;
  readonly filtros?: Filtros | null;
  /** Documents that may be left out when the portal gives a page in their place, twice each. Absent: none. */
  readonly omitibles?: number;
  /** Takes that many XML from the quota of the RFC's day. False when fewer are left: nothing is taken. */
  reserve(cuantos: number): Promise<boolean>;
}

/** One XML, byte for byte as the SAT gave it. */
export interface XmlDeCfdi {
  /** UUID of its row in the portal, in capitals. */
  readonly uuid: string;
  readonly xml: Buffer;
}

export type RespuestaBajarXml =
  /**
   * Ends with a `SatError` when the rest of the list cannot be had. What `omitibles` left out is named by the assembly,
   * as every CFDI of the metadata without XML.
   */
  | { readonly resultado: 'XML'; readonly documentos: AsyncIterable<XmlDeCfdi> }
  | { readonly resultado: 'VACIA' }
  /** More rows than the portal shows: the period has to be divided. */
  | { readonly resultado: 'DEMASIADOS' }
  /** The quota of the day does not suffice: nothing was fetched. */
  | { readonly resultado: 'CUOTA' };
