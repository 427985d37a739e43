import type { Credencial, Presigned } from '../credencial.ts';
import type { SatError } from '../sat-error.ts';
import type { ClaimedSolicitud, Parte } from './solicitudes.ts';

/** Why a credential does not open: its key is missing here, or the copy is altered and no key will ever open it. */
export type CopiaCerrada = 'FALTA_LLAVE' | 'ALTERADA';

/** Source of the credential that a part is asked with. Of several sources, the first that offers one opens it. */
export interface CredentialSource {
  /** True when the source has a credential for the part, as far as the claim tells. */
  offers(claimed: ClaimedSolicitud, parte: Parte): boolean;
  /** Opens the credential; null when it is gone. The caller wipes it. */
  open(claimed: ClaimedSolicitud, parte: Parte): Promise<Credencial | Presigned | CopiaCerrada | null>;
  /** True when the SAT refused this source only: the solicitud goes on as without a credential. */
  isRefusal?(error: SatError, parte: Parte): boolean;
  /** True when the source prepares later steps of a request while the key is open. */
  wants?(claimed: ClaimedSolicitud, parte: Pick<Parte, 'canal' | 'folio'>): boolean;
  /** Prepares later steps of the request `folio`. */
  prepare?(claimed: ClaimedSolicitud, credencial: Credencial, folio: string, signal: AbortSignal): Promise<void>;
}
