/** Settings of the portal channel. */
export const PORTAL_DEFAULTS = {
  /** How many captcha images are tried for one log-in. The CIEC itself is never tried again once refused. */
  captchaIntentos: 3,
  /** Longest wait for one answer of the resolver, milliseconds. */
  captchaEsperaMs: 120_000,
  /** A session unused for longer is not tried any more, milliseconds. */
  sesionInactivaMs: 15 * 60_000,
  /**
   * How long a consulta waits for a log-in, its turn and its captcha included, before it is sent away with OCUPADO
   * while the log-in goes on by itself, milliseconds. By default until it is over.
   */
  esperaAccesoMs: Number.POSITIVE_INFINITY,
  /** Log-ins by CIEC at the same time among all processes; the accounts share them. */
  accesosALaVez: 20,
  /** A process that died while it logged in is replaced after this time, milliseconds. */
  loginLockMs: 30_000,
  /** Redirects and auto-submitted forms followed for one page. */
  maxSaltos: 12,
  /** Largest page, bytes. A search result shows up to 500 rows of some 8 KB each. */
  maxPaginaBytes: 16 * 1024 * 1024,
  /** Largest package, bytes. */
  maxPaqueteBytes: 1024 * 1024 * 1024,
  /** The portal is a site for browsers. */
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Acuse/0.1',
};
export type PortalSettings = Readonly<typeof PORTAL_DEFAULTS>;

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
