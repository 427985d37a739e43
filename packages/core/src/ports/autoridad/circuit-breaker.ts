/** What is remembered of one host of the SAT. Times are milliseconds of the Unix epoch. */
export interface EstadoHost {
  /** Failures since the last success, but those that may be one account's. */
  readonly fallos: number;
  /** Failures before the last success: what a success that is withdrawn goes back to. */
  readonly fallosAntes: number;
  /** Whose requests it answered with an error since the last success: short hashes, separated by spaces. */
  readonly titulares: string;
  /** The same before the last success. */
  readonly titularesAntes: string;
  /** Nothing is sent before this instant. */
  readonly abiertoHasta: number;
  /** A probe is under way and no other is sent before this instant. */
  readonly sondaHasta: number;
}

/**
 * Where the breaker keeps its memory. `update` must be atomic per host. The given function is pure and may be called
 * more than once; an answer equal to what it was given changes nothing, and need not be written.
 */
export interface BreakerState {
  update(host: string, change: (estado: EstadoHost) => EstadoHost): Promise<void>;
}

export const ESTADO_INICIAL: EstadoHost = {
  fallos: 0,
  fallosAntes: 0,
  titulares: '',
  titularesAntes: '',
  abiertoHasta: 0,
  sondaHasta: 0,
};
