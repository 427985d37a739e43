import { createCargaListas } from '@acuse/db';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectOk, type Servicio, startServicio, waitFor } from '../fixtures/servicio.ts';

let servicio: Servicio;
beforeAll(async () => {
  servicio = await startServicio({
    simulador: { filas_69b: 14_500 },
    workerEnv: { WORKER_ROLES: 'listas', LISTAS_INTERVAL_MS: '100' },
  });
});
afterAll(() => servicio?.close());

it('takes the list that the simulator serves at the address of the SAT, as a newcomer’s installation does', async () => {
  await servicio.startWorker();
  const carga = createCargaListas(servicio.db);
  const vigente = await waitFor(async () => {
    const estado = await carga.estado();
    const failed = estado.cargas.find(({ resultado }) => resultado === 'FALLIDA');
    if (failed) throw new Error(failed.motivo ?? 'no reason');
    return estado.vigente;
  });
  const { rows } = await servicio.db.pool.query<{ situacion: string; rfc: string }>(
    'SELECT DISTINCT ON (situacion) situacion, rfc FROM efos_fila WHERE rfc IS NOT NULL ORDER BY situacion, orden',
  );
  expect(rows.map(({ situacion }) => situacion)).toEqual([
    'DEFINITIVO',
    'DESVIRTUADO',
    'PRESUNTO',
    'SENTENCIA_FAVORABLE',
  ]);
  const caller = await servicio.newCaller({ saldo: 0 });
  for (const { rfc, situacion } of rows) {
    const data = await expectOk(caller.call('efos/consultar', { rfc }));
    expect(data).toMatchObject({ rfc, fecha_corte: vigente.fechaCorte });
    expect([situacion, data['en_efos']]).toEqual([situacion, ['PRESUNTO', 'DEFINITIVO'].includes(situacion)]);
    expect(data['historial']).not.toEqual([]);
  }
});
