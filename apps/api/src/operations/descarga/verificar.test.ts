import { describe, expect, it } from 'vitest';
import { createKitWithSolicitud } from '../../../test/kit.ts';
import { noteEsperas } from '../../../test/salud.ts';

describe('descarga/verificar', () => {
  it('tells state, progress, counts and times, free of charge', async () => {
    const { kit, a, id: solicitud_id, set } = await createKitWithSolicitud();
    const look = async () => (await kit.call('descarga/verificar', { solicitud_id }, { key: a.key })).json.data;
    expect(await look()).toEqual({
      solicitud_id,
      modo: 'test',
      estado: 'EN_PROCESO',
      tipo: 'emitidos',
      desde: '2026-01-01',
      hasta: '2026-01-31',
      formato: 'csv',
      filtros: null,
      contenido: 'metadata',
      tablas: false,
      xml: null,
      completo_hacia: null,
      progreso: 0,
      intentos: 0,
      reembolsada: false,
      retrasada: false,
      registros: null,
      ultima_consulta: null,
      motivo: null,
      confianza: null,
      terminada_en: null,
      contrapartes_listadas: null,
      proxima_consulta: '2026-11-20T18:00:00.000Z',
      creada_en: '2026-11-20T18:00:00.000Z',
      estimacion: null,
    });
    await set({ creada_en: new Date('2026-11-17T18:00:00Z') });
    expect(await look()).toMatchObject({ retrasada: true });
    const terminada_en = new Date('2026-11-20T20:00:00Z');
    const counts = { registros: 0, intentos: 4 };
    const cruce = { contrapartes_listadas: 3, contrapartes_adversas: 2 };
    await set({ estado: 'TERMINADA', ...counts, ...cruce, ultima_consulta_en: terminada_en, terminada_en });
    expect(await look()).toMatchObject({
      estado: 'TERMINADA',
      ...counts,
      progreso: 1,
      proxima_consulta: null,
      ultima_consulta: '2026-11-20T20:00:00.000Z',
      terminada_en: '2026-11-20T20:00:00.000Z',
      retrasada: false,
      contrapartes_listadas: { total: 3, adversas: 2 },
    });
    expect(await kit.saldo(a)).toBe(9);
  });

  it('says how long requests like it take, while it waits, from memory', async () => {
    const { kit, a, id: solicitud_id, set } = await createKitWithSolicitud();
    const look = async () => (await kit.call('descarga/verificar', { solicitud_id }, { key: a.key })).json.data;
    const readings = () => kit.watch.sent.filter((text) => text.includes('FROM espera_sat')).length;
    await noteEsperas(kit, 'portal', 'emitidos');
    expect(await look()).toMatchObject({ estimacion: null });
    const estimacion = {
      desde_minutos: expect.any(Number),
      hasta_minutos: expect.any(Number),
      muestras: 50,
      texto: expect.stringMatching(/^El SAT suele tener listas .+ de \d+ a \d+ minutos después de pedírselas\.$/),
    };
    // The first look has begun the reading and does not wait for it.
    await expect.poll(look).toMatchObject({ estimacion });
    for (let round = 0; round < 5; round += 1) expect(await look()).toMatchObject({ estimacion });
    expect(readings()).toBe(1);
    await kit.setNow(new Date(kit.now().getTime() + 60_000));
    await look();
    expect(readings()).toBe(2);
    await set({ canal: 'soap' });
    expect(await look()).toMatchObject({ estimacion: null });
    for (const estado of ['ESPERA_EFIRMA', 'TERMINADA']) {
      await set({ estado, canal: 'portal' });
      expect(await look()).toMatchObject({ estado, estimacion: null });
    }
  });
});
