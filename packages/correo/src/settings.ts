import {
  type ConfigRule,
  choice,
  correoFields,
  durationMs,
  integer,
  intervalosField,
  panelFields,
} from '@acuse/runtime';
import * as z from 'zod';

/** The server that takes them. */
export interface ServidorSmtp {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte (`smtps:`); otherwise by STARTTLS. */
  readonly secure: boolean;
  /** Null for a server that takes mail from this network without a log-in. */
  readonly auth: { readonly user: string; readonly pass: string } | null;
}

const PORTS = { 'smtp:': 587, 'smtps:': 465 } as const;

/** Reads `smtp://user:password@host:port`, user and password percent-encoded (RFC 3986). Null for any other text. */
export function readServidor(text: string): ServidorSmtp | null {
  if (!URL.canParse(text)) return null;
  const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(text);
  if (protocol !== 'smtp:' && protocol !== 'smtps:') return null;
  if (hostname === '' || !['', '/'].includes(pathname) || search !== '' || hash !== '') return null;
  if ((username === '') !== (password === '')) return null;
  try {
    const auth = username === '' ? null : { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
    const host = hostname.replace(/^\[|\]$/g, '');
    return { host, port: port === '' ? PORTS[protocol] : Number(port), secure: protocol === 'smtps:', auth };
  } catch {
    return null;
  }
}

/** For who sends them. */
export const smtpFields = {
  SMTP_URL: z
    .string()
    .trim()
    .refine((text) => readServidor(text) !== null, {
      error:
        'debe ser smtp://usuario:contraseña@servidor:587 o smtps://usuario:contraseña@servidor:465, con lo que no sea letra ni número como %40',
    })
    .meta({
      description:
        'Servidor que toma los correos: smtp:// (cifra con STARTTLS) o smtps://, con usuario y contraseña. Va con CORREO_DE y PANEL_PUBLIC_URL. Solo la necesita el rol correo.',
      secret: true,
    })
    .optional(),
  SMTP_TLS: choice(
    ['exigir', 'sin'],
    'Si smtp:// exige cifrar, con un certificado válido, o va sin cifrar: solo para un servidor de la misma máquina o red, que no pida contraseña.',
  ).default('exigir'),
};

/** For a process with the role `correo`. */
export const correoRoleFields = {
  ...correoFields,
  ...smtpFields,
  ...panelFields,
  CORREO_CONCURRENCY: integer('Correos que se entregan a la vez al servidor de SMTP_URL.', {
    min: 1,
    max: 100,
  }).default(4),
  CORREO_TIMEOUT_MS: durationMs('Milisegundos hasta dar por perdida una entrega al servidor de SMTP_URL.', {
    min: 1_000,
    max: 300_000,
  }).default(60_000),
  CORREO_REINTENTOS_SECONDS: intervalosField('entregar un correo').default([
    10, 60, 300, 900, 1_800, 3_600, 7_200, 14_400, 28_800, 28_800,
  ]),
  CORREO_INTERVAL_MS: durationMs('Milisegundos entre dos vistas a los correos por enviar.', { min: 10 }).default(5_000),
};

export type CorreoSettings = Readonly<z.output<z.ZodObject<typeof correoRoleFields>>>;

export const CORREO_ROLE = 'correo';

/** The role sends mails with all of its settings or with none, and no password in clear text. */
export const CORREO_RULE: ConfigRule = {
  check(config: CorreoSettings & { readonly WORKER_ROLES: readonly string[] }, miss) {
    const { SMTP_URL, SMTP_TLS, CORREO_DE, PANEL_PUBLIC_URL } = config;
    if (!config.WORKER_ROLES.includes(CORREO_ROLE) || (SMTP_URL === undefined && CORREO_DE === undefined)) return;
    const given = { SMTP_URL, CORREO_DE, PANEL_PUBLIC_URL };
    for (const [name, value] of Object.entries(given)) {
      if (value === undefined) miss(name, `falta; los correos necesitan ${Object.keys(given).join(', ')}`);
    }
    const servidor = SMTP_URL === undefined ? null : readServidor(SMTP_URL);
    if (SMTP_TLS === 'sin' && servidor?.auth && !servidor.secure)
      miss('SMTP_TLS', 'no puede ser «sin» con una contraseña en SMTP_URL: viajaría sin cifrar');
  },
};
