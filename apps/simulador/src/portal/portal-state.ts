import type { IdpSession } from '../nidp/idp-session.ts';
import type { World } from '../world/world.ts';
import { createFolios, type Folios } from './descargas/folios.ts';
import { type Accounts, createAccounts } from './login/accounts.ts';
import { type Assertions, createAssertions } from './login/assertion.ts';
import { type Captchas, createCaptchas } from './login/captchas.ts';
import type { PortalSession } from './portal-session.ts';
import { type PortalSettings, type PortalSettingsInput, portalSettingsSchema } from './portal-settings.ts';
import { createSeal, type Seal } from './seal.ts';
import { createSessions, type Sessions } from './sessions.ts';

/** Cookie of the log-in host. */
export const IDP_COOKIE = 'JSESSIONID';

/** A sign-in that the portal asked for and that still waits for the taxpayer to log in. */
export type PendingSignIn = { realm: string; wctx: string };

/** What both hosts of the portal remember; `settings` is read at each call and may be changed in place. */
export type PortalState = {
  settings: PortalSettings;
  seal: Seal;
  captchas: Captchas;
  accounts: Accounts;
  assertions: Assertions;
  idpSessions: Sessions<IdpSession<PendingSignIn>>;
  portalSessions: Sessions<PortalSession>;
  folios: Folios;
};

/** Creates the state of a portal in which nobody has logged in yet. */
export function createPortalState(world: World, input: PortalSettingsInput = {}): PortalState {
  const settings = portalSettingsSchema.parse(input);
  const idle = { clock: world.clock, idleMs: () => settings.minutos_sesion * 60_000 };
  return {
    settings,
    seal: createSeal(),
    captchas: createCaptchas(),
    accounts: createAccounts(world, settings),
    assertions: createAssertions(world),
    idpSessions: createSessions(idle),
    portalSessions: createSessions(idle),
    folios: createFolios(world, settings),
  };
}
