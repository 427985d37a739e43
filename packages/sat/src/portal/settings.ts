/** Settings of the portal channel. */
export interface PortalSettings {
  /** How many captcha images are tried for one log-in. The CIEC itself is never tried again once refused. */
  readonly captchaIntentos?: number;
  /** Longest wait for one answer of the resolver, milliseconds. */
  readonly captchaEsperaMs?: number;
  /** A session unused for longer is not tried any more, milliseconds. */
  readonly sesionInactivaMs?: number;
  /**
   * How long a consulta waits for a log-in, its turn and its captcha included, before it is sent away with OCUPADO
   * while the log-in goes on by itself, milliseconds. Default: until it is over.
   */
  readonly esperaAccesoMs?: number;
  /** Log-ins by CIEC at the same time among all processes; the accounts share them. */
  readonly accesosALaVez?: number;
  /** A process that died while it logged in is replaced after this time, milliseconds. */
  readonly loginLockMs?: number;
  /** Redirects and auto-submitted forms followed for one page. */
  readonly maxSaltos?: number;
  /** Largest page, bytes. A search result shows up to 500 rows of some 8 KB each. */
  readonly maxPaginaBytes?: number;
  /** Largest package, bytes. */
  readonly maxPaqueteBytes?: number;
  /** The portal is a site for browsers. */
  readonly userAgent?: string;
}

export const PORTAL_DEFAULTS: Required<PortalSettings> = {
  captchaIntentos: 3,
  captchaEsperaMs: 120_000,
  sesionInactivaMs: 15 * 60_000,
  esperaAccesoMs: Number.POSITIVE_INFINITY,
  accesosALaVez: 20,
  loginLockMs: 30_000,
  maxSaltos: 12,
  maxPaginaBytes: 16 * 1024 * 1024,
  maxPaqueteBytes: 1024 * 1024 * 1024,
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Acuse/0.1',
};

/**
 * The SAT's identity providers: the CFDI portal's (phpcfdi/cfdi-sat-scraper), the one of the taxpayer mailbox and the
 * constancia (phpcfdi/csf-sat-scraper), and the one of opinion and declaraciones (luffynando/sat-scrapers-auth).
 */
export const HOSTS_ACCESO: readonly string[] = [
  'cfdiau.sat.gob.mx',
  'login.siat.sat.gob.mx',
  'loginda.siat.sat.gob.mx',
];

/** Hosts of the portal (phpcfdi/cfdi-sat-scraper, src/URLS.php). */
export const HOST_ACCESO = 'cfdiau.sat.gob.mx';
export const HOST_PORTAL = 'portalcfdi.facturaelectronica.sat.gob.mx';
