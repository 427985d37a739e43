import { countCancelacion, type Metrics } from '@acuse/metrics';
import type { DatabasePorts } from './deps.ts';

/** The ports that move credits. */
type Credits = Pick<DatabasePorts, 'saldos' | 'solicitudes'>;

/**
 * The same ports, counting what they charge, give back and end, as far as this process knows: the ledger is what
 * counts. A charge whose outcome was never told is counted with neither.
 */
export function meterCredits({ saldos, solicitudes }: Credits, metrics: Metrics<'api'>): Credits {
  const refund = metrics.refunds.with({ causa: 'llamada' });
  const counted = async (isDone: Promise<boolean>) => {
    if (await isDone) refund.add();
    return isDone;
  };
  return {
    saldos: {
      ...saldos,
      async charge(cargo) {
        const charged = await saldos.charge(cargo);
        if (charged.resultado === 'CARGADO') metrics.charges.with({ operacion: cargo.operacion }).add(charged.importe);
        return charged;
      },
      settle: (opId, respuesta, devuelve) => {
        const settled = saldos.settle(opId, respuesta, devuelve);
        return devuelve === undefined ? settled : counted(settled);
      },
      refund: (opId, detalle) => counted(saldos.refund(opId, detalle)),
      undo: (opId, detalle) => counted(saldos.undo(opId, detalle)),
    },
    solicitudes: {
      ...solicitudes,
      async accept(nueva) {
        const aceptacion = await solicitudes.accept(nueva);
        if (aceptacion.resultado === 'ACEPTADA')
          metrics.charges.with({ operacion: 'tax/descarga-metadata' }).add(nueva.costo);
        return aceptacion;
      },
      async cancel(...args) {
        const cancelacion = await solicitudes.cancel(...args);
        countCancelacion(metrics, cancelacion);
        return cancelacion;
      },
    },
  };
}
