import { countCancelacion, type Metrics } from '@acuse/metrics';
import { noting } from '@acuse/runtime';
import type { DatabasePorts } from './deps.ts';

/** The ports that move credits. */
type Credits = Pick<DatabasePorts, 'saldos' | 'solicitudes'>;

/**
 * The same ports, counting what they charge, give back and end, as far as this process knows: the ledger is what
 * counts. A charge whose outcome was never told is counted with neither.
 */
export function meterCredits({ saldos, solicitudes }: Credits, metrics: Metrics<'api'>): Credits {
  const refund = metrics.refunds.with({ causa: 'llamada' });
  const counted = (isDone: boolean) => {
    if (isDone) refund.add();
  };
  return {
    saldos: noting(saldos, {
      charge(charged, { operacion }) {
        if (charged.resultado === 'CARGADO') metrics.charges.with({ operacion }).add(charged.importe);
      },
      settle: (isDone, _opId, _respuesta, devuelve) => counted(isDone && devuelve !== undefined),
      refund: counted,
      undo: counted,
    }),
    solicitudes: noting(solicitudes, {
      accept({ resultado }, { costo }) {
        if (resultado === 'ACEPTADA') metrics.charges.with({ operacion: 'tax/descarga-metadata' }).add(costo);
      },
      cancel: (cancelacion) => countCancelacion(metrics, cancelacion),
    }),
  };
}
