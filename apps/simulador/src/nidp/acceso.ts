import type { Accounts } from '../portal/login/accounts.ts';
import type { Captchas } from '../portal/login/captchas.ts';

/**
 * What every log-in host of the SAT shares: a password locked at one is locked at all, and one place knows the answers
 * of all captchas.
 */
export type Acceso = {
  captchas: Captchas;
  accounts: Accounts;
  /** `minutos_sesion`: idle minutes after which a session of a log-in host is gone. */
  settings: { minutos_sesion: number };
};
