import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Acuse, AcuseError, type OpcionesAcuse, type Solicitud } from '@acuse/sdk';
import { guardarPaquete } from '@acuse/sdk/node';
import { afterEach, describe, expect, it } from 'vitest';
import { darFilas, fail, llamadas, movimientosDe, saldoDe, UN_DIA, uuidsDelSat } from '../fixtures/pedidos.ts';
import { startPipe } from '../fixtures/pipe.ts';
import { type Caller, useServicio, waitForEnd } from '../fixtures/servicio.ts';
import { readZip } from '../fixtures/zip.ts';

const UNKNOWN = '01936f5e-7c3a-7b1e-8f00-2a4b6c8d0e1f';
const servicio = useServicio({}, {});
const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});

/** Looks and repeats without waiting for long. */
const PAUSA = {
  primeraMs: 1,
  azar: () => 0,
  esperar: (ms: number) => new Promise<void>((r) => setTimeout(r, ms / 10)),
};
const clientOf = ({ apiKey }: Caller, options: Partial<OpcionesAcuse> = {}) =>
  new Acuse({ url: servicio.api.url, llave: apiKey, pausa: PAUSA, ...options });
const requestOf = ({ rfc }: Caller) => ({ rfc, ...UN_DIA });
const newFolder = () => mkdtemp(join(servicio.dir, 'sdk-'));

describe('a download by the client', () => {
  it('tells its progress, ends with every row in a file whose SHA-256 is right, and costs one credit', async () => {
    const caller = await servicio.newCiecCaller({ saldo: 2 });
    const acuse = clientOf(caller);
    const seen: Solicitud[] = [];
    const { solicitud, paquete } = await acuse.descargarYEsperar(requestOf(caller), {
      alAvanzar: (each) => void seen.push(each),
    });
    const id = solicitud.solicitud_id;
    expect(seen.length).toBeGreaterThan(1);
    expect(seen[0]).toMatchObject({ solicitud_id: id, estado: 'EN_PROCESO', terminada_en: null });
    expect(seen.at(-1)).toEqual(solicitud);
    const uuids = uuidsDelSat(servicio, caller.rfc, UN_DIA);
    expect(solicitud).toMatchObject({ estado: 'TERMINADA', progreso: 1, registros: uuids.length });

    const folder = await newFolder();
    const received: number[] = [];
    const archivo = await guardarPaquete(acuse, id, join(folder, 'enero.zip'), {
      alRecibir: (bytes) => void received.push(bytes),
    });
    const zip = await readFile(archivo.ruta);
    expect(await readdir(folder)).toEqual(['enero.zip']);
    expect(archivo).toEqual({ ruta: join(folder, 'enero.zip'), bytes: zip.length, sha256: paquete.sha256 });
    expect(createHash('sha256').update(zip).digest('hex')).toBe(paquete.sha256);
    expect(received.at(-1)).toBe(zip.length);
    expect((await readZip(zip)).csv.map((row) => row['uuid'])).toEqual(uuids);
    expect([await saldoDe(servicio, caller), await movimientosDe(servicio, id)]).toEqual([1, ['cargo -1']]);
  });

  it('goes on by its id after its process left it, and the same request is not charged again', async () => {
    const caller = await servicio.newCiecCaller({ saldo: 2 });
    const stuck = fail(servicio, caller, { service: 'portalcfdi', operation: 'AbrirConsulta', kind: 'status' });
    const left = new AbortController();
    let id = '';
    const first = clientOf(caller).descargarYEsperar(requestOf(caller), {
      signal: left.signal,
      alAvanzar: (each) => {
        id = each.solicitud_id;
        left.abort(new Error('left'));
      },
    });
    await expect(first).rejects.toThrow('left');

    const again = new AbortController();
    const ids: string[] = [];
    const same = clientOf(caller).descargarYEsperar(requestOf(caller), {
      signal: again.signal,
      alAvanzar: (each) => {
        ids.push(each.solicitud_id);
        again.abort(new Error('left again'));
      },
    });
    await expect(same).rejects.toThrow('left again');
    expect(ids).toEqual([id]);

    servicio.simulador.world.faults.remove(stuck.id);
    const { solicitud } = await clientOf(caller).esperar(id);
    expect(solicitud).toMatchObject({ solicitud_id: id, estado: 'TERMINADA' });
    expect(await saldoDe(servicio, caller)).toBe(1);
  });

  it('is asked for and charged once although the answer that accepts it gets lost', async () => {
    const caller = await servicio.newCiecCaller({ saldo: 2 });
    const pipe = await startPipe(servicio.api.url);
    opened.push(pipe);
    const reply = pipe.catchReply('descarga-metadata').then((held) => held.lose());
    const { data } = await clientOf(caller, { url: pipe.url }).tax.descargaMetadata(requestOf(caller));
    await reply;
    await waitForEnd(caller, data.solicitud_id);
    const rows = await servicio.sql`SELECT id FROM solicitud WHERE contribuyente_id = ${caller.contribuyenteId}`;
    expect(rows).toEqual([{ id: data.solicitud_id }]);
    expect(await saldoDe(servicio, caller)).toBe(1);
  });

  it('asks the SAT once for a query whose answer gets lost, and pays for it once', async () => {
    const caller = await servicio.newCiecCaller({ saldo: 2 });
    const pipe = await startPipe(servicio.api.url);
    opened.push(pipe);
    const caught = pipe.catchReply('tax/facturas');
    const call = clientOf(caller, { url: pipe.url }).tax.facturas({
      rfc: caller.rfc,
      desde: '2025-05-14',
      hasta: '2025-05-14',
    });
    const held = await caught;
    await expect.poll(() => llamadas(servicio, caller, 'Buscar').length).toBeGreaterThan(0);
    held.lose();
    const { data } = await call;
    expect(data.total).toBe(uuidsDelSat(servicio, caller.rfc, UN_DIA).length);
    expect(await saldoDe(servicio, caller)).toBe(1);
  });

  it('that is waited for while the service is away tells so, and goes on when it is back', async () => {
    const caller = await servicio.newCiecCaller({ saldo: 2 });
    const pipe = await startPipe(servicio.api.url);
    opened.push(pipe);
    const acuse = clientOf(caller, { url: pipe.url, reintentos: 0 });
    const { data } = await acuse.tax.descargaMetadata(requestOf(caller));
    pipe.shut();
    const failures: AcuseError[] = [];
    const { solicitud } = await acuse.esperar(data.solicitud_id, {
      alFallar: (error) => {
        failures.push(error);
        if (failures.length === 2) pipe.open();
      },
    });
    expect(solicitud.estado).toBe('TERMINADA');
    expect(failures.map(({ nombre }) => nombre)).toEqual(['SIN_CONEXION', 'SIN_CONEXION']);
  });

  it('that ends without a package throws its name, its code and the reason; so does an id for an unknown thing', async () => {
    const caller = await servicio.newCiecCaller({ saldo: 1 });
    fail(servicio, caller, { service: 'portalcfdi', operation: 'AbrirConsulta', kind: 'status' });
    const acuse = clientOf(caller);
    const cancelled = acuse.descargarYEsperar(requestOf(caller), {
      alAvanzar: ({ solicitud_id, terminada_en }) => {
        if (terminada_en === null) void acuse.descarga.cancelar({ solicitud_id });
      },
    });
    await expect(cancelled).rejects.toMatchObject({ nombre: 'SOLICITUD_SIN_PAQUETE', codigo: 3003, http: 409 });
    await expect(acuse.esperar(UNKNOWN)).rejects.toMatchObject({ nombre: 'SOLICITUD_NO_ENCONTRADA', codigo: 2002 });
    const wrong = new Acuse({ url: servicio.api.url, llave: 'acuse_test_x' });
    await expect(wrong.esperar(UNKNOWN)).rejects.toBeInstanceOf(AcuseError);
    expect(await saldoDe(servicio, caller)).toBe(1);
  });
});

describe('a package', () => {
  /** A finished request of so many rows. */
  async function finished(rows: number) {
    const caller = await servicio.newCiecCaller({ saldo: 2 });
    darFilas(servicio, caller.rfc, UN_DIA, rows);
    const { solicitud, paquete } = await clientOf(caller).descargarYEsperar(requestOf(caller));
    return { caller, id: solicitud.solicitud_id, paquete };
  }

  /** Breaks each answer of the object store after some bytes, or sends everything for a range. */
  function breaking(bytes: number, { ignoresRange = false } = {}) {
    const ranges: (string | null)[] = [];
    const broken: typeof fetch = async (input, init) => {
      if (String(input).startsWith(servicio.api.url)) return fetch(input, init);
      const headers = new Headers(init?.headers);
      ranges.push(headers.get('range'));
      if (ignoresRange) headers.delete('range');
      const response = await fetch(input, { ...init, headers });
      const limit = bytes * (ignoresRange ? ranges.length : 1);
      let passed = 0;
      const cut = new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          const rest = chunk.subarray(0, limit - passed);
          passed += rest.length;
          if (rest.length > 0) controller.enqueue(rest);
          if (passed >= limit && rest.length < chunk.length) controller.error(new Error('the connection broke'));
        },
      });
      return new Response(response.body?.pipeThrough(cut), response);
    };
    return { ranges, fetch: broken };
  }

  it.each([false, true])(
    'goes on where its connection broke, also if a server ignores ranges: %s',
    async (ignoresRange) => {
      const { caller, id, paquete } = await finished(300);
      const { ranges, fetch: broken } = breaking(Math.ceil(paquete.bytes / 3), { ignoresRange });
      const { flujo } = await clientOf(caller, { fetch: broken }).abrirPaquete(id);
      const zip = Buffer.from(await new Response(flujo).arrayBuffer());
      expect(createHash('sha256').update(zip).digest('hex')).toBe(paquete.sha256);
      const third = Math.ceil(paquete.bytes / 3);
      expect(ranges).toEqual([null, `bytes=${third}-`, `bytes=${2 * third}-`]);
    },
  );

  it('that is not what was stored ends with PAQUETE_DANADO, and leaves no file', async () => {
    const { caller, id } = await finished(3);
    await servicio.sql`UPDATE solicitud SET sha256 = ${'0'.repeat(64)} WHERE id = ${id}`;
    const folder = await newFolder();
    const stored = guardarPaquete(clientOf(caller), id, join(folder, 'x.zip'));
    await expect(stored).rejects.toMatchObject({ nombre: 'PAQUETE_DANADO', codigo: null });
    expect(await readdir(folder)).toEqual([]);
  });

  it('takes the place of no file unless it is told to, and an aborted one leaves none', async () => {
    const { caller, id, paquete } = await finished(3);
    const folder = await newFolder();
    const ruta = join(folder, 'x.zip');
    await writeFile(ruta, 'mine');
    await expect(guardarPaquete(clientOf(caller), id, ruta)).rejects.toMatchObject({ code: 'EEXIST' });
    expect(await readFile(ruta, 'utf8')).toBe('mine');
    expect(await guardarPaquete(clientOf(caller), id, ruta, { sobrescribir: true })).toMatchObject({
      bytes: paquete.bytes,
    });
    await rm(ruta);
    const left = new AbortController();
    const aborted = guardarPaquete(clientOf(caller), id, ruta, {
      signal: left.signal,
      alRecibir: () => left.abort(new Error('left')),
    });
    await expect(aborted).rejects.toThrow();
    expect(await readdir(folder)).toEqual([]);
  });
});
