/** Which way to the authority a host belongs to. */
export type CanalMedido = 'soap' | 'portal' | 'publico' | 'lista';

/**
 * How a request to the authority ended. `exito`: answered. `rechazo`: answered with a 4xx that the caller did not
 * expect. `fallo`: no usable answer. `cancelada`: the caller gave up. `evitada`: not sent, the breaker was open.
 * `desmentida`: what counted as `exito` before proved worthless when it was read; it is no further request.
 */
export type ResultadoMedido = 'exito' | 'rechazo' | 'fallo' | 'cancelada' | 'evitada' | 'desmentida';

/** One request as it was seen where all of them pass. */
export interface SatMeasurement {
  readonly host: string;
  readonly canal: CanalMedido;
  /** Milliseconds to the whole answer, or to its headers when the body is streamed; 0 where nothing was sent. */
  readonly ms: number;
  readonly resultado: ResultadoMedido;
}

/**
 * Sees every request to the authority. Called in the middle of it: it must return at once, and what it throws is
 * ignored.
 */
export interface SatMetrics {
  record(measurement: SatMeasurement): void;
}
