/** What the API lets its operator choose, already read and checked. */
export interface ApiSettings {
  /** Milliseconds until the database counts as not answering. */
  readonly databaseTimeoutMs: number;
  /** Requests a second and key; 0 switches the limit off. */
  readonly rateLimitRps: number;
  /** Requests a key may make at once after a pause. */
  readonly rateLimitBurst: number;
  /** Wrong keys a minute and address that are answered with 1001; further ones get 9429. */
  readonly wrongKeysPerMinute: number;
  /** CIDR blocks whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
  /** Prefixes of the User-Agent, in lower case. With an allow list only those pass. */
  readonly userAgentAllow: readonly string[];
  readonly userAgentDeny: readonly string[];
  /** Characters of a CIEC. */
  readonly ciecLength: { readonly min: number; readonly max: number };
  /** Whether an e.firma key is also encrypted under a key of a table that no backup has. */
  readonly efirmaShred: boolean;
  readonly efirmaTtlSeconds: number;
  /** After this a solicitud ends as VENCIDA. */
  readonly deadlineHours: number;
  /** Life of a package's URL. */
  readonly urlTtlSeconds: number;
  /** How long a pass may be kept in this process; 0 reads it for every request. */
  readonly accessCacheSeconds: number;
  /** Longest time that a synchronous query of the authority may take, milliseconds. */
  readonly presupuestoMs: number;
  /** Beyond that time, a call that has neither an answer nor a refund counts as one whose process died; seconds. */
  readonly graciaSegundos: number;
  /** First pause before a request that the authority works on is looked at again, milliseconds; it grows by half. */
  readonly satEsperaMs: number;
  /** Most CFDI that a list of received ones may have. */
  readonly maxFacturas: number;
}

/** The settings of a process that sets nothing. */
export const DEFAULT_SETTINGS: ApiSettings = {
  databaseTimeoutMs: 1_900,
  rateLimitRps: 50,
  rateLimitBurst: 100,
  wrongKeysPerMinute: 30,
  trustedProxies: [],
  userAgentAllow: [],
  userAgentDeny: [],
  ciecLength: { min: 16, max: 16 },
  efirmaShred: true,
  efirmaTtlSeconds: 3_600,
  deadlineHours: 168,
  urlTtlSeconds: 3_600,
  accessCacheSeconds: 60,
  presupuestoMs: 60_000,
  graciaSegundos: 60,
  satEsperaMs: 10_000,
  maxFacturas: 20_000,
};

/**
 * Seconds after which a call that has neither an answer nor a refund lost its process: what it was charged may then be
 * given back.
 */
export function vidaDeLlamada({
  presupuestoMs,
  graciaSegundos,
}: Pick<ApiSettings, 'presupuestoMs' | 'graciaSegundos'>): number {
  return presupuestoMs / 1_000 + graciaSegundos;
}
