import { isUniqueViolation } from '../errors.ts';

export type MotivoRechazo =
  | 'EMAIL_REPETIDO'
  | 'RFC_REPETIDO'
  | 'CUENTA_DESCONOCIDA'
  | 'USUARIO_DESCONOCIDO'
  | 'RFC_DESCONOCIDO'
  | 'LLAVE_DESCONOCIDA'
  | 'LLAVE_CAMBIADA'
  | 'CREDITOS_INVALIDOS';

/** The database's state does not allow what an operator asked for. */
export class Rechazo extends Error {
  readonly motivo: MotivoRechazo;

  constructor(motivo: MotivoRechazo) {
    super(motivo);
    this.name = 'Rechazo';
    this.motivo = motivo;
  }
}

/** What the statement gives; what a unique index already has is refused for this reason. */
export const refusingCopies = <T>(motivo: MotivoRechazo, statement: Promise<T>): Promise<T> =>
  statement.catch((error: unknown) => {
    throw isUniqueViolation(error) ? new Rechazo(motivo) : error;
  });
