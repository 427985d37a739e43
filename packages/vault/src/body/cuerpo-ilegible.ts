/**
 * `JSON_INVALIDO`: not UTF-8, not JSON, not an object, or too deep. `CAMPO_REPETIDO`: a secret field stands there
 * twice.
 */
export type MotivoCuerpo = 'JSON_INVALIDO' | 'CAMPO_REPETIDO';

/** A request body that is refused before anything of it became a string. Never carries a part of it. */
export class CuerpoIlegible extends Error {
  readonly motivo: MotivoCuerpo;
  /** The name of the repeated field. */
  readonly campo: string | null;

  constructor(motivo: MotivoCuerpo, campo: string | null = null) {
    super(campo === null ? motivo : `${motivo}: ${campo}`);
    this.name = 'CuerpoIlegible';
    this.motivo = motivo;
    this.campo = campo;
  }
}
