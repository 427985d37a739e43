import type { CfdiError } from '@acuse/contract';

/**
 * The answer of a query whose channel to the tax authority is not connected in this installation: 503/5041 (specification, Errors), given
 * back by the pipeline like any other silence of the authority.
 */
export async function sinCanal(
  _body: unknown,
  { error }: { error(nombre: 'SAT_NO_DISPONIBLE'): CfdiError },
): Promise<never> {
  throw error('SAT_NO_DISPONIBLE');
}
