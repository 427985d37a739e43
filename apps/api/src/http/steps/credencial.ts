import { eligibleCredenciales } from '../../credenciales/stored-credencial.ts';
import { accessOf, bodyOf, type Llamada } from '../llamada.ts';

/** The stored credential that the operation needs has to be there, alive and not refused by the SAT. */
export async function credencialPresente(llamada: Llamada): Promise<undefined> {
  bodyOf(llamada);
  eligibleCredenciales(llamada.operation, accessOf(llamada).access, llamada.now);
}
