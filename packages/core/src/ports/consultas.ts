import type { Credencial, Presigned } from '../credencial.ts';
import type { Periodo } from './metadata.ts';

/** A question, its answer and its credential (`null`: none needed). */
export interface Entrada<Q, R, K extends Credencial | Presigned | null = Credencial> {
  readonly consulta: Q;
  readonly respuesta: R;
  readonly credencial: K;
}

/** Question asked while a caller waits. */
export interface ConsultasDeLlamada {
  'consultar-cfdi': Entrada<ConsultarCfdi, RespuestaConsultarCfdi, null>;
  'consultar-constancia-qr': Entrada<ConsultarConstanciaQr, RespuestaConsultarConstanciaQr, null>;
  entrar: Entrada<Entrar, { readonly resultado: 'DENTRO' }>;
  'descargar-constancia': Entrada<DescargarConstancia, RespuestaDescargarConstancia>;
  'consultar-opinion': Entrada<ConsultarOpinion, RespuestaConsultarOpinion>;
  'listar-declaraciones': Entrada<ListarDeclaraciones, RespuestaListarDeclaraciones>;
  'listar-facturas': Entrada<ListarFacturas, RespuestaListarFacturas>;
  'listar-retenciones': Entrada<ListarRetenciones, RespuestaListarRetenciones>;
  'listar-comunicados': Entrada<ListarComunicados, RespuestaListarComunicados>;
  'listar-notificaciones': Entrada<ListarNotificaciones, RespuestaListarNotificaciones>;
}

/** Logs in to the CFDI portal, unless a session of this credential is open, and asks nothing: the SAT takes the credential. */
interface Entrar {
  readonly consulta: 'entrar';
  readonly rfc: string;
}

/** Reads the public page behind the QR code of the constancia de situación fiscal. Needs no credential. Idempotent. */
export interface ConsultarConstanciaQr {
  readonly consulta: 'consultar-constancia-qr';
  readonly rfc: string;
  /** Eleven digits. */
  readonly idCif: string;
}

export type RespuestaConsultarConstanciaQr =
  | { readonly resultado: 'ENCONTRADA'; readonly constancia: Constancia }
  /** The SAT knows no constancia with this idCIF and RFC. */
  | { readonly resultado: 'NO_ENCONTRADA' };

/** Has the SAT make the constancia (PDF) and reads it. */
export interface DescargarConstancia {
  readonly consulta: 'descargar-constancia';
  readonly rfc: string;
}

export interface RespuestaDescargarConstancia {
  readonly constancia: Constancia;
  readonly pdf: Buffer;
}

/** What a constancia de situación fiscal says. Dates are `yyyy-MM-dd`. */
export interface Constancia {
  readonly rfc: string;
  readonly idCif: string | null;
  readonly curp: string | null;
  /** Full name: names and both surnames, or the company's name with its capital regime. */
  readonly nombre: string;
  readonly estatus: 'ACTIVO' | 'SUSPENDIDO' | 'CANCELADO';
  readonly fechaInicioOperaciones: string;
  readonly fechaUltimoCambio: string | null;
  readonly domicilio: DomicilioFiscal;
  readonly regimenes: readonly RegimenFiscal[];
  /** Only the PDF lists them: null when the page was read instead. */
  readonly obligaciones: readonly ObligacionFiscal[] | null;
}

/** Empty strings where the constancia has nothing. */
export interface DomicilioFiscal {
  /** Kind and name of the street with its numbers. */
  readonly calle: string;
  readonly colonia: string;
  readonly municipio: string;
  readonly estado: string;
  readonly cp: string;
}

export interface RegimenFiscal {
  /** Three digits of c_RegimenFiscal; null for a name that the catalogue does not know. */
  readonly clave: string | null;
  /** As the constancia words it. */
  readonly nombre: string;
  readonly desde: string | null;
}

export interface ObligacionFiscal {
  readonly descripcion: string;
  /** When it is due, as the constancia words it. */
  readonly vencimiento: string;
  readonly desde: string | null;
  readonly hasta: string | null;
}

/** What the opinión del cumplimiento (article 32-D of the Código Fiscal de la Federación) says. */
export type SentidoOpinion = 'POSITIVO' | 'NEGATIVO' | 'EN_SUSPENSION' | 'INSCRITO_SIN_OBLIGACIONES' | 'NO_INSCRITO';

/** Has the SAT make the taxpayer's opinion (PDF) and reads it. */
interface ConsultarOpinion {
  readonly consulta: 'consultar-opinion';
  readonly rfc: string;
}

export interface RespuestaConsultarOpinion {
  readonly sentido: SentidoOpinion;
  readonly folio: string | null;
  /** Date of the opinion, `yyyy-MM-dd`, when the document has one. */
  readonly fecha: string | null;
  /** Why it is not positive: the obligations and debts that the document lists. Null for a positive one. */
  readonly motivo: string | null;
  /** As the SAT signed it. */
  readonly pdf: Buffer;
}

/** Lists the returns that the taxpayer filed for a fiscal year. Idempotent. */
interface ListarDeclaraciones {
  readonly consulta: 'listar-declaraciones';
  readonly rfc: string;
  /** Four digits. */
  readonly ejercicio: number;
}

interface RespuestaListarDeclaraciones {
  /** By `fecha`, then `numeroOperacion`. */
  readonly declaraciones: readonly Declaracion[];
}

export interface Declaracion {
  readonly numeroOperacion: string;
  /** The SAT's word: `Normal`, `Complementaria`, … */
  readonly tipo: string;
  readonly tipoComplementaria: string | null;
  readonly lineaCaptura: string | null;
  /** Null for returns of the portal up to 2021, which does not tell it. */
  readonly periodicidad: string | null;
  readonly periodo: string;
  readonly ejercicio: number;
  /** Date of filing, `yyyy-MM-dd`. */
  readonly fecha: string;
  readonly complementaria: boolean;
  /** Null as the `periodicidad`. */
  readonly estado: string | null;
}

/** Lists every CFDI that the taxpayer received in a period, from the search of the CFDI portal. Idempotent. */
export interface ListarFacturas {
  readonly consulta: 'listar-facturas';
  readonly rfc: string;
  readonly periodo: Periodo;
  /** Gives up with DEMASIADAS once there are more. */
  readonly maximo: number;
}

export type RespuestaListarFacturas =
  /** Each CFDI once, by `fechaEmision` and then `uuid`. */
  { readonly resultado: 'LISTA'; readonly facturas: readonly FacturaRecibida[] } | { readonly resultado: 'DEMASIADAS' };

/**
 * One row of the portal's result. Texts are the portal's own; a column that a row or the table does not have is null.
 */
export interface FacturaRecibida {
  /** Upper case, 36 characters. */
  readonly uuid: string;
  readonly emisorRfc: string;
  readonly emisorNombre: string | null;
  readonly receptorRfc: string;
  readonly receptorNombre: string | null;
  /** `yyyy-MM-ddTHH:mm:ss`, wall clock of central Mexico. */
  readonly fechaEmision: string;
  readonly fechaCertificacion: string | null;
  readonly pacRfc: string | null;
  readonly total: number;
  readonly efecto: string | null;
  readonly estado: 'VIGENTE' | 'CANCELADO';
  readonly estadoCancelacion: string | null;
  readonly fechaCancelacion: string | null;
}

/** Lists the CFDI de retenciones of a fiscal year from their portal, received and issued. Idempotent. */
export interface ListarRetenciones {
  readonly consulta: 'listar-retenciones';
  readonly rfc: string;
  /** Four digits. */
  readonly ejercicio: number;
}

export interface RespuestaListarRetenciones {
  /** Each document once, by `fecha` and then `uuid`. */
  readonly retenciones: readonly Retencion[];
}

/** One CFDI de retenciones e información de pagos. */
export interface Retencion {
  /** Upper case, 36 characters. */
  readonly uuid: string;
  readonly tipo: 'RECIBIDA' | 'EMITIDA';
  readonly emisorRfc: string;
  /** A payment abroad has no receiver with an RFC. */
  readonly receptorRfc: string | null;
  /** Amount of the operation, pesos. */
  readonly total: number;
  /** Date of issue, `yyyy-MM-dd`, central Mexico. */
  readonly fecha: string;
  readonly estado: 'VIGENTE' | 'CANCELADO';
}

/** Lists the communiqués of the taxpayer's mailbox, read and unread. Idempotent; marks nothing as read. */
interface ListarComunicados {
  readonly consulta: 'listar-comunicados';
  readonly rfc: string;
  /** First and last day, `yyyy-MM-dd`, both included. */
  readonly desde: string;
  readonly hasta: string;
}

interface RespuestaListarComunicados {
  /** Newest first. */
  readonly comunicados: readonly Comunicado[];
}

export interface Comunicado {
  /** The same communiqué has the same id in every answer. */
  readonly id: string;
  readonly asunto: string;
  /** `yyyy-MM-dd`, central Mexico. */
  readonly fecha: string;
  readonly leido: boolean;
}

/**
 * Lists the electronic notifications that wait in the mailbox. Only lists: opening one is a legal act that makes the
 * taxpayer count as notified, and nothing here may ever do it.
 */
interface ListarNotificaciones {
  readonly consulta: 'listar-notificaciones';
  readonly rfc: string;
}

interface RespuestaListarNotificaciones {
  /** Newest first. */
  readonly notificaciones: readonly Notificacion[];
}

export interface Notificacion {
  readonly folio: string;
  readonly autoridad: string;
  /** The administrative act. */
  readonly asunto: string;
  /** Date of the notice, `yyyy-MM-dd`, central Mexico. */
  readonly fecha: string;
}

/** Asks the public service for the state of one CFDI. Needs no credential. Idempotent. */
export interface ConsultarCfdi {
  readonly consulta: 'consultar-cfdi';
  readonly emisorRfc: string;
  readonly receptorRfc: string;
  /** 36 characters with hyphens; the letter case does not matter. */
  readonly uuid: string;
  /** Pesos, at most six decimals. The SAT compares it: another total is another CFDI. */
  readonly total: number;
}

export type RespuestaConsultarCfdi =
  | {
      readonly resultado: 'ENCONTRADO';
      readonly estado: 'VIGENTE' | 'CANCELADO';
      /** The SAT's words (`Cancelable con aceptación`), null when the answer has none. */
      readonly esCancelable: string | null;
      readonly estatusCancelacion: string | null;
      /**
       * `ValidacionEFOS`: 100 to 104: listed under article 69-B; 200 and 201: not listed; null when the answer has
       * none.
       */
      readonly validacionEfos: string | null;
    }
  /** `N - 602`: the SAT knows no CFDI with exactly these four values. */
  | { readonly resultado: 'NO_ENCONTRADO' };

/** A request that the SAT is still working on. */
export interface ConsultaEnCurso {
  readonly folio: string;
  /** What it was asked for, exactly: the answer may go beyond what the caller wanted. */
  readonly periodo: Periodo;
}
