import type { Credencial } from '@acuse/core';
import type { DireccionSat } from '../../http/direcciones.ts';
import type { SatHttp } from '../../http/sat-http.ts';
import type { ResolvedorCaptcha } from '../captcha/resolvedor-captcha.ts';
import type { Navegador } from '../navegador.ts';
import type { PortalSettings } from '../settings.ts';

export interface AccesoDeps {
  readonly http: SatHttp;
  /** Null: nobody can read a captcha, so no session can be opened with a CIEC. */
  readonly captcha: ResolvedorCaptcha | null;
  readonly settings: Required<PortalSettings>;
}

/** A place of the SAT with a log-in of its own. */
export interface Portal {
  /** Name of its sessions: `cfdi`. Consultas of the same portal share one session for each RFC. */
  readonly nombre: string;
  /**
   * Logs in and gives back the browser that holds the session. Rejects with CIEC_RECHAZADA or EFIRMA_RECHAZADA when the SAT refused the
   * credential, which is never sent a second time; CAPTCHA_RECHAZADO; SIN_RESOLVEDOR_DE_CAPTCHA; RESPUESTA_ILEGIBLE for a page that is not
   * the expected one or does not name the RFC.
   */
  open(deps: AccesoDeps, credencial: Credencial, signal: AbortSignal): Promise<Navegador>;
  /** Where the session is ended; null when the portal has no such address. */
  readonly salida: DireccionSat | null;
}
