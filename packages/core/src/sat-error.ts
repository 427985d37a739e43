/**
 * Remedy for a query without an answer of the SAT:
 * - `reintentable`: it may answer later (5xx, 404 of the service, HTML page, empty or malformed answer, time-out, cut
 *   connection, breaker open);
 * - `credencial`: it refused the credential (CIEC wrong, certificate revoked, not an e.firma). Trying again may lock the
 *   taxpayer out: the credential rests until it is stored again;
 * - `permanente`: the question itself is refused, or our settings forbid the channel.
 */
type ClaseSatError = 'reintentable' | 'credencial' | 'permanente';

const CLASES = {
  NO_RESPONDE: 'reintentable',
  TIEMPO_AGOTADO: 'reintentable',
  RESPUESTA_ILEGIBLE: 'reintentable',
  SERVICIO_CON_ERROR: 'reintentable',
  CORTACIRCUITOS_ABIERTO: 'reintentable',
  OCUPADO: 'reintentable',
  CAPTCHA_RECHAZADO: 'reintentable',
  SIN_RESOLVEDOR_DE_CAPTCHA: 'permanente',
  CIEC_RECHAZADA: 'credencial',
  EFIRMA_RECHAZADA: 'credencial',
  CANAL_DESACTIVADO: 'permanente',
  PETICION_RECHAZADA: 'permanente',
  HOST_NO_PERMITIDO: 'permanente',
  CANCELADA: 'reintentable',
} as const satisfies Record<string, ClaseSatError>;

export type MotivoSatError = keyof typeof CLASES;
export const MOTIVOS_SAT = Object.keys(CLASES) as readonly MotivoSatError[];

/**
 * A query without an answer of the SAT. OCUPADO: the query was not sent, because a log-in is under way or its host has
 * enough to do; this is no failure, and the caller repeats after `esperaMs`. Carries codes only: never a body, a header
 * or a credential, since errors end in logs and in the database.
 */
export class SatError extends Error {
  readonly motivo: MotivoSatError;
  readonly clase: ClaseSatError;
  /** The SAT's own code (`CodEstatus`, an HTTP status such as `HTTP 503`) when there is one. */
  readonly codigo: string | null;
  /** Milliseconds after which it is worth asking again, with OCUPADO. */
  readonly esperaMs: number;
  /** True when a log-in that cost a captcha failed by this. The log-in of the query sets it. */
  isAccesoPerdido = false;

  constructor(
    motivo: MotivoSatError,
    options: { codigo?: string | null; detalle?: string; cause?: unknown; esperaMs?: number } = {},
  ) {
    super([motivo, options.codigo, options.detalle].filter(Boolean).join(': '), { cause: options.cause });
    this.name = 'SatError';
    this.motivo = motivo;
    this.clase = CLASES[motivo];
    this.codigo = options.codigo ?? null;
    this.esperaMs = options.esperaMs ?? 0;
  }
}
