import { z } from 'zod';
import { createCaptchas } from '../nidp/captcha.ts';
import { createAccounts } from '../nidp/login-desk.ts';
import { createNidp } from '../nidp/nidp.ts';
import { createFederatedHost } from '../web/host.ts';
import { createSeal } from '../web/seal.ts';
import type { World } from '../world/world.ts';
import { createFolios } from './folios.ts';
import { sendToLogin } from './guard.ts';
import { createQuota } from './recupera-cfdi.ts';

/** What the portal's pages share; `settings` is read at each call and may be changed in place. */
export type PortalState = ReturnType<typeof createPortalState>;

/** Creates the state of a portal without sessions, with its log-in host and its own host. */
export function createPortalState(world: World) {
  const settings = portalSettingsSchema.parse({});
  const acceso = { settings, captchas: createCaptchas(), accounts: createAccounts(world, settings) };
  const cfdiau = createNidp(world, { prefijo: 'cfdiau', acceso });
  const host = createFederatedHost(
    { world, nidp: cfdiau },
    {
      servicio: 'portalcfdi',
      cookie: ['FedAuth', 'FedAuth1'],
      idleMs: () => settings.minutos_sesion * 60_000,
      leadTo: sendToLogin,
    },
  );
  return {
    settings,
    acceso,
    cfdiau,
    host,
    seal: createSeal(),
    folios: createFolios(world, settings),
    quota: createQuota(world),
  };
}

/** What only the portal has to set; the names are those of PUT /cfdiau/simulador/ajustes. */
export const portalSettingsSchema = z.object({
  /** Idle minutes after which a session of the log-in host or of the portal is gone. */
  minutos_sesion: z.int().min(1).default(15),
  /** Which set of columns the result table has: that of January 2023 or that of May 2025. */
  columnas: z.enum(['2023', '2025']).default('2025'),
  /** Rows a search shows at most. */
  max_filas_consulta: z.int().min(1).default(500),
  /** Wrong passwords in a row that lock the account, and for how long. */
  intentos_bloqueo: z.int().min(1).default(3),
  minutos_bloqueo: z.int().min(1).default(30),
  /** Hours that ConsultaDescargaMasiva.aspx lists a folio, counted from its request. */
  horas_folio: z.int().min(1).default(72),
  /** Whether a folio in process has a row already, or appears only when it can be downloaded. */
  lista_en_proceso: z.boolean().default(true),
});

export type PortalSettings = z.infer<typeof portalSettingsSchema>;
