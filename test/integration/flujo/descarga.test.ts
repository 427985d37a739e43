import { toSeconds } from '@acuse/core';
import { describe, expect, inject, it } from 'vitest';
import { brokenInvariants } from '../fixtures/database.ts';
import { download, expectOk, useServicio, waitForEnd } from '../fixtures/servicio.ts';
import { readZip } from '../fixtures/zip.ts';

const DRIVERS = [
  ['PostgreSQL', undefined],
  ['Redis', inject('redisUrl')],
] as const;

describe.each(DRIVERS.filter(([, url]) => url !== null))('the main job with the queue on %s', (_name, queueUrl) => {
  const servicio = useServicio({ queueUrl, simulador: { filas_por_paquete: 20 } });

  it('carries received CFDI through the portal with the CIEC, month by month, into one ZIP', async () => {
    const caller = await servicio.newCiecCaller({ saldo: 2 });
    const asked = await expectOk(
      caller.call('tax/descarga-metadata', {
        rfc: caller.rfc,
        tipo: 'recibidos',
        desde: '2025-01-10',
        hasta: '2025-03-05',
      }),
    );
    expect(asked).toMatchObject({ estado: 'EN_PROCESO' });
    const id = String(asked['solicitud_id']);
    const before = await caller.call('descarga/paquete', { solicitud_id: id });
    expect([before.status, before.body.cfdi_codigo]).toEqual([409, 3002]);

    await servicio.startWorker();
    const end = await waitForEnd(caller, id);
    const rows = [
      ...servicio.simulador.world.taxpayers.rows(
        caller.rfc,
        'recibidos',
        toSeconds('2025-01-10T00:00:00'),
        toSeconds('2025-03-05T23:59:59'),
      ),
    ];
    expect(end).toMatchObject({ estado: 'TERMINADA', registros: rows.length, progreso: 1, motivo: null });
    const { zip, sha256 } = await download(caller, id);
    expect((await servicio.db.pool.query('SELECT sha256, bytes FROM solicitud WHERE id = $1', [id])).rows[0]).toEqual({
      sha256,
      bytes: String(zip.length),
    });
    const { csv, names, manifest } = await readZip(zip);
    expect(csv.map((row) => row['uuid'])).toEqual(rows.map((row) => row.uuid.toUpperCase()));
    expect(names.filter((name) => name.startsWith('originales/')).length).toBeGreaterThan(2);
    expect(manifest).toMatchObject({ rfc: caller.rfc });
    expect(await brokenInvariants(servicio.db)).toEqual([]);
  });
});
