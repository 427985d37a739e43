import { FORMATOS } from '@acuse/contract';
import { describe, expect, it } from 'vitest';
import { readMetadata } from '../../../packages/storage/testing/read-formats.ts';
import { askFor, openPaquete, saldoDe, UN_DIA, uuidsDelSat, verificar } from '../fixtures/pedidos.ts';
import { expectOk, useServicio, waitForEnd } from '../fixtures/servicio.ts';

describe('the format of a download', () => {
  const servicio = useServicio({}, {});

  it('the same day in every format at once: a solicitud and a charge each, with the same rows', async () => {
    const caller = await servicio.newCiecCaller({ saldo: 9 });
    const ids = await Promise.all(FORMATOS.map((formato) => askFor(caller, { ...UN_DIA, formato })));
    expect(new Set(ids).size).toBe(FORMATOS.length);
    const uuids = uuidsDelSat(servicio, caller.rfc, UN_DIA);
    expect(uuids.length).toBeGreaterThan(0);
    for (const [index, formato] of FORMATOS.entries()) {
      const id = ids[index] ?? '';
      expect(await waitForEnd(caller, id)).toMatchObject({ estado: 'TERMINADA', formato, registros: uuids.length });
      const { entries, manifest, names } = await openPaquete(caller, id);
      expect(manifest).toMatchObject({ formato, archivos: [`metadata.${formato}`], valores_incompletos: {} });
      expect(names.filter((name) => name.startsWith('metadata'))).toEqual([`metadata.${formato}`]);
      expect((await readMetadata(formato, entries)).map(({ uuid }) => uuid)).toEqual(uuids);
    }
    expect(await saldoDe(servicio, caller)).toBe(9 - FORMATOS.length);
  });

  it('an equal request that runs is answered for the same format only; none named is csv', async () => {
    const caller = await servicio.newCiecCaller({ saldo: 9 });
    const ask = (body: object) =>
      expectOk(caller.call('tax/descarga-metadata', { rfc: caller.rfc, ...UN_DIA, ...body }));
    const release = servicio.simulador.world.faults.add({
      rfc: caller.rfc,
      service: 'portalcfdi',
      operation: 'AbrirConsulta',
      kind: 'status',
    });
    const first = String((await ask({}))['solicitud_id']);
    expect(await ask({ formato: 'csv' })).toMatchObject({ solicitud_id: first, duplicada: true });
    const other = await ask({ formato: 'xlsx' });
    expect([other['solicitud_id'] === first, other['duplicada']]).toEqual([false, undefined]);
    expect((await verificar(caller, first))['formato']).toBe('csv');
    servicio.simulador.world.faults.remove(release.id);
    for (const id of [first, String(other['solicitud_id'])]) await waitForEnd(caller, id);
    expect(await saldoDe(servicio, caller)).toBe(7);
  });

  it('an unknown one is refused by name, and nothing is charged', async () => {
    const caller = await servicio.newCiecCaller({ saldo: 1 });
    const { status, body } = await caller.call('tax/descarga-metadata', { rfc: caller.rfc, ...UN_DIA, formato: 'xls' });
    expect([status, body.cfdi_codigo, body.data]).toMatchObject([
      ...[400, 2001],
      { campo: 'formato', motivo: 'debe ser csv, xlsx, ndjson o parquet' },
    ]);
    expect(await saldoDe(servicio, caller)).toBe(1);
  });
});
