import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type {
  Descarga,
  RespuestaTaxDescargaMetadata,
  RespuestaWebhooksCrear,
  RespuestaWebhooksListar,
} from '@acuse/sdk';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { darFilas, fail, llamadas, movimientosDe, saldoDe, UN_DIA, uuidsDelSat } from '../fixtures/pedidos.ts';
import { type Pipe, startPipe } from '../fixtures/pipe.ts';
import { type Caller, useServicio, waitForEnd } from '../fixtures/servicio.ts';
import { readZip } from '../fixtures/zip.ts';
import { LANGUAGES, type Proceso, resultadoDe, startProceso } from './clientes.ts';

const UNKNOWN = '01936f5e-7c3a-7b1e-8f00-2a4b6c8d0e1f';
/** The storage, as callers reach it. */
let storage: Pipe;
beforeAll(async () => {
  storage = await startPipe(inject('s3').endpoint);
});
afterAll(() => storage?.close());
const servicio = useServicio(() => ({ apiEnv: { S3_PUBLIC_ENDPOINT: storage.url } }), {});
const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});

/** Looks and repeats without waiting for long. */
const QUICK = { scale: 0.1, azar: 0 };
const optionsOf = ({ apiKey }: Caller, url = servicio.api.url, more: object = {}) => ({
  ...QUICK,
  cliente: { url, llave: apiKey, ...more },
});
const requestOf = ({ rfc }: Caller) => ({ rfc, ...UN_DIA });
const newFolder = () => mkdtemp(join(servicio.dir, 'sdk-'));
async function pipeToApi() {
  const pipe = await startPipe(servicio.api.url);
  opened.push(pipe);
  return pipe;
}

describe.each(LANGUAGES)('the client for $nombre', (language) => {
  describe.skipIf(language.falta !== null)(language.falta ?? 'with a service', () => {
    let proceso: Proceso;
    beforeAll(() => {
      proceso = startProceso(language);
    });
    afterAll(() => proceso?.close());

    it('tells the progress of a download and stores every row in a file whose SHA-256 is right, for one credit', async () => {
      const caller = await servicio.newCiecCaller({ saldo: 2 });
      const done = await proceso.call(optionsOf(caller), 'descargarYEsperar', requestOf(caller));
      const { solicitud, paquete } = resultadoDe<Descarga>(done);
      const id = solicitud.solicitud_id;
      const uuids = uuidsDelSat(servicio, caller.rfc, UN_DIA);
      expect(done.avances[0]).toMatchObject({ solicitud_id: id, estado: 'EN_PROCESO', terminada_en: null });
      expect(done.avances.at(-1)).toEqual(solicitud);
      expect(solicitud).toMatchObject({ estado: 'TERMINADA', progreso: 1, registros: uuids.length });

      const folder = await newFolder();
      const ruta = join(folder, 'enero.zip');
      const { resultado } = await proceso.call(optionsOf(caller), 'guardarPaquete', { solicitudId: id, ruta });
      const zip = await readFile(ruta);
      expect(resultado).toEqual({ ruta, bytes: zip.length, sha256: paquete.sha256 });
      expect(createHash('sha256').update(zip).digest('hex')).toBe(paquete.sha256);
      expect(await readdir(folder)).toEqual(['enero.zip']);
      expect((await readZip(zip)).csv.map((row) => row['uuid'])).toEqual(uuids);
      expect([await saldoDe(servicio, caller), await movimientosDe(servicio, id)]).toEqual([1, ['cargo -1']]);
    });

    it('goes on where the storage broke off, and leaves no file of what is not whole', async () => {
      const caller = await servicio.newCiecCaller({ saldo: 2 });
      darFilas(servicio, caller.rfc, UN_DIA, 300);
      const done = await proceso.call(optionsOf(caller), 'descargarYEsperar', requestOf(caller));
      const { solicitud, paquete } = resultadoDe<Descarga>(done);
      const solicitudId = solicitud.solicitud_id;
      const folder = await newFolder();
      const store = (ruta: string, more: object = {}) =>
        proceso.call(optionsOf(caller), 'guardarPaquete', { solicitudId, ruta: join(folder, ruta), ...more });

      storage.cutReply('GET /', Math.ceil(paquete.bytes / 2));
      const { resultado, pausas, recibidos } = await store('x.zip');
      expect([resultado?.['sha256'], pausas.length]).toEqual([paquete.sha256, 1]);
      expect(recibidos[0]?.[0]).toBeLessThan(paquete.bytes);

      await writeFile(join(folder, 'x.zip'), 'mine');
      expect((await store('x.zip')).error?.mensaje).toContain('Ya existe el archivo');
      expect(await readFile(join(folder, 'x.zip'), 'utf8')).toBe('mine');
      expect((await store('x.zip', { sobrescribir: true })).resultado).toMatchObject({ bytes: paquete.bytes });
      await servicio.sql`UPDATE solicitud SET sha256 = ${'0'.repeat(64)} WHERE id = ${solicitudId}`;
      expect((await store('y.zip')).error).toMatchObject({ nombre: 'PAQUETE_DANADO' });
      expect(await readdir(folder)).toEqual(['x.zip']);
    });

    it('goes on by its id after its process was killed, and the same request is not charged again', async () => {
      const caller = await servicio.newCiecCaller({ saldo: 2 });
      const stuck = fail(servicio, caller, { service: 'portalcfdi', operation: 'AbrirConsulta', kind: 'status' });
      const dying = startProceso(language);
      let id = '';
      const left = dying.call(optionsOf(caller), 'descargarYEsperar', requestOf(caller), ({ avances }) => {
        id ||= String(avances[0]?.['solicitud_id'] ?? '');
        if (id !== '') void dying.kill();
      });
      await expect(left).rejects.toThrow('the process ended');

      const { error } = await proceso.call(optionsOf(caller), 'descargarYEsperar', { ...requestOf(caller), limite: 0 });
      expect(error).toMatchObject({ nombre: 'ESPERA_AGOTADA', codigo: null });
      expect(error?.mensaje).toContain(id);
      servicio.simulador.world.faults.remove(stuck.id);
      const { resultado } = await proceso.call(optionsOf(caller), 'esperar', { solicitudId: id });
      expect(resultado).toMatchObject({ solicitud: { solicitud_id: id, estado: 'TERMINADA' } });
      expect(await saldoDe(servicio, caller)).toBe(1);
    });

    it('asks for a download and pays for it once although the answer that accepts it gets lost', async () => {
      const caller = await servicio.newCiecCaller({ saldo: 2 });
      const pipe = await pipeToApi();
      const reply = pipe.catchReply('descarga-metadata').then((held) => held.lose());
      const done = await proceso.call(optionsOf(caller, pipe.url), 'tax.descargaMetadata', requestOf(caller));
      await reply;
      const { solicitud_id: id } = resultadoDe<RespuestaTaxDescargaMetadata>(done).data;
      await waitForEnd(caller, id);
      const rows = await servicio.sql`SELECT id FROM solicitud WHERE contribuyente_id = ${caller.contribuyenteId}`;
      expect(rows).toEqual([{ id }]);
      expect(done.pausas).not.toEqual([]);
      expect(await saldoDe(servicio, caller)).toBe(1);
    });

    it('pays once for a query whose answer gets lost while the SAT was asked', async () => {
      const caller = await servicio.newCiecCaller({ saldo: 2 });
      const pipe = await pipeToApi();
      const caught = pipe.catchReply('tax/facturas');
      const { rfc } = caller;
      const call = proceso.call(optionsOf(caller, pipe.url), 'tax.facturas', {
        rfc,
        desde: UN_DIA.desde,
        hasta: UN_DIA.hasta,
      });
      const held = await caught;
      await expect.poll(() => llamadas(servicio, caller, 'Buscar').length).toBeGreaterThan(0);
      held.lose();
      const { resultado } = await call;
      expect(resultado).toMatchObject({ data: { total: uuidsDelSat(servicio, rfc, UN_DIA).length } });
      expect(await saldoDe(servicio, caller)).toBe(1);
    });

    it('goes through a list page by page, each element once and for one credit, where the answer of a page gets lost', async () => {
      const caller = await servicio.newCiecCaller({ saldo: 2 });
      const { rfc } = caller;
      darFilas(servicio, rfc, UN_DIA, 7);
      const pipe = await pipeToApi();
      const lose = () => void pipe.catchReply('tax/facturas').then((held) => held.lose());
      lose();
      const done = await proceso.call(
        optionsOf(caller, pipe.url),
        'elementos',
        {
          operacion: language.nombreDe('tax.facturas'),
          peticion: { rfc, desde: UN_DIA.desde, hasta: UN_DIA.hasta, limite: 3 },
        },
        // After the first page: the next lost answer belongs to a free call.
        ({ elementos }) => elementos.length === 1 && lose(),
      );
      const uuids = done.elementos.map(({ uuid }) => uuid);
      expect(uuids.toSorted()).toEqual(uuidsDelSat(servicio, rfc, UN_DIA).toSorted());
      expect(done.pausas.length).toBeGreaterThan(0);
      expect(await saldoDe(servicio, caller)).toBe(1);
    });

    it('makes one webhook when the answer to its making is lost, and gives its secret all the same', async () => {
      const caller = await servicio.newCaller();
      const pipe = await pipeToApi();
      const reply = pipe.catchReply('webhooks/crear').then((held) => held.lose());
      const webhook = { rfc: caller.rfc, url: 'https://erp.example/acuse', eventos: ['saldo.bajo'] };
      const made = resultadoDe<RespuestaWebhooksCrear>(
        await proceso.call(optionsOf(caller, pipe.url), 'webhooks.crear', webhook),
      );
      await reply;
      expect(made.data.secreto).toMatch(/^whsec_/);
      const listed = await proceso.call(optionsOf(caller), 'webhooks.listar', { rfc: caller.rfc });
      const { items } = resultadoDe<RespuestaWebhooksListar>(listed).data;
      expect(items.map(({ webhook_id }) => webhook_id)).toEqual([made.data.webhook_id]);
    });

    it('tells that the service is away while it waits, and goes on when it is back', async () => {
      const caller = await servicio.newCiecCaller({ saldo: 2 });
      const pipe = await pipeToApi();
      const options = optionsOf(caller, pipe.url, { reintentos: 0 });
      const asked = await proceso.call(options, 'tax.descargaMetadata', requestOf(caller));
      const { solicitud_id: solicitudId } = resultadoDe<RespuestaTaxDescargaMetadata>(asked).data;
      pipe.shut();
      const done = await proceso.call(options, 'esperar', { solicitudId }, ({ fallos }) => {
        if (fallos.length === 2) pipe.open();
      });
      expect(done.resultado).toMatchObject({ solicitud: { estado: 'TERMINADA' } });
      expect(new Set(done.fallos)).toEqual(new Set(['SIN_CONEXION']));
    });

    it('tells the name and code of a download that ends without a package, of an id for an unknown thing, of a wrong key', async () => {
      const caller = await servicio.newCiecCaller({ saldo: 1 });
      fail(servicio, caller, { service: 'portalcfdi', operation: 'AbrirConsulta', kind: 'status' });
      const cancelled = await proceso.call(
        ...([optionsOf(caller), 'descargarYEsperar', requestOf(caller)] as const),
        ({ avances: [first, ...more] }) => {
          if (first && more.length === 0)
            void caller.call('descarga/cancelar', { solicitud_id: first['solicitud_id'] });
        },
      );
      expect(cancelled.error).toMatchObject({ nombre: 'SOLICITUD_SIN_PAQUETE', codigo: 3003, http: 409 });
      const unknown = await proceso.call(optionsOf(caller), 'esperar', { solicitudId: UNKNOWN });
      expect(unknown.error).toMatchObject({ nombre: 'SOLICITUD_NO_ENCONTRADA', codigo: 2002 });
      const wrong = await proceso.call(optionsOf({ ...caller, apiKey: 'acuse_test_x' }), 'esperar', {
        solicitudId: UNKNOWN,
      });
      expect(wrong.error).toMatchObject({ clase: 'AcuseError', http: 401 });
      expect(await saldoDe(servicio, caller)).toBe(1);
    });
  });
});
