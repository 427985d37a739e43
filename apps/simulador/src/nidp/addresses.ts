import type { Context } from 'hono';
import type { Metodo } from './idp-session.ts';

/** The log-in hosts that `createNidp` plays, by the first label of their names. */
export type Prefijo = 'login' | 'loginda';

/**
 * Ids of authentication contracts by what they ask for; the first of each is the one that a service sends a browser to.
 * Sources: phpcfdi/csf-sat-scraper, phpcfdi/opinion-cumplimiento-sat-scraper, luffynando/sat-scrapers-auth,
 * SAT-CFDI/python-satcfdi.
 */
const CONTRACTS: Readonly<Record<Prefijo, Readonly<Record<Metodo, readonly [string, ...string[]]>>>> = {
  login: { ciec: ['ptsc-ciec', 'ciec', 'mat-ptsc-totp'], fiel: ['fiel', 'fiel_Aviso'] },
  loginda: {
    ciec: ['ciec', 'contr-dual-totp-eFirma', 'mat-ptsc-totp', 'ptsc-ciec'],
    fiel: ['fiel', 'fiel_Aviso'],
  },
};

/** What the contract of an id asks for; null for an unknown id. Without an id a host asks for the password. */
export function metodoOf(prefijo: Prefijo, id: string | undefined): Metodo | null {
  if (id === undefined) return 'ciec';
  if (CONTRACTS[prefijo].ciec.includes(id)) return 'ciec';
  return CONTRACTS[prefijo].fiel.includes(id) ? 'fiel' : null;
}

/** The host's address as the caller reaches it, without a slash at its end. */
export function baseOf(c: Context, prefijo: string): string {
  return `${new URL(c.req.url).origin}/${prefijo}`;
}

export type LoginPage = {
  metodo: Metodo;
  /** `app/login` (default), `idff/sso` or `wsfed/ep`. */
  endpoint?: string | undefined;
  /** Id of the contract; default: the first one of the method. */
  id?: string | undefined;
  /** Where the browser goes after it; the host remembers that too, so it is only for show. */
  target?: string | undefined;
};

/** The address of a log-in page of a host. */
export function loginPage(c: Context, prefijo: Prefijo, page: LoginPage): string {
  const id = page.id ?? CONTRACTS[prefijo][page.metodo][0];
  const suffix = page.target === undefined ? '' : `&target=${encodeURIComponent(page.target)}`;
  const endpoint = page.endpoint ?? 'app/login';
  return `${baseOf(c, prefijo)}/nidp/${endpoint}?id=${encodeURIComponent(id)}&sid=0&option=credential&sid=0${suffix}`;
}

/** Whether an address belongs to this simulator, so that no assertion ever leaves it. */
export function isOwnAddress(c: Context, address: string): boolean {
  return URL.canParse(address) && new URL(address).origin === new URL(c.req.url).origin;
}
