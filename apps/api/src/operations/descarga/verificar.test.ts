import { describe, expect, it } from 'vitest';
import { createKitWithSolicitud } from '../../../test/kit.ts';
import { esperas } from '../../../test/salud.ts';

describe('descarga/verificar', () => {
  it('tells state, progress, counts and times, free of charge', async () => {
    const { kit, a, id: solicitud_id, set } = await createKitWithSolicitud();
    const look = async () => (await kit.call('descarga/verificar', { solicitud_id }, { key: a.key })).json.data;
    expect(await look()).toEqual({
      ...{
        solicitud_id,
        modo: 'test',
        estado: 'EN_PROCESO',
        tipo: 'emitidos',
        desde: '2026-01-01',
        hasta: '2026-01-31',
      },
      formato: 'csv',
      ...{ progreso: 0, intentos: 0, reembolsada: false, retrasada: false },
      ...{ registros: null, ultima_consulta: null, motivo: null, confianza: null, terminada_en: null },
      contrapartes_listadas: null,
      proxima_consulta: '2026-11-20T18:00:00.000Z',
      ...{ creada_en: '2026-11-20T18:00:00.000Z', estimacion: null },
    });
    set({ creadaEn: new Date('2026-11-17T18:00:00Z') });
    expect(await look()).toMatchObject({ retrasada: true });
    const terminadaEn = new Date('2026-11-20T20:00:00Z');
    const counts = { registros: 0, progreso: 1, intentos: 4 };
    const cruce = { listadas: 3, adversas: 2 };
    set({ estado: 'TERMINADA', ...counts, cruce, ultimaConsulta: terminadaEn, terminadaEn, proximaConsulta: null });
    expect(await look()).toMatchObject({
      ...{ estado: 'TERMINADA', ...counts, proxima_consulta: null },
      ultima_consulta: '2026-11-20T20:00:00.000Z',
      terminada_en: '2026-11-20T20:00:00.000Z',
      retrasada: false,
      contrapartes_listadas: { total: 3, adversas: 2 },
    });
    expect(kit.store.saldos.get(a.cuentaId)).toBe(9);
  });

  it('says how long requests like it take, while it waits, from memory', async () => {
    const { kit, a, id: solicitud_id, set } = await createKitWithSolicitud();
    const look = async () => (await kit.call('descarga/verificar', { solicitud_id }, { key: a.key })).json.data;
    const readings = () => kit.store.trips.filter((name) => name === 'saludPublica.read').length;
    kit.store.salud = {
      tramos: [],
      trabajan: [],
      esperas: esperas({ modo: 'test', canal: 'portal', tipo: 'emitidos' }),
    };
    expect(await look()).toMatchObject({ estimacion: null });
    const estimacion = {
      ...{ desde_minutos: expect.any(Number), hasta_minutos: expect.any(Number), muestras: 50 },
      texto: expect.stringMatching(/^El SAT suele tener listas .+ de \d+ a \d+ minutos después de pedírselas\.$/),
    };
    for (let round = 0; round < 5; round += 1) expect(await look()).toMatchObject({ estimacion });
    expect(readings()).toBe(1);
    kit.store.now = new Date(kit.store.now.getTime() + 60_000);
    await look();
    expect(readings()).toBe(2);
    for (const estado of ['TERMINADA', 'ESPERA_EFIRMA', 'ERROR'] as const) {
      set({ estado });
      expect(await look()).toMatchObject({ estado, estimacion: null });
    }
    set({ estado: 'EN_PROCESO', canal: 'soap' });
    expect(await look()).toMatchObject({ estimacion: null });
  });
});
