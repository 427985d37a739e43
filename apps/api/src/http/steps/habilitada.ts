import { CfdiError } from '@acuse/contract';
import { type Llamada, paseOf } from '../llamada.ts';

/** Operations can be switched off for an RFC in the panel (specification, Authentication 8). */
export async function habilitada(llamada: Llamada): Promise<undefined> {
  const { deshabilitadas } = paseOf(llamada).pase;
  if (deshabilitadas.includes(llamada.operation.path)) throw new CfdiError('OPERACION_NO_HABILITADA');
}
