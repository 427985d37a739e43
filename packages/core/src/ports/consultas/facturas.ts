import type { Credencial } from '../../credencial.ts';
import type { Periodo } from '../../periodo.ts';

/** Entries of `CatalogoConsultas` about the CFDI portal. */
export interface ConsultasFacturas {
  'listar-facturas': { consulta: ListarFacturas; respuesta: RespuestaListarFacturas; credencial: Credencial };
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
