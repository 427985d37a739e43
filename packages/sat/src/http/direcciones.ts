import { type CanalMedido, SatError } from '@acuse/core';

export const SAT_HTTP_DEFAULTS = {
  /** Time to open a connection, TLS included. */
  connectTimeoutMs: 10_000,
  /** Time from the sent request to the headers of its answer. The web service was seen to take more than a minute. */
  headersTimeoutMs: 90_000,
  /** The same for streamed answers: the SAT reads a package before it sends its first byte. */
  streamHeadersTimeoutMs: 150_000,
  /** Longest silence while a body arrives. A consumer that reads slowly does not count as silence. */
  bodyTimeoutMs: 30_000,
  /** From call to the last byte, waiting for a free connection included, when the answer is buffered. */
  totalTimeoutMs: 120_000,
  /** The same for streamed answers. */
  streamTimeoutMs: 1_800_000,
  /** Largest buffered body, bytes. A request may ask for another limit. */
  maxBodyBytes: 4 * 1024 * 1024,
  /** Connections, and therefore requests at the same time, per host and process. Further requests wait. */
  maxConcurrentPerHost: 8,
  /** {@link SatHttp.assertRoom} rejects with OCUPADO for a host with enough requests under way. */
  rejectWhenBusy: false,
  /** Failures in a row after which a host is left alone. */
  breakerFailures: 8,
  /** How long it is left alone before one request is let through as a probe. */
  breakerOpenMs: 30_000,
  /** OpenSSL cipher list for the hosts of `tlsSinDhe` and those known to need it. */
  tlsSinDheCiphers: 'DEFAULT:!DHE',
};

/** Settings of the HTTP layer. */
export interface SatHttpSettings extends Readonly<Partial<typeof SAT_HTTP_DEFAULTS>> {
  /**
   * Sends every host of the SAT to `${baseUrl}/${first label of the host}`: `https://cfdiau.sat.gob.mx/nidp` becomes
   * `${baseUrl}/cfdiau/nidp`. For a simulator; absent, the real hosts are used, over https only.
   */
  readonly baseUrl?: string;
  /** Address of single hosts, by full host name. Wins over `baseUrl`. */
  readonly baseUrls?: Readonly<Record<string, string>>;
  /** Host names allowed besides the SAT's own. */
  readonly otrosHosts?: readonly string[];
  /** Hosts whose TLS must leave DHE out, besides those known to need it. */
  readonly tlsSinDhe?: readonly string[];
  /** Further trusted authorities, PEM (a host that leaves out its intermediate certificate). Added to Node's own. */
  readonly tlsCa?: string;
}

/** Facts about one host of the SAT. */
interface HostSat {
  readonly canal: CanalMedido;
  /**
   * The host is known to offer Diffie-Hellman groups that OpenSSL 3 refuses ("dh key too small"); leaving DHE out makes
   * both sides meet on ECDHE instead (public reports on phpcfdi/cfdi-sat-scraper). Certificate verification is not
   * touched.
   */
  readonly sinDhe: boolean;
}

/** The hosts of the authority that this package may speak to. Everything else is refused, redirects included. */
export const HOSTS_SAT: Readonly<Record<string, HostSat>> = {
  'cfdidescargamasivasolicitud.clouda.sat.gob.mx': { canal: 'soap', sinDhe: false },
  'cfdidescargamasiva.clouda.sat.gob.mx': { canal: 'soap', sinDhe: false },
  'retendescargamasivasolicitud.clouda.sat.gob.mx': { canal: 'soap', sinDhe: false },
  'retendescargamasiva.clouda.sat.gob.mx': { canal: 'soap', sinDhe: false },
  'consultaqr.facturaelectronica.sat.gob.mx': { canal: 'publico', sinDhe: false },
  'prodretencionverificacion.clouda.sat.gob.mx': { canal: 'publico', sinDhe: false },
  'prodretencioncontribuyente.clouda.sat.gob.mx': { canal: 'portal', sinDhe: false },
  'pstcdypisr.clouda.sat.gob.mx': { canal: 'portal', sinDhe: false },
  'ptscdecprov.clouda.sat.gob.mx': { canal: 'portal', sinDhe: false },
  'ptsc32d.clouda.sat.gob.mx': { canal: 'portal', sinDhe: false },
  'cfdiau.sat.gob.mx': { canal: 'portal', sinDhe: true },
  'portalcfdi.facturaelectronica.sat.gob.mx': { canal: 'portal', sinDhe: true },
  'portal.facturaelectronica.sat.gob.mx': { canal: 'portal', sinDhe: true },
  'login.siat.sat.gob.mx': { canal: 'portal', sinDhe: true },
  'loginda.siat.sat.gob.mx': { canal: 'portal', sinDhe: true },
  'rfcampc.siat.sat.gob.mx': { canal: 'portal', sinDhe: true },
  'agr.siat.sat.gob.mx': { canal: 'portal', sinDhe: true },
  'siat.sat.gob.mx': { canal: 'publico', sinDhe: true },
  'wwwmat.sat.gob.mx': { canal: 'portal', sinDhe: true },
  'loginc.mat.sat.gob.mx': { canal: 'portal', sinDhe: true },
  'aplicacionesc.mat.sat.gob.mx': { canal: 'portal', sinDhe: true },
  'wu1agsprosta001.blob.core.windows.net': { canal: 'lista', sinDhe: false },
};

/** The channel of a host; one that only the settings allow is a public source. */
export function canalDeHost(host: string): CanalMedido {
  return HOSTS_SAT[host]?.canal ?? 'publico';
}

/**
 * A place at the authority: one of the allowed hosts, whatever address it is really reached at, and path with query.
 */
export interface DireccionSat {
  readonly host: string;
  readonly path: string;
}

export function createDirecciones(settings: SatHttpSettings) {
  const hosts = [...Object.keys(HOSTS_SAT), ...(settings.otrosHosts ?? [])];
  const bases = new Map(hosts.map((host) => [host, baseOf(host, settings)]));

  function mapped(url: URL): DireccionSat | undefined {
    let best: { direccion: DireccionSat; length: number } | undefined;
    for (const [host, base] of bases) {
      const prefix = prefixOf(base);
      if (url.origin !== base.origin || !`${url.pathname}/`.startsWith(`${prefix}/`)) continue;
      if (best !== undefined && best.length >= prefix.length) continue;
      const rest = url.pathname.slice(prefix.length) || '/';
      best = { direccion: { host, path: rest + url.search }, length: prefix.length };
    }
    return best?.direccion;
  }

  return {
    /** The address to connect to. Throws HOST_NO_PERMITIDO for a host outside of the allow-list. */
    locate({ host, path }: DireccionSat): { origin: string; path: string } {
      const base = bases.get(host);
      if (base === undefined) throw notAllowed(host);
      if (!path.startsWith('/')) throw notAllowed('path');
      return { origin: base.origin, path: prefixOf(base) + path };
    },
    /**
     * Reads a URL found in a page, a form or a `Location` header, relative to the page `desde`. Accepts the SAT's own
     * host names (http is read as https) and the configured addresses of those hosts; throws HOST_NO_PERMITIDO for the
     * rest.
     */
    resolve(text: string, desde?: DireccionSat): DireccionSat {
      const page = desde && `https://${desde.host}${desde.path}`;
      if (!URL.canParse(text, page)) throw notAllowed('url');
      const url = new URL(text, page);
      if (!['http:', 'https:'].includes(url.protocol) || url.username !== '' || url.password !== '') {
        throw notAllowed(url.hostname);
      }
      // A simulator that lives under a path writes root-relative links with that path in front.
      const base = desde && bases.get(desde.host);
      if (base !== undefined && text.startsWith('/') && url.hostname === desde?.host && prefixOf(base) !== '') {
        const inside = mapped(new URL(url.pathname + url.search, base.origin));
        if (inside !== undefined) return inside;
      }
      if (bases.has(url.hostname) && url.port === '') {
        return { host: url.hostname, path: url.pathname + url.search };
      }
      const direccion = mapped(url);
      if (direccion === undefined) throw notAllowed(url.hostname);
      return direccion;
    },
  };
}

function baseOf(host: string, settings: SatHttpSettings): URL {
  const own = settings.baseUrls?.[host];
  if (own !== undefined) return new URL(own);
  if (settings.baseUrl === undefined) return new URL(`https://${host}`);
  return new URL(`${settings.baseUrl.replace(/\/+$/, '')}/${host.split('.')[0]}`);
}

function prefixOf(base: URL): string {
  return base.pathname.replace(/\/+$/, '');
}

function notAllowed(what: string): SatError {
  return new SatError('HOST_NO_PERMITIDO', { detalle: what.slice(0, 253) });
}
