import { CfdiError } from '@acuse/contract';
import type { ApiDeps } from '../../api-deps.ts';
import { vidaDeLlamada } from '../../api-settings.ts';
import { accessOf, type Llamada } from '../llamada.ts';
import type { Reembolsos } from '../state/reembolsos.ts';

/**
 * Debits before the work. When the database does not answer, the operation is not run and whatever it may still write
 * is given back. A repetition whose first charge was given back in this very moment is not run either: the next one is
 * charged anew.
 */
export async function cobrar(
  llamada: Llamada,
  { saldos, reembolsos, settings }: Pick<ApiDeps, 'saldos' | 'settings'> & { readonly reembolsos: Reembolsos },
): Promise<undefined> {
  const { operation, opId } = llamada;
  if (operation.cost === 0 || operation.charge === 'in-handler') return;
  const { access } = accessOf(llamada);
  let cargo: Awaited<ReturnType<typeof saldos.charge>>;
  try {
    cargo = await saldos.charge({
      opId,
      cuentaId: access.cuentaId,
      contribuyenteId: access.contribuyenteId,
      operacion: operation.path,
      importe: operation.cost,
      plazoSegundos: vidaDeLlamada(settings),
    });
  } catch (error) {
    reembolsos.refundIfCharged(opId, 'la base de datos no respondió');
    throw error;
  }
  llamada.saldo = cargo.saldo;
  if (cargo.resultado === 'INSUFICIENTE') throw new CfdiError('SALDO_INSUFICIENTE');
  if (cargo.resultado === 'DEVUELTO') throw new CfdiError('SALDO_NO_DISPONIBLE');
  llamada.charged = true;
}
