import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Filtro } from '../consulta/search-panel.ts';
import type { PortalSession } from '../portal-session.ts';
import type { Seal } from '../seal.ts';

/** What a page's `__VIEWSTATE` says: where and for whom it was made, and which filter it had enabled. */
export type ViewState = { pagina: string; sesion: string; filtro: Filtro };

const schema = z.object({ pagina: z.string(), sesion: z.string(), filtro: z.enum(['folio', 'fechas']) });
/** Brings the text to the size of a real one, some five thousand characters. */
const FILLER_BYTES = 2800;

/** Text of ASP.NET for a view state that is not this page's, this session's or this server's. */
export const VIEW_STATE_ERROR =
  'Validation of viewstate MAC failed. If this application is hosted by a Web Farm or cluster, ensure that <machineKey> configuration specifies the same validationKey and validation algorithm.';

/** The view state of a page. */
export function writeViewState(seal: Seal, session: PortalSession, pagina: string, filtro: Filtro): string {
  const relleno = randomBytes(FILLER_BYTES / 2).toString('hex');
  return seal.close({ pagina, sesion: session.id, filtro, relleno });
}

/** Reads a view state that came back; null when it is not of that page and session. */
export function readViewState(seal: Seal, session: PortalSession, pagina: string, text: string): ViewState | null {
  const read = schema.safeParse(seal.open(text));
  return read.success && read.data.pagina === pagina && read.data.sesion === session.id ? read.data : null;
}
