import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { useS3 } from '../../testing/s3-fixture.ts';

const MIB = 1_048_576;
const never = new AbortController().signal;
const origen = { solicitudId: 's1', parteId: 'p1', paquete: 'a' };
const s3 = useS3();

/** Chunks of the content, and after each one a turn of the event loop, as a connection gives them. */
async function* slowly(content: Buffer, chunkBytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.length; at += chunkBytes) {
    yield content.subarray(at, at + chunkBytes);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('a multipart upload', { timeout: 120_000 }, () => {
  test('of more than 20 MB arrives whole', async () => {
    const paquetes = s3.open({ partBytes: 5 * MIB });
    const content = randomBytes(23 * MIB + 17);
    const saved = await paquetes.saveSat(origen, Readable.from(slowly(content, 100_000)), never);
    expect(saved.bytes).toBe(content.length);
    expect(s3.count(/^PUT .*partNumber=/)).toBe(5);
    const got = Buffer.from(await (await s3.fetchObject(paquetes, saved.objectKey)).arrayBuffer());
    expect(got.equals(content)).toBe(true);
    expect(await s3.server.openUploads()).toBe(0);
    expect(await paquetes.findSat(origen, never)).toEqual(saved);
  });

  test('whose source breaks off is given up: no object, no parts', async () => {
    const paquetes = s3.open({ partBytes: 5 * MIB });
    const cut = new Error('cut');
    const source = Readable.from(
      (async function* () {
        yield* slowly(randomBytes(12 * MIB), 100_000);
        throw cut;
      })(),
    );
    await expect(paquetes.saveSat({ ...origen, paquete: 'cut' }, source, never)).rejects.toBe(cut);
    expect(s3.count(/^POST .*uploads/)).toBe(1);
    expect(s3.count(/^DELETE .*uploadId/)).toBe(1);
    expect(await s3.server.openUploads()).toBe(0);
    expect(await paquetes.findSat({ ...origen, paquete: 'cut' }, never)).toBeNull();
  });

  test('whose source is destroyed without an error is given up too', async () => {
    const paquetes = s3.open({ partBytes: 5 * MIB });
    const source = new Readable({ read() {} });
    source.push(randomBytes(6 * MIB));
    const saving = paquetes.saveSat({ ...origen, paquete: 'closed' }, source, never);
    s3.server.intercept = (req) => {
      if (/partNumber=1/.test(req.url ?? '')) source.destroy();
      return false;
    };
    await expect(saving).rejects.toMatchObject({ code: 'ERR_STREAM_PREMATURE_CLOSE' });
    expect(await s3.server.openUploads()).toBe(0);
    expect(await paquetes.findSat({ ...origen, paquete: 'closed' }, never)).toBeNull();
  });

  test('whose signal is raised while a part is on its way ends at once and is given up', async () => {
    const paquetes = s3.open({ partBytes: 5 * MIB });
    const controller = new AbortController();
    const reason = new Error('lost the lease');
    // This part never gets an answer: only the signal can end it.
    s3.server.intercept = (req) => {
      if (!/partNumber=1/.test(req.url ?? '')) return false;
      controller.abort(reason);
      return true;
    };
    const source = Readable.from(slowly(randomBytes(12 * MIB), 100_000));
    await expect(paquetes.saveSat({ ...origen, paquete: 'late' }, source, controller.signal)).rejects.toBe(reason);
    expect(await s3.server.openUploads()).toBe(0);
    expect(await paquetes.findSat({ ...origen, paquete: 'late' }, never)).toBeNull();
  });

  test('that the storage refuses fails with the storage’s error even when it cannot be given up', async () => {
    const paquetes = s3.open({ partBytes: 5 * MIB });
    s3.server.intercept = (req, res) => {
      const isPart = /partNumber=/.test(req.url ?? '');
      const isAbort = req.method === 'DELETE';
      if (!isPart && !isAbort) return false;
      req.resume();
      res.writeHead(isPart ? 403 : 405, { connection: 'close' });
      res.end(`<Error><Code>${isPart ? 'AccessDenied' : 'MethodNotAllowed'}</Code></Error>`);
      return true;
    };
    const source = Readable.from(slowly(randomBytes(12 * MIB), 100_000));
    await expect(paquetes.saveSat({ ...origen, paquete: 'no' }, source, never)).rejects.toMatchObject({
      name: 'AccessDenied',
    });
    expect(source.destroyed).toBe(true);
  });

  test('of more than the limit is given up', async () => {
    const paquetes = s3.open({ partBytes: 5 * MIB, limits: { maxPackageBytes: 11 * MIB } });
    const source = Readable.from(slowly(randomBytes(12 * MIB), 100_000));
    await expect(paquetes.saveSat({ ...origen, paquete: 'big' }, source, never)).rejects.toMatchObject({
      name: 'PaqueteSatInvalido',
      motivo: 'DEMASIADO_GRANDE',
    });
    expect(await s3.server.openUploads('solicitudes/s1/sat/p1/big.zip')).toBe(0);
    expect(await paquetes.findSat({ ...origen, paquete: 'big' }, never)).toBeNull();
  });
});
