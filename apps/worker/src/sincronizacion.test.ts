import type { LecturaHecha, TramoTomado } from '@acuse/db';
import { silentLogger } from '@acuse/runtime';
import { expect, test } from 'vitest';
import { createTurns } from './sincronizacion.ts';

/** The newest days of a subscription, whose reading is there to be merged after so many that came to nothing. */
const tomadoAfter = (fallos: number): TramoTomado => ({
  ...{ sincronizacionId: '01981c9e-0000-7000-8000-000000000001', almacenId: 1, rfc: 'ACU200101DB1', modo: 'test' },
  ...{ tipo: 'recibidos', tramo: { clase: 'RECIENTE' }, fase: 'LEER', epoch: 1 },
  ...{ desde: '2026-01-01', frecuencia: 'DIARIA', minuto: 60, fallos },
  solicitud: {
    ...{ id: 's', estado: 'TERMINADA', motivo: null, objectKey: 'k', desde: '2026-03-01', hasta: '2026-03-05' },
    ...{ pedido: '2026-03-05', creadaEn: new Date(), isConfirmada: false, isBorrado: false },
  },
});

test('a period whose answers are doubted is asked for less and less often, not every hour for months', async () => {
  const failed: unknown[] = [];
  const nobody = () => Promise.reject(new Error('nobody should ask'));
  let fallos = 0;
  const dudosa: LecturaHecha = { n: 1, filas: 0, nuevos: 0, cambiados: 0, ausentes: 0, isDudosa: true };
  const { work } = createTurns(
    {
      tramos: {
        take: async () => [tomadoAfter(fallos)],
        failed: async (_, motivo, seconds) => failed.push([motivo, seconds]) > 0,
        ...{ ask: nobody, postpone: nobody, extend: nobody, read: nobody, pause: nobody, addMonths: nobody },
        ...{ forget: nobody, reap: nobody },
      },
      almacenes: { merge: async () => dudosa, removeRows: nobody },
      riesgo: { due: nobody, cross: nobody },
      plazos: { remind: nobody },
      paquetes: { readCsv: async function* () {} },
      log: silentLogger,
      now: () => new Date(),
      isCharged: () => false,
      wake: () => {},
    },
    { everyMs: 1_000, concurrency: 4, aLaVez: 3, deadlineHours: 72 },
  );
  for (fallos of [0, 1, 2, 40]) await work(new AbortController().signal);
  expect(failed).toEqual([3_600, 7_200, 14_400, 86_400].map((seconds) => ['DUDOSA', seconds]));
});
