import { SatError } from '@acuse/core';
import { HOSTS_SAT } from './hosts.ts';
import type { SatHttpSettings } from './settings.ts';

/**
 * A place at the authority: one of the allowed hosts, whatever address it is really reached at, and path with query.
 */
export interface DireccionSat {
  readonly host: string;
  readonly path: string;
}

export interface Direcciones {
  /** The address to connect to. Throws HOST_NO_PERMITIDO for a host outside of the allow-list. */
  locate(direccion: DireccionSat): { origin: string; path: string };
  /**
   * Reads a URL found in a page, a form or a `Location` header, relative to the page `desde`. Accepts the SAT's own
   * host names (http is read as https) and the configured addresses of those hosts; throws HOST_NO_PERMITIDO for the
   * rest.
   */
  resolve(url: string, desde?: DireccionSat): DireccionSat;
  readonly hosts: readonly string[];
}

export function createDirecciones(settings: SatHttpSettings): Direcciones {
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
    hosts,
    locate({ host, path }) {
      const base = bases.get(host);
      if (base === undefined) throw notAllowed(host);
      if (!path.startsWith('/')) throw notAllowed('path');
      return { origin: base.origin, path: prefixOf(base) + path };
    },
    resolve(text, desde) {
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
