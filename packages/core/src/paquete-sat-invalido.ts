/** Why a package of the SAT could not be used. */
export type MotivoPaqueteInvalido =
  | 'NO_ES_ZIP'
  | 'TRUNCADO'
  | 'CRC'
  | 'DEMASIADO_GRANDE'
  | 'SIN_METADATA'
  | 'COLUMNAS'
  | 'FILA';

/**
 * A package of the SAT that cannot be read. Fetching it anew may help once; the message names the package and the place
 * in it.
 */
export class PaqueteSatInvalido extends Error {
  readonly motivo: MotivoPaqueteInvalido;
  readonly objectKey: string;

  constructor(motivo: MotivoPaqueteInvalido, objectKey: string, detalle: string, cause?: unknown) {
    super(`${motivo}: ${objectKey}: ${detalle}`, { cause });
    this.name = 'PaqueteSatInvalido';
    this.motivo = motivo;
    this.objectKey = objectKey;
  }
}
