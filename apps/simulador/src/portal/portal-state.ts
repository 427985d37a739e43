import { randomBytes } from 'node:crypto';
import type { Context } from 'hono';
import { getCookie } from 'hono/cookie';
import { z } from 'zod';
import { createCaptchas } from '../nidp/captcha.ts';
import { createAccounts, type IdpSession } from '../nidp/login-desk.ts';
import { createAssertions } from '../nidp/saml.ts';
import { withCookies } from '../web/http.ts';
import { createSeal } from '../web/seal.ts';
import { createSessions, type Sessions } from '../web/sessions.ts';
import type { World } from '../world/world.ts';
import { createFolios } from './folios.ts';

/** Cookie of the log-in host. */
export const IDP_COOKIE = 'JSESSIONID';

/** A sign-in that the portal asked for and that still waits for the taxpayer to log in. */
export type PendingSignIn = { realm: string; wctx: string };

/** What both hosts of the portal remember; `settings` is read at each call and may be changed in place. */
export type PortalState = ReturnType<typeof createPortalState>;

/** Creates the state of a portal in which nobody has logged in yet. */
export function createPortalState(world: World) {
  const settings = portalSettingsSchema.parse({});
  const idle = { clock: world.clock, idleMs: () => settings.minutos_sesion * 60_000 };
  return {
    settings,
    seal: createSeal(),
    captchas: createCaptchas(),
    accounts: createAccounts(world, settings),
    assertions: createAssertions(world),
    idpSessions: createSessions<IdpSession<PendingSignIn>>(idle),
    portalSessions: createSessions<PortalSession>(idle),
    folios: createFolios(world, settings),
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

/** What the portal remembers of a browser. */
export type PortalSession = { id: string; rfc: string; csrf: string };

const COOKIES = ['FedAuth', 'FedAuth1'] as const;
const FIRST_PART = 20;

export function currentPortalSession(c: Context, sessions: Sessions<PortalSession>): PortalSession | null {
  return sessions.use(COOKIES.map((name) => getCookie(c, name) ?? '').join(''));
}

/**
 * Starts the session of a taxpayer; its id is spread over two cookies, as the identity framework does with long ones.
 */
export function startPortalSession(sessions: Sessions<PortalSession>, rfc: string): PortalSession {
  const session = { id: '', rfc, csrf: randomBytes(30).toString('base64') };
  session.id = sessions.start(session);
  return session;
}

export function withSessionCookies(response: Response, { id }: PortalSession): Response {
  return withCookies(response, { FedAuth: id.slice(0, FIRST_PART), FedAuth1: id.slice(FIRST_PART) });
}

export function withoutSessionCookies(response: Response): Response {
  return withCookies(response, { FedAuth: '', FedAuth1: '' });
}
