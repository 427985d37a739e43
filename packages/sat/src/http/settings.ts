/** Settings of the HTTP layer. Everything is optional; the defaults are {@link SAT_HTTP_DEFAULTS}. */
export interface SatHttpSettings {
  /**
   * Sends every host of the SAT to `${baseUrl}/${first label of the host}`: `https://cfdiau.sat.gob.mx/nidp` becomes
   * `${baseUrl}/cfdiau/nidp`. For a simulator; absent, the real hosts are used, over https only.
   */
  readonly baseUrl?: string;
  /** Address of single hosts, by full host name. Wins over `baseUrl`. */
  readonly baseUrls?: Readonly<Record<string, string>>;
  /** Host names allowed besides the SAT's own. */
  readonly otrosHosts?: readonly string[];
  /** Time to open a connection, TLS included. */
  readonly connectTimeoutMs?: number;
  /** Time from the sent request to the headers of its answer. */
  readonly headersTimeoutMs?: number;
  /** Longest silence while a body arrives. A consumer that reads slowly does not count as silence. */
  readonly bodyTimeoutMs?: number;
  /** From call to the last byte, waiting for a free connection included, when the answer is buffered. */
  readonly totalTimeoutMs?: number;
  /** The same for streamed answers. */
  readonly streamTimeoutMs?: number;
  /** Largest buffered body, bytes. A request may ask for another limit. */
  readonly maxBodyBytes?: number;
  /** Connections, and therefore requests at the same time, per host and process. Further requests wait. */
  readonly maxConcurrentPerHost?: number;
  /**
   * Sends away with OCUPADO whoever asks {@link SatHttp.assertRoom} about a host that has so many under way already.
   */
  readonly rejectWhenBusy?: boolean;
  /** Failures in a row after which a host is left alone. */
  readonly breakerFailures?: number;
  /** How long it is left alone before one request is let through as a probe. */
  readonly breakerOpenMs?: number;
  /** Hosts whose TLS must leave DHE out, besides those known to need it. */
  readonly tlsSinDhe?: readonly string[];
  /** OpenSSL cipher list for those hosts. */
  readonly tlsSinDheCiphers?: string;
  /** Further trusted authorities, PEM (a host that leaves out its intermediate certificate). Added to Node's own. */
  readonly tlsCa?: string;
}

type Defaulted = Omit<Required<SatHttpSettings>, 'baseUrl' | 'baseUrls' | 'otrosHosts' | 'tlsSinDhe' | 'tlsCa'>;

export const SAT_HTTP_DEFAULTS: Defaulted = {
  connectTimeoutMs: 10_000,
  headersTimeoutMs: 60_000,
  bodyTimeoutMs: 30_000,
  totalTimeoutMs: 120_000,
  streamTimeoutMs: 1_800_000,
  maxBodyBytes: 4 * 1024 * 1024,
  maxConcurrentPerHost: 8,
  rejectWhenBusy: false,
  breakerFailures: 8,
  breakerOpenMs: 30_000,
  tlsSinDheCiphers: 'DEFAULT:!DHE',
};
