import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AppProcess } from '@acuse/embedded';
import { startSimulador } from '@acuse/simulador';
import { beforeAll, describe, expect, it } from 'vitest';
import { libroDe } from '../fixtures/consultas.ts';
import { saldoDe } from '../fixtures/database.ts';
import { duringTests } from '../fixtures/during-tests.ts';
import { issueEfirma, registrarCer, storeKey } from '../fixtures/efirma.ts';
import { askFor, UN_DIA } from '../fixtures/pedidos.ts';
import { type Pipe, startPipe } from '../fixtures/pipe.ts';
import {
  type Caller,
  ciecOf,
  download,
  expectOk,
  type Servicio,
  useServicio,
  waitFor,
  waitForEnd,
} from '../fixtures/servicio.ts';
import { startReceptor } from '../webhooks/fixtures/receptor.ts';

/**
 * An installation with the SAT (the service's simulator behind a pipe) and the simulator of the test keys behind
 * another pipe. A shut pipe counts connections: test keys must make none.
 */
const pruebas = duringTests(async () => {
  const dir = await mkdtemp(join(tmpdir(), 'acuse-modos-'));
  const simulador = await startSimulador({ settings: { filas_69b: 300 } });
  const pipe = await startPipe(simulador.url);
  const ca = join(dir, 'pruebas.pem');
  await writeFile(ca, await (await fetch(`${simulador.url}/control/ca.pem`)).text());
  const sat: Pipe = await startPipe(() => servicio.simulador.url);
  return {
    simulador,
    pipe,
    ca,
    sat,
    async close() {
      await pipe.close();
      await sat.close();
      await simulador.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
});

const satEnv = () => ({ SAT_BASE_URL: pruebas.sat.url, SAT_PRUEBAS_URL: pruebas.pipe.url });
const servicio: Servicio = useServicio(() => ({
  apiEnv: {
    ...satEnv(),
    OPINION_PUBLICA_URL: `${pruebas.sat.url}/opinion-publica`,
    EFIRMA_AUTORIDADES_PRUEBAS: pruebas.ca,
    SAT_PRESUPUESTO_MS: '20000',
  },
  workerEnv: { ...satEnv(), WORKER_ROLES: 'descargas,ensambles,relay,reconciler,reaper,webhooks' },
}));
let worker: AppProcess;
beforeAll(async () => {
  worker = await servicio.startWorker();
});

/** Runs `work` while the SAT is shut, and counts connections to it. */
async function withoutSat<T>(work: () => Promise<T>): Promise<T> {
  const asked = pruebas.sat.refused();
  pruebas.sat.shut();
  try {
    const result = await work();
    expect(pruebas.sat.refused() - asked).toBe(0);
    return result;
  } finally {
    pruebas.sat.open();
  }
}

const guardaCiec = (caller: Caller) =>
  expectOk(caller.call('vault/rfc-guardar', { rfc: caller.rfc, ciec: ciecOf(caller.rfc) }));
const logOf = (of: 'sat' | 'pruebas', { rfc }: Caller) =>
  (of === 'sat' ? servicio : pruebas).simulador.world.log.list({ rfc });

describe('test keys and live keys', { shuffle: false }, () => {
  it('a test key asks the simulator beside the SAT for everything, in the API and in the workers, free of charge', async () => {
    const receptor = await startReceptor();
    const caller = await servicio.newCaller({ saldo: 0 });
    const { rfc } = caller;
    const dia = { rfc, desde: UN_DIA.desde, hasta: UN_DIA.hasta };
    await withoutSat(async () => {
      await expectOk(caller.call('webhooks/crear', { rfc, url: receptor.url, eventos: ['solicitud.terminada'] }));
      await guardaCiec(caller);
      const conCiec = await caller.call('tax/facturas', dia);
      expect([conCiec.status, conCiec.headers.get('x-acuse-modo')]).toEqual([200, 'test']);
      expect(conCiec.body.data).toMatchObject({ credencial: 'ciec', reembolsada: false });
      await expectOk(caller.call('tax/opinion-cumplimiento', { rfc }));
      await caller.call('tax/opinion-cumplimiento-publica', { rfc });
      await expectOk(caller.call('usuario/datos-fiscales', { rfc }));
      const porPortal = await askFor(caller);
      expect(await waitForEnd(caller, porPortal)).toMatchObject({
        estado: 'TERMINADA',
        modo: 'test',
        reembolsada: false,
      });
      expect((await download(caller, porPortal)).zip.length).toBeGreaterThan(0);

      const efirma = await issueEfirma(pruebas, { rfc });
      await expectOk(registrarCer(caller, efirma));
      await expectOk(storeKey(caller, efirma));
      await expectOk(caller.call('tax/declaraciones-fiel', { rfc, ejercicio: 2025 }));
      await expectOk(caller.call('tax/retenciones', { rfc, ejercicio: 2025 }));
      const porSoap = await askFor(caller, { ...UN_DIA, tipo: 'emitidos' });
      expect(await waitForEnd(caller, porSoap)).toMatchObject({ estado: 'TERMINADA', modo: 'test' });
      const { recibidos } = receptor;
      await waitFor(async () => (recibidos.length === 2 ? recibidos : null));
      expect(recibidos.map(({ data }) => [data['solicitud_id'], data['modo']])).toEqual([
        [porPortal, 'test'],
        [porSoap, 'test'],
      ]);
    });
    expect(logOf('sat', caller)).toEqual([]);
    expect(logOf('pruebas', caller).length).toBeGreaterThan(0);
    expect(await libroDe(servicio, caller)).toEqual([]);
    expect(await saldoDe(servicio, caller)).toBe(0);
    const rows =
      await servicio.sql`SELECT DISTINCT modo, costo FROM solicitud WHERE contribuyente_id = ${caller.contribuyenteId}`;
    expect(rows).toEqual([{ modo: 'test', costo: 0 }]);
    await receptor.close();
  });

  it('a test key takes no e.firma of the SAT, nor a live key one of the simulator', async () => {
    const [prueba, real] = [await servicio.newCaller(), await servicio.newCaller({ modo: 'live' })];
    const status = async (caller: Caller, of: Pick<Servicio, 'simulador'>) => {
      const answer = await registrarCer(caller, await issueEfirma(of, { rfc: caller.rfc }));
      return [answer.status, answer.body.cfdi_codigo];
    };
    expect(await status(prueba, servicio)).toEqual([400, 4001]);
    expect(await status(real, pruebas)).toEqual([400, 4001]);
    expect(await status(prueba, pruebas)).toEqual([200, 1]);
    expect(await status(real, servicio)).toEqual([200, 1]);
  });

  it('requests of a test key do not exist for the live key of the RFC, nor the other way round', {
    tags: ['slow'],
  }, async () => {
    const prueba = await servicio.newCiecCaller();
    const { rfc } = prueba;
    const dia = { rfc, desde: UN_DIA.desde, hasta: UN_DIA.hasta };
    await expectOk(prueba.call('tax/facturas', dia));
    const alSimulador = await askFor(prueba);
    await waitForEnd(prueba, alSimulador);

    const seen = async (caller: Caller, solicitud_id: string) => {
      const paths = ['descarga/verificar', 'descarga/paquete', 'descarga/cancelar'];
      const answers = await Promise.all(paths.map((path) => caller.call(path, { solicitud_id })));
      const { items } = await expectOk(caller.call('descarga/listar', {}));
      const listed = (items as { solicitud_id: string }[]).some((each) => each.solicitud_id === solicitud_id);
      return [...answers.map(({ status }) => status), listed];
    };
    const real = await servicio.newKey(prueba, 'live');
    expect((await prueba.call('descarga/listar', {})).body.cfdi_codigo).toBe(1002);
    expect((await real.call('tax/facturas', dia)).body.cfdi_codigo).toBe(4003);
    expect(await seen(real, alSimulador)).toEqual([404, 404, 404, false]);

    await guardaCiec(real);
    const answer = await real.call('tax/facturas', dia);
    expect([answer.status, answer.headers.get('x-acuse-modo')]).toEqual([200, 'live']);
    // It logged in at the SAT by itself: the session with the simulator is none of it.
    expect(logOf('sat', real).length).toBeGreaterThan(0);
    const alSat = await askFor(real);
    expect(alSat).not.toBe(alSimulador);
    expect(await waitForEnd(real, alSat)).toMatchObject({ estado: 'TERMINADA', modo: 'live' });
    expect(await libroDe(servicio, real)).toEqual(['cargo -1 tax/facturas', 'cargo -1 tax/descarga-metadata']);

    const otra = await servicio.newKey(prueba);
    expect(await seen(otra, alSat)).toEqual([404, 404, 404, false]);
    expect((await seen(otra, alSimulador)).at(-1)).toBe(true);
  });

  it('a live key does not go on with what a test key keeps up to date: their CFDI never meet in one store', async () => {
    const prueba = await servicio.newCiecCaller();
    const pedido = { rfc: prueba.rfc, desde: UN_DIA.desde };
    await expectOk(prueba.call('sincronizacion/crear', pedido));
    const stores = () =>
      servicio.sql`SELECT almacen_id, api_key_id FROM sincronizacion WHERE contribuyente_id = ${prueba.contribuyenteId} ORDER BY almacen_id`;
    const before = await stores();
    const real = await servicio.newKey(prueba, 'live');
    await guardaCiec(real);
    const { status, body } = await real.call('sincronizacion/crear', pedido);
    expect([status, body.cfdi_codigo, body.cfdi_texto]).toEqual([
      409,
      3006,
      expect.stringMatching(/llave del otro modo/),
    ]);
    expect(await stores()).toEqual(before);
    for (const path of [
      'sincronizacion/cambios',
      'sincronizacion/pausar',
      'sincronizacion/reanudar',
      'riesgo/proveedores',
    ])
      expect([path, (await real.call(path, { rfc: prueba.rfc })).status]).toEqual([path, 404]);
    await expectOk(real.call('sincronizacion/borrar', { rfc: prueba.rfc }));
    await expectOk(real.call('sincronizacion/crear', pedido));
    expect(await stores()).toEqual([...before, { almacen_id: expect.any(Number), api_key_id: expect.any(String) }]);
  });

  it('a test key does not delete what a live key keeps up to date', async () => {
    const real = await servicio.newCiecCaller({ modo: 'live' });
    const { rfc, contribuyenteId } = real;
    await expectOk(real.call('sincronizacion/crear', { rfc, desde: UN_DIA.desde }));
    const prueba = await servicio.newKey(real);
    const { status, body } = await prueba.call('sincronizacion/borrar', { rfc });
    expect([status, body.cfdi_codigo]).toEqual([404, 2002]);
    const kept = await servicio.sql`SELECT s.estado <> 'BORRADA' AND a.borrado_en IS NULL AS kept
    FROM sincronizacion s JOIN almacen a ON a.id = s.almacen_id WHERE s.contribuyente_id = ${contribuyenteId}`;
    expect(kept).toEqual([{ kept: true }]);
  });

  it('a simulator that is down keeps test keys from an answer, and no live key', async () => {
    const [prueba, real] = [await servicio.newCiecCaller(), await servicio.newCiecCaller({ modo: 'live' })];
    const ask = (caller: Caller) => {
      const { rfc } = caller;
      return caller.call('tax/facturas', { rfc, desde: UN_DIA.desde, hasta: UN_DIA.hasta });
    };
    pruebas.pipe.shut();
    try {
      // Until the simulator's host is left alone.
      for (let n = 0; n < 9; n += 1) {
        const answer = await withoutSat(() => ask(prueba));
        expect([answer.status, answer.body.cfdi_codigo]).toEqual([503, 5041]);
      }
      expect((await ask(real)).status).toBe(200);
      const abiertos = await servicio.sql<{ host: string }>`SELECT host FROM estado_host WHERE abierto_hasta > 0`;
      expect(abiertos.map(({ host }) => host)).toEqual(['pruebas:cfdiau.sat.gob.mx']);
      expect(await libroDe(servicio, prueba)).toEqual([]);
    } finally {
      pruebas.pipe.open();
    }
  });

  it('without a simulator every operation refuses a test key with the reason, free of charge', async () => {
    const caller = await servicio.newCiecCaller();
    const { rfc } = caller;
    const real = await servicio.startApi({ SAT_BASE_URL: '', SAT_PRUEBAS_URL: '', CAPTCHA_RESOLVER: 'ninguno' });
    for (const [path, body] of [
      ['tax/informacion-fiscal', { rfc }],
      ['tax/descarga-metadata', { rfc, ...UN_DIA }],
      ['vault/rfc-guardar', { rfc, ciec: ciecOf(rfc) }],
      ['descarga/listar', {}],
    ] as const) {
      const { status, body: answered, headers } = await caller.at(real).call(path, body);
      expect([path, status, answered.cfdi_codigo, headers.get('x-acuse-modo')]).toEqual([path, 403, 1003, 'test']);
      expect(answered.cfdi_texto).toMatch(/SAT_PRUEBAS_URL/);
    }
    expect(await libroDe(servicio, caller)).toEqual([]);
  });

  it('a test solicitud waits for workers that have its simulator', { tags: ['slow'] }, async () => {
    const caller = await servicio.newCiecCaller();
    await worker.stop();
    const id = await askFor(caller);
    const sin = await servicio.startWorker({ SAT_BASE_URL: '', SAT_PRUEBAS_URL: '', CAPTCHA_RESOLVER: 'ninguno' });
    await waitFor(async () => {
      const rows = await servicio.sql`SELECT FROM evento WHERE solicitud_id = ${id} AND codigo = 'SIN_SIMULADOR'`;
      return rows.length > 0 || null;
    });
    await sin.stop();
    expect(await expectOk(caller.call('descarga/verificar', { solicitud_id: id }))).toMatchObject({
      estado: 'EN_PROCESO',
    });
    await servicio.startWorker();
    expect(await waitForEnd(caller, id)).toMatchObject({ estado: 'TERMINADA', modo: 'test' });
  });
});
