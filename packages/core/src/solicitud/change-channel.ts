import type { CanalSat } from '../ports/sat.ts';
import type { ClaimedSolicitud, Claims } from '../ports/solicitudes.ts';
import { periodosIniciales } from './periodos.ts';

/** Why a solicitud goes on at the other channel, with what is noted of it. */
export interface ChannelChange {
  /**
   * The channel that it leaves refused the credential, gives no answer or cannot be asked, or the hour of the key is
   * over.
   */
  readonly tipo: 'OTRO_CANAL' | 'CANAL_CAIDO' | 'SIN_EFIRMA';
  readonly codigo?: string;
  /** It may come back when the other one refuses: the sealed copy of the credential is kept. */
  readonly mayReturn: boolean;
}

/**
 * Failures in a row, a quarter of an hour of them, after which a channel that has accepted nothing yet is left for the
 * other one.
 */
const MAX_FALLOS = 5;

export const otroCanal = (canal: CanalSat): CanalSat => (canal === 'soap' ? 'portal' : 'soap');

/** True while nothing that the SAT accepted or said is lost by beginning anew, where the other credential is there. */
export const canChange = ({ otra, partes }: ClaimedSolicitud): boolean =>
  otra !== null && partes.every(({ folio, vacias }) => folio === null && vacias.length === 0);

/**
 * True when a channel counts as down: after failures in a row or a second log-in in vain, which each cost a captcha.
 * Once for a solicitud: it would go back and forth while both are down.
 */
export function isChannelDown(
  { canalDejado }: ClaimedSolicitud,
  { fallos, isSecondLogin }: { readonly fallos: number; readonly isSecondLogin: boolean },
): boolean {
  return canalDejado === null && (fallos >= MAX_FALLOS || isSecondLogin);
}

/**
 * True when it may come back to the channel that it left unrefused. The e.firma can be waited for there without a copy
 * of it.
 */
export const canReturn = ({ canal, canalDejado, otra }: ClaimedSolicitud): boolean =>
  canalDejado === otroCanal(canal) && (otra !== null || canalDejado === 'soap');

/** Begins anew at the other channel, under the same charge. */
export async function changeChannel(
  claims: Claims,
  claimed: ClaimedSolicitud,
  { tipo, codigo, mayReturn }: ChannelChange,
): Promise<void> {
  const canal = otroCanal(claimed.canal);
  const periodos = periodosIniciales({ ...claimed, canal, ahora: claimed.now });
  const evento = { tipo, detalle: canal, ...(codigo === undefined ? {} : { codigo }) };
  const avance = { nuevas: { reemplaza: null, periodos }, eventos: [evento] };
  await claims.changeChannel(claimed, avance, { mayReturn });
}
