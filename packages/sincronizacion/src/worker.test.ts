import { StaleEpoch } from '@acuse/core';
import { silentLogger } from '@acuse/runtime';
import type { LecturaHecha, TramoTomado } from '@acuse/sincronizacion/db';
import { expect, test } from 'vitest';
import { createTurns } from './worker.ts';

const unexpected = () => Promise.reject(new Error('an unexpected call'));
/** Methods that no test of this file calls. */
const NOTHING = {
  ask: unexpected,
  postpone: unexpected,
  extend: unexpected,
  read: unexpected,
  failed: unexpected,
  pause: unexpected,
  addMonths: unexpected,
  forget: unexpected,
  reap: unexpected,
};
const REST = {
  paquetes: { readCsv: async function* () {} },
  log: silentLogger,
  isCharged: () => false,
  wake: () => {},
};
const AJUSTES = { everyMs: 1_000, concurrency: 4, aLaVez: 3, deadlineHours: 72 };

/** The newest days of a subscription, whose reading is there to be merged after so many that came to nothing. */
const tomadoAfter = (fallos: number): TramoTomado => ({
  sincronizacionId: '01981c9e-0000-7000-8000-000000000001',
  almacenId: 1,
  rfc: 'ACU200101DB1',
  modo: 'test',
  tipo: 'recibidos',
  tramo: { clase: 'RECIENTE' },
  fase: 'LEER',
  epoch: 1,
  desde: '2026-01-01',
  frecuencia: 'DIARIA',
  minuto: 60,
  fallos,
  lecturas: 3,
  porConfirmar: 0,
  solicitud: {
    id: 's',
    estado: 'TERMINADA',
    motivo: null,
    objectKey: 'k',
    desde: '2026-03-01',
    hasta: '2026-03-05',
    pedido: '2026-03-05',
    creadaEn: new Date(),
    isConfirmada: false,
    isXml: false,
    isBorrado: false,
  },
});

test('a period whose answers are doubted is asked for less and less often, not every hour for months', async () => {
  const failed: unknown[] = [];
  let fallos = 0;
  const dudosa: LecturaHecha = { n: 1, filas: 0, nuevos: 0, cambiados: 0, ausentes: 0, isDudosa: true };
  const { work } = createTurns(
    {
      ...REST,
      tramos: {
        ...NOTHING,
        take: async () => [tomadoAfter(fallos)],
        failed: async (_, motivo, seconds) => failed.push([motivo, seconds]) > 0,
      },
      almacenes: { merge: async () => dudosa, removeRows: unexpected },
      now: () => new Date(),
    },
    AJUSTES,
  );
  for (fallos of [0, 1, 2, 40]) await work(new AbortController().signal);
  expect(failed).toEqual([3_600, 7_200, 14_400, 86_400].map((seconds) => ['DUDOSA', seconds]));
});

test('a month that has not begun by the clock of a worker which is behind others is left for later', async () => {
  const done: string[] = [];
  const tomado: TramoTomado = {
    ...tomadoAfter(0),
    tramo: { clase: 'MES', mes: '2026-04-01' },
    fase: 'PEDIR',
    solicitud: null,
  };
  const { work } = createTurns(
    {
      ...REST,
      tramos: {
        ...NOTHING,
        take: async () => [tomado],
        ask: async () => {
          done.push('asked');
          return 'PEDIDA';
        },
        postpone: async (_, seconds) => done.push(`postponed by ${seconds}`) > 0,
      },
      almacenes: { merge: unexpected, removeRows: unexpected },
      now: () => new Date('2026-04-01T05:59:30Z'),
    },
    AJUSTES,
  );
  await work(new AbortController().signal);
  expect(done).toEqual(['postponed by 30']);
});

test('a merge stops when another worker took its lease: no error, no write', async () => {
  const said: unknown[] = [];
  const note = (level: string) => (_: unknown, event?: string) => void said.push([level, event]);
  const { work } = createTurns(
    {
      ...REST,
      log: { ...silentLogger, info: note('info'), error: note('error') },
      tramos: { ...NOTHING, take: async () => [tomadoAfter(0)], postpone: async () => said.push('postponed') > 0 },
      almacenes: { merge: async () => Promise.reject(new StaleEpoch('s', 1)), removeRows: unexpected },
      now: () => new Date(),
    },
    AJUSTES,
  );
  await work(new AbortController().signal);
  expect(said).toEqual([['info', 'lease_lost']]);
});
