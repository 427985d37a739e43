import type { TipoCredencial } from '@acuse/core';

/**
 * Rows of a feature that a claim reads with the solicitud, in the same statement. The statement is composed of all parts
 * once, at start-up.
 */
export interface ClaimPart {
  /** Join on the claimed row `t`, at most one row each: a LEFT JOIN. */
  readonly join: string;
  /** Sealed copies (`kid`, `sobre`, `expira_en`) under this alias, for a solicitud without a copy of its own. */
  readonly copy?: { readonly tipo: TipoCredencial; readonly alias: string };
  /** Columns of the requests that are signed beforehand: `text[]`, and the time until which they hold. One part at most. */
  readonly presigned?: { readonly folios: string; readonly expiraEn: string };
}
