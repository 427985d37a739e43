import type { Credencial } from '../../credencial.ts';

/** Entries of `CatalogoConsultas` about the constancia de situación fiscal. */
export interface ConsultasConstancia {
  'consultar-constancia-qr': {
    consulta: ConsultarConstanciaQr;
    respuesta: RespuestaConsultarConstanciaQr;
    credencial: null;
  };
  'descargar-constancia': {
    consulta: DescargarConstancia;
    respuesta: RespuestaDescargarConstancia;
    credencial: Credencial;
  };
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
