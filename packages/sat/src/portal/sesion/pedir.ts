import type { SatHttpRequest } from '../../http/sat-http.ts';
import type { PageClient } from '../page-client.ts';
import { isDespedida, SesionVencida } from './sesion-vencida.ts';

/** Statuses by which a portal says that a log-in is due; a redirect says the same. */
export const SIN_SESION: readonly number[] = [401, 403];

/**
 * One request within a session, for data and no page: gives the text of the answer. Throws SesionVencida when a
 * redirect, one of {@link SIN_SESION}, the log-in page or the portal's good-bye comes in its place.
 */
export async function pedir(
  pageClient: PageClient,
  peticion: Omit<SatHttpRequest<'text'>, 'signal' | 'expect' | 'acceptStatus'>,
  signal: AbortSignal,
): Promise<string> {
  const { status, body } = await pageClient.request({ ...peticion, expect: 'text', acceptStatus: SIN_SESION }, signal);
  if (status >= 300 || (body.trimStart().startsWith('<') && isDespedida(body))) throw new SesionVencida();
  return body;
}
