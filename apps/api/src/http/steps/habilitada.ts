import { CfdiError } from '@acuse/contract';
import { accessOf, type Llamada } from '../llamada.ts';

/** Operations can be switched off for an RFC in the panel (specification, Authentication 8). */
export async function habilitada(llamada: Llamada): Promise<undefined> {
  const { deshabilitadas } = accessOf(llamada).access;
  if (deshabilitadas.includes(llamada.operation.path)) throw new CfdiError('OPERACION_NO_HABILITADA');
}
