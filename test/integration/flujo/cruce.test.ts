import type { Formato } from '@acuse/contract';
import { toSeconds } from '@acuse/core';
import { createSolicitudes } from '@acuse/db';
import { createRiesgo } from '@acuse/riesgo/db';
import type { Row } from '@acuse/simulador';
import { expect, test } from 'vitest';
import { publish, type Renglon } from '../almacen/listar.ts';
import { askFor, darFilas, UN_DIA } from '../fixtures/pedidos.ts';
import { logOf } from '../fixtures/procesos.ts';
import { type Caller, useServicio, waitFor, waitForEnd } from '../fixtures/servicio.ts';

const own = useServicio();

/** Downloads a day, and gives who of the package stands on a list. */
async function download(caller: Caller, formato: Formato) {
  const solicitudId = await askFor(caller, { ...UN_DIA, formato });
  await waitForEnd(caller, solicitudId);
  const listadas = await createRiesgo(own.db).listPaquete({ solicitudId, despuesDe: null, limite: 1_000 });
  const cruce = (await createSolicitudes(own.db).find(caller.contribuyenteId, solicitudId))?.contrapartesListadas;
  return { cruce, listadas };
}

/** What the simulated authority's rows say of a counterparty, by sums of its own. */
function saidOf(rows: readonly Row[], rfc: string) {
  const suyas = rows.filter((row) => row.rfcEmisor === rfc);
  const sumOf = (efecto: string) => {
    const vigentes = suyas.filter((row) => row.estatus === 'Vigente' && row.efecto === efecto);
    const centavos = vigentes.reduce((sum, { monto }) => sum + Math.round(Number(monto) * 100), 0);
    return { cfdi: vigentes.length, monto: (centavos / 100).toFixed(2) };
  };
  return { rfc, nombre: suyas.at(-1)?.nombreEmisor, ingresos: sumOf('I'), egresos: sumOf('E') };
}

test('a package is crossed with the lists that its worker holds, as text and as columns, and with their words at its end', async () => {
  const caller = await own.newCiecCaller({ saldo: 20 });
  darFilas(own, caller.rfc, UN_DIA, 60);
  const dia = ['T00:00:00', 'T23:59:59'].map((hora) => toSeconds(`${UN_DIA.desde}${hora}`));
  const rows = [...own.simulador.world.taxpayers.rows(caller.rfc, 'recibidos', dia[0] ?? 0, dia[1] ?? 0)];
  const [uno = '', dos = '', tres = ''] = [...new Set(rows.map(({ rfcEmisor }) => rfcEmisor))].sort();
  expect(tres).not.toBe('');

  const enLista = (rfc: string, situacion: Renglon['situacion']): Renglon => ({
    rfc,
    situacion,
    publicada: '2026-03-05',
  });
  await publish(own, [enLista(uno, 'PRESUNTO'), enLista(dos, 'DESVIRTUADO'), enLista('NAD010101AB1', 'DEFINITIVO')]);
  // It fails once between a ZIP and its row: that step is made again.
  await own.startWorker({ FAILPOINT: 'tras-ensamblar:throw' });
  await waitFor(async () => (await logOf(own, 'worker-1')).includes('"listed_rfcs_held"') || null);

  expect(await download(caller, 'csv')).toEqual({
    cruce: { total: 2, adversas: 1 },
    listadas: [
      { ...saidOf(rows, uno), lista: '69-B', supuesto: 'Presunto', isAdverso: true, publicada: '2026-03-05' },
      { ...saidOf(rows, dos), lista: '69-B', supuesto: 'Desvirtuado', isAdverso: false, publicada: '2026-03-05' },
    ],
  });

  // Another list is current at the end than the one that was read: its word counts, and who left it is gone.
  await publish(own, [enLista(uno, 'DEFINITIVO'), enLista(tres, 'DEFINITIVO')]);
  expect(await download(caller, 'parquet')).toEqual({
    cruce: { total: 1, adversas: 1 },
    listadas: [
      { ...saidOf(rows, uno), lista: '69-B', supuesto: 'Definitivo', isAdverso: true, publicada: '2026-03-05' },
    ],
  });
});
