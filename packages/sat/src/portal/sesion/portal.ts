import type { Credencial } from '@acuse/core';
import type { DireccionSat } from '../../http/direcciones.ts';
import type { SatHttp } from '../../http/sat-http.ts';
import type { ResolvedorCaptcha } from '../captcha/resolvedor-captcha.ts';
import type { PageClient } from '../page-client.ts';
import type { PortalSettings } from '../settings.ts';

export interface AccesoDeps {
  /** Null: nobody can read a captcha, so no session can be opened with a CIEC. */
  readonly captcha: ResolvedorCaptcha | null;
  readonly settings: Required<PortalSettings>;
  /** Called when the SAT has taken the credential: from then on there is something to log out. */
  readonly onAceptada?: () => void;
}

/** A place of the SAT with a log-in of its own. */
export interface Portal {
  /** Name of its sessions: `cfdi`. Consultas of the same portal share one session for each RFC. */
  readonly nombre: string;
  /** Narrows what its browsers may ask for, log-in and log-out included. Absent: every allowed host. */
  guard?(http: SatHttp): SatHttp;
  /**
   * Logs in with a new browser, which holds the session afterwards. Rejects with CIEC_RECHAZADA or EFIRMA_RECHAZADA
   * when the SAT refused the credential, which is never sent a second time; CAPTCHA_RECHAZADO;
   * SIN_RESOLVEDOR_DE_CAPTCHA; RESPUESTA_ILEGIBLE for a page that is not the expected one or does not name the RFC.
   */
  enter(deps: AccesoDeps, pageClient: PageClient, credencial: Credencial, signal: AbortSignal): Promise<void>;
  /** Where the session is ended; null when the portal has no such address. */
  readonly salida: DireccionSat | null;
}
