import { waitText } from '../../acceso/limites.ts';

/** Why something was not done, as the page says it. */
export interface Falta {
  readonly status: 422 | 429;
  readonly texto: string;
  /** Seconds to wait before it may be tried again. */
  readonly esperar?: number;
}

/** It was tried too often. */
export function demasiados(esperar: number): Falta {
  const texto = `Hubo varios intentos seguidos. Espere ${waitText(esperar)} y vuelva a intentarlo.`;
  return { status: 429, texto, esperar };
}
