import { bodyOf, type Llamada, paseOf } from '../llamada.ts';
import { chooseCredencial } from '../stored-credencial.ts';

/** The stored credential that the operation needs has to be there, alive and not refused by the SAT. */
export async function credencialPresente(llamada: Llamada): Promise<undefined> {
  bodyOf(llamada);
  chooseCredencial(llamada.operation.accepts, paseOf(llamada).pase, llamada.now);
}
