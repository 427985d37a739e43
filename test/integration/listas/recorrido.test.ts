import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCargaListas } from '@acuse/db';
import { listen } from '@acuse/runtime';
import { afterEach, expect, it } from 'vitest';
import { acuse } from '../fixtures/cli.ts';
import { flowOnEachDriver } from '../fixtures/drivers.ts';
import { expectOk, startServicio, waitFor } from '../fixtures/servicio.ts';
import { listaFingida, type Renglon, rfcs } from './lista-fingida.ts';

const MUCHOS: Renglon[] = rfcs(3_000).map((rfc) => ({ rfc, situacion: 'Definitivo' }));
const NOTABLES: Renglon[] = [
  { rfc: 'PRE010101AB1', situacion: 'Presunto' },
  { rfc: 'DES010101AB1', situacion: 'Desvirtuado' },
  { rfc: 'DEF010101AB1', situacion: 'Definitivo', fecha: '25/05/2022 - 26/04/2021' },
  { rfc: 'SEN010101AB1', situacion: 'Sentencia Favorable' },
  { rfc: 'DOS010101AB1', situacion: 'Sentencia Favorable', fecha: '01/02/2025' },
  { rfc: 'DOS010101AB1', situacion: 'Definitivo', fecha: '01/02/2020' },
  { rfc: 'ÑA&010101AB1', situacion: 'Presunto', nombre: 'PEÑA\r\nE HIJOS' },
  { rfc: 'XXXXXXXXXXXX', situacion: 'Definitivo', nombre: 'Información suprimida' },
];

/** What `efos estado` prints, as far as it is looked at here. */
interface EstadoEfos {
  readonly vigente: { readonly fecha_corte: string } | null;
  readonly intentos: readonly { readonly motivo: string | null }[];
}

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** What the source answers; changed by the test. */
async function startFuente() {
  let body: Buffer | null = null;
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.headers['if-none-match']);
    if (body === null)
      return void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Mantenimiento</h1>');
    const etag = `"${body.length}"`;
    if (request.headers['if-none-match'] === etag) return void response.writeHead(304).end();
    response.writeHead(200, { etag }).end(body);
  });
  const port = await listen(server, 0, '127.0.0.1');
  closing.push(async () => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${port}/Listado_completo_69-B.csv`,
    asked,
    publish(corte: string, renglones: readonly Renglon[]) {
      body = listaFingida(corte, renglones);
    },
    breakDown() {
      body = null;
    },
  };
}

flowOnEachDriver('from the list at its source to the answer', (queueUrl) => {
  it('loads, replaces, survives a bad source, and answers', async () => {
    const fuente = await startFuente();
    const servicio = await startServicio({
      ...(queueUrl === undefined ? {} : { queueUrl }),
      workerEnv: {
        WORKER_ROLES: 'listas',
        SAT_LISTA_69B_URL: fuente.url,
        LISTAS_INTERVAL_MS: '100',
        // Six fields: every second.
        EFOS_CRON: '* * * * * *',
      },
    });
    closing.push(() => servicio.close());
    const caller = await servicio.newCaller({ saldo: 0 });
    const consultar = (rfc: string) => caller.call('efos/consultar', { rfc });
    const data = (rfc: string) => expectOk(consultar(rfc));
    const carga = createCargaListas(servicio.db);

    type Carga = Awaited<ReturnType<typeof carga.estado>>['cargas'][number];
    const untilCarga = (isIt: (one: Carga) => boolean) =>
      waitFor(async () => (await carga.estado()).cargas.some(isIt) || null);

    // No worker yet: nothing is known of anybody.
    const before = await consultar('PRE010101AB1');
    expect([before.status, before.body.cfdi_codigo, before.body.data?.['motivo']]).toEqual([
      503,
      5041,
      expect.stringContaining('no se ha cargado'),
    ]);

    fuente.publish('31 de julio de 2026', [...NOTABLES, ...MUCHOS]);
    await servicio.startWorker();
    await waitFor(async () => (await consultar('PRE010101AB1')).status === 200 || null);
    const answers = await Promise.all(NOTABLES.slice(0, 7).map(({ rfc }) => data(rfc)));
    expect(answers.map(({ rfc, en_efos, situacion }) => [rfc, en_efos, situacion])).toEqual([
      ['PRE010101AB1', true, 'Presunto'],
      ['DES010101AB1', false, 'Desvirtuado'],
      ['DEF010101AB1', true, 'Definitivo'],
      ['SEN010101AB1', false, 'Sentencia Favorable'],
      ['DOS010101AB1', true, 'Definitivo'],
      ['DOS010101AB1', true, 'Definitivo'],
      ['ÑA&010101AB1', true, 'Presunto'],
    ]);
    expect(answers[2]).toEqual({
      rfc: 'DEF010101AB1',
      en_efos: true,
      en_edos: false,
      fecha_consulta: expect.stringMatching(/Z$/),
      fecha_corte: '2026-07-31',
      situacion: 'Definitivo',
      historial: [{ situacion: 'Definitivo', fecha: '2022-05-25', oficio: '500-05-2', fecha_dof: '2022-05-25' }],
      edos_fuente: null,
      advertencias: [],
    });
    expect(await data('ZZZ010101AB1')).toMatchObject({ en_efos: false, situacion: null, historial: [] });
    // A hidden row is nobody's, not even of one who would ask with its letters.
    expect((await consultar('XXXXXXXXXXXX')).body.cfdi_codigo).toBe(2002);

    // Each second the queue rings, and the source is asked whether it has something newer.
    const asked = fuente.asked.length;
    await waitFor(async () => fuente.asked.slice(asked).filter(Boolean).length >= 2 || null);

    // The source breaks down: the old list goes on answering, and the operator sees why.
    fuente.breakDown();
    await untilCarga(({ resultado }) => resultado === 'FALLIDA');
    expect(await data('PRE010101AB1')).toMatchObject({ en_efos: true, fecha_corte: '2026-07-31' });
    fuente.publish('30 de junio de 2026', [...NOTABLES, ...MUCHOS, ...MUCHOS]);
    await untilCarga(({ motivo }) => motivo?.startsWith('LISTA_ANTERIOR') ?? false);
    fuente.publish('31 de agosto de 2026', NOTABLES);
    await untilCarga(({ motivo }) => motivo?.startsWith('LISTA_MENGUADA') ?? false);
    expect(await data('PRE010101AB1')).toMatchObject({ en_efos: true, fecha_corte: '2026-07-31' });

    fuente.publish('31 de agosto de 2026', [{ rfc: 'PRE010101AB1', situacion: 'Desvirtuado' }, ...MUCHOS]);
    const cleared = await waitFor(async () => {
      const answer = await data('PRE010101AB1');
      return answer['fecha_corte'] === '2026-08-31' ? answer : null;
    });
    expect(cleared).toMatchObject({ en_efos: false, situacion: 'Desvirtuado' });
    expect(await data('DES010101AB1')).toMatchObject({ situacion: null, historial: [] });
  });

  it('is loaded when the operator asks, and EDOS answers from what the operator imports', async () => {
    const fuente = await startFuente();
    fuente.publish('31 de julio de 2026', MUCHOS);
    const servicio = await startServicio({
      ...(queueUrl === undefined ? {} : { queueUrl }),
      workerEnv: {
        WORKER_ROLES: 'listas',
        SAT_LISTA_69B_URL: fuente.url,
        LISTAS_INTERVAL_MS: '100',
        EFOS_CRON: '0 0 1 1 *',
      },
    });
    closing.push(() => servicio.close());
    const dir = await mkdtemp(join(tmpdir(), 'acuse-edos-'));
    closing.push(() => rm(dir, { recursive: true, force: true }));
    const order = (...args: string[]) => acuse({ DATABASE_URL: servicio.databaseUrl }, ...args);
    const estado = async () => (await order('efos', 'estado'))[0] as unknown as EstadoEfos;
    expect(await order('efos', 'estado')).toMatchObject([{ vigente: null, intentos: [] }]);
    await servicio.startWorker();
    const cut = (fecha: string) =>
      waitFor(async () => {
        const now = await estado();
        return now.vigente?.fecha_corte === fecha ? now : null;
      });
    expect(await cut('2026-07-31')).toMatchObject({
      vigente: { filas: 3_000, fuente: fuente.url },
      intentos: [{ resultado: 'CARGADA', motivo: null }],
    });
    fuente.publish('1 de agosto de 2026', MUCHOS.slice(0, 5));
    expect(await order('efos', 'cargar')).toEqual([{ pedida: true, forzar: false }]);
    await waitFor(async () => {
      const { intentos } = await estado();
      return intentos[0]?.motivo?.startsWith('LISTA_MENGUADA') ? true : null;
    });
    await order('efos', 'cargar', '--forzar');
    expect(await cut('2026-08-01')).toMatchObject({ vigente: { filas: 5 }, pedida_en: null });

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
