import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCargaListas } from '@acuse/listas/db';
import { MAGIAS } from '@acuse/simulador';
import { afterEach, expect, it } from 'vitest';
import { acuse } from '../fixtures/cli.ts';
import { flowOnEachDriver } from '../fixtures/drivers.ts';
import { expectOk, LISTAS, type Servicio, startServicio, waitFor } from '../fixtures/servicio.ts';

/** What `efos estado` prints, as far as it is looked at here. */
interface EstadoEfos {
  readonly vigente: { readonly fecha_corte: string } | null;
  readonly intentos: readonly { readonly motivo: string | null }[];
}

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Has the simulated authority publish a list of so many rows, cut at a day. */
function publish({ simulador: { world } }: Servicio, corte_69b: string, filas_69b: number) {
  Object.assign(world.settings, { corte_69b, filas_69b });
}

const filasDe = ({ simulador }: Servicio) => simulador.world.listado69b.vigente().registros.length;

flowOnEachDriver('from the list at its source to the answer', (queueUrl) => {
  const start = async (EFOS_CRON: string) => {
    const workerEnv = { ...LISTAS, EFOS_CRON };
    const servicio = await startServicio({ ...(queueUrl === undefined ? {} : { queueUrl }), workerEnv });
    closing.push(() => servicio.close());
    return servicio;
  };

  it('loads, replaces, survives a bad source, and answers', async () => {
    // Six fields: every second.
    const servicio = await start('* * * * * *');
    const { world } = servicio.simulador;
    const [{ moral: presunto } = { moral: '' }] = MAGIAS.filter(({ clave }) => clave === 'presunto');
    const caller = await servicio.newCaller({ saldo: 0 });
    const consultar = (rfc = presunto) => caller.call('efos/consultar', { rfc });
    const carga = createCargaListas(servicio.db);

    type Carga = Awaited<ReturnType<typeof carga.estado>>['cargas'][number];
    const untilCarga = (isIt: (one: Carga) => boolean, times = 1) =>
      waitFor(async () => (await carga.estado()).cargas.filter(isIt).length >= times || null);

    // Without a worker no RFC is known.
    const before = await consultar();
    expect([before.status, before.body.cfdi_codigo, before.body.data?.['motivo']]).toEqual([
      503,
      5041,
      expect.stringContaining('no se ha cargado'),
    ]);

    publish(servicio, '2026-07-31', 3_000);
    await servicio.startWorker();
    await waitFor(async () => (await consultar()).status === 200 || null);
    expect(await expectOk(consultar())).toMatchObject({ situacion: 'Presunto', fecha_corte: '2026-07-31' });
    // A hidden row belongs to no RFC, not even to one with its letters.
    expect((await consultar('XXXXXXXXXXXX')).body.cfdi_codigo).toBe(2002);

    // Each second the queue wakes, and the source is asked whether it has something newer.
    await untilCarga(({ resultado }) => resultado === 'SIN_CAMBIO', 2);

    // The source breaks down: the old list goes on answering, and the operator sees why.
    const { id } = world.faults.add({ service: 'wu1agsprosta001', kind: 'html200' });
    await untilCarga(({ resultado }) => resultado === 'FALLIDA');
    expect(await expectOk(consultar())).toMatchObject({ en_efos: true, fecha_corte: '2026-07-31' });
    publish(servicio, '2026-06-30', 6_000);
    world.faults.remove(id);
    await untilCarga(({ motivo }) => motivo?.startsWith('LISTA_ANTERIOR') ?? false);
    publish(servicio, '2026-08-31', 100);
    await untilCarga(({ motivo }) => motivo?.startsWith('LISTA_MENGUADA') ?? false);
    expect(await expectOk(consultar())).toMatchObject({ en_efos: true, fecha_corte: '2026-07-31' });

    const paso = { situacion: 'Desvirtuado', oficio: '500-05', fechaSat: 1_780_000_000, fechaDof: null } as const;
    world.listado69b.replace(
      new Map([[presunto, [{ rfc: presunto, nombre: 'PRESUNTO', isMasked: false, pasos: [paso] }]]]),
    );
    publish(servicio, '2026-08-31', 3_000);
    const cleared = await waitFor(async () => {
      const answer = await expectOk(consultar());
      return answer['fecha_corte'] === '2026-08-31' ? answer : null;
    });
    expect(cleared).toMatchObject({ en_efos: false, situacion: 'Desvirtuado' });
  });

  it('is loaded when the operator asks, and EDOS answers from what the operator imports', {
    tags: ['slow'],
  }, async () => {
    const servicio = await start('0 0 1 1 *');
    const SAT_LISTA_69B_URL = `${servicio.simulador.url}/wu1agsprosta001/agsc-publicaciones/Datos_abiertos/Documents_AGAFF/Listado_completo_69-B.csv`;
    publish(servicio, '2026-07-31', 3_000);
    const dir = await mkdtemp(join(tmpdir(), 'acuse-edos-'));
    closing.push(() => rm(dir, { recursive: true, force: true }));
    const order = (...args: string[]) => acuse({ DATABASE_URL: servicio.databaseUrl }, ...args);
    const estado = async () => (await order('efos', 'estado'))[0] as unknown as EstadoEfos;
    expect(await order('efos', 'estado')).toMatchObject([{ vigente: null, intentos: [] }]);
    await servicio.startWorker({ SAT_LISTA_69B_URL });
    const cut = (fecha: string) =>
      waitFor(async () => {
        const now = await estado();
        return now.vigente?.fecha_corte === fecha ? now : null;
      });
    expect(await cut('2026-07-31')).toMatchObject({
      vigente: { filas: filasDe(servicio), fuente: SAT_LISTA_69B_URL },
      intentos: [{ resultado: 'CARGADA', motivo: null }],
    });
    publish(servicio, '2026-08-01', 100);
    expect(await order('efos', 'cargar')).toEqual([{ pedida: true, forzar: false }]);
    await waitFor(async () => {
      const { intentos } = await estado();
      return intentos[0]?.motivo?.startsWith('LISTA_MENGUADA') ? true : null;
    });
    await order('efos', 'cargar', '--forzar');
    expect(await cut('2026-08-01')).toMatchObject({ vigente: { filas: filasDe(servicio) }, pedida_en: null });

    const caller = await servicio.newCaller({ saldo: 0 });
    const edos = async (rfc: string) => {
      const { en_edos, edos_fuente } = await expectOk(caller.call('efos/consultar', { rfc }));
      return [en_edos, edos_fuente];
    };
    expect(await edos('EDO010101AB1')).toEqual([false, null]);
    const [good, bad] = [join(dir, 'good.csv'), join(dir, 'bad.csv')];
    await writeFile(good, 'nombre,rfc\nUNO,EDO010101AB1\n');
    await writeFile(bad, 'rfc\nOTR010101AB1\nnada\n');
    await order('edos', 'importar', good, '--fuente', 'Comité de riesgos');
    expect(await edos('EDO010101AB1')).toEqual([true, 'Comité de riesgos']);
    expect(await edos('OTR010101AB1')).toEqual([false, 'Comité de riesgos']);
    await expect(order('edos', 'importar', bad, '--fuente', 'Otra')).rejects.toThrow(/línea 3/);
    expect(await order('edos', 'estado')).toMatchObject([{ fuente: 'Comité de riesgos', rfcs: 1 }]);
    expect(await order('edos', 'borrar')).toEqual([{ borrada: true }]);
    expect(await edos('EDO010101AB1')).toEqual([false, null]);
  });
});
