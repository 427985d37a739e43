import { describe, expect, it } from 'vitest';
import { createKitWithAlta, guardaCiec } from '../../../test/kit.ts';

describe('descarga/verificar', () => {
  it('tells state, progress, counts and times, free of charge', async () => {
    const { kit, a } = await createKitWithAlta();
    await guardaCiec(kit, a);
    const body = { rfc: a.rfc, tipo: 'emitidos', desde: '2026-01-01', hasta: '2026-01-31' };
    const accepted = await kit.call('tax/descarga-metadata', body, { key: a.key });
    const solicitud_id = String(accepted.json.data?.['solicitud_id']);
    const look = async () => (await kit.call('descarga/verificar', { solicitud_id }, { key: a.key })).json.data;
    expect(await look()).toEqual({
      ...{ solicitud_id, estado: 'EN_PROCESO', tipo: 'emitidos', desde: '2026-01-01', hasta: '2026-01-31' },
      ...{
        registros: null,
        progreso: 0,
        intentos: 0,
        ultima_consulta: null,
        motivo: null,
        confianza: null,
        reembolsada: false,
        retrasada: false,
        terminada_en: null,
      },
      proxima_consulta: '2026-11-20T18:00:00.000Z',
      creada_en: '2026-11-20T18:00:00.000Z',
    });
    const solicitud = kit.store.solicitudes.get(solicitud_id);
    if (!solicitud) throw new Error('no solicitud');
    const creadaEn = new Date('2026-11-17T18:00:00Z');
    solicitud.vista = { ...solicitud.vista, creadaEn };
    expect(await look()).toMatchObject({ retrasada: true });
    const terminadaEn = new Date('2026-11-20T20:00:00Z');
    solicitud.vista = {
      ...solicitud.vista,
      ...{ estado: 'TERMINADA', registros: 0, progreso: 1, intentos: 4, ultimaConsulta: terminadaEn, terminadaEn },
      proximaConsulta: null,
    };
    expect(await look()).toMatchObject({
      ...{ estado: 'TERMINADA', registros: 0, progreso: 1, intentos: 4, proxima_consulta: null },
      ultima_consulta: '2026-11-20T20:00:00.000Z',
      terminada_en: '2026-11-20T20:00:00.000Z',
      retrasada: false,
    });
    expect(kit.store.saldos.get(a.cuentaId)).toBe(9);
  });
});
