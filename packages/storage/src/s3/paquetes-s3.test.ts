import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { useS3 } from '../../testing/s3-fixture.ts';
import { satRow, satText } from '../../testing/sat-rows.ts';
import { zipBytes } from '../../testing/zip-bytes.ts';
import { paqueteKey } from '../index.ts';
import { TAIL_BYTES } from './tails.ts';

const UUID = '45C5C344-DA01-497A-9271-5AA3852EE6AE';
const MIB = 1_048_576;
const never = new AbortController().signal;
const origen = { solicitudId: 's1', parteId: 'p1', paquete: 'a' };
const s3 = useS3();

describe('an assembly', { timeout: 120_000 }, () => {
  // Names that do not compress, so that the ZIP has several parts.
  const rows = Array.from({ length: 9_000 }, (_, index) =>
    satRow(index, { nombreEmisor: randomBytes(300).toString('hex'), nombreReceptor: randomBytes(300).toString('hex') }),
  );
  const sat = zipBytes([{ name: `${UUID}_01.txt`, content: satText(rows) }]);
  const planOf = (solicitudId: string, objectKey: string) => ({
    solicitudId,
    rfc: 'EKU9003173C9',
    tipo: 'emitidos' as const,
    desde: '2024-01-01',
    hasta: '2024-01-31',
    formato: 'csv' as const,
    partes: [
      {
        canal: 'soap' as const,
        folio: 'f',
        periodo: { inicio: '2024-01-01T00:00:00', fin: '2024-01-31T23:59:59' },
        recortar: false,
        confirmada: false,
        paquetes: [{ objectKey, paquete: 'a' }],
      },
    ],
  });

  test('whose signal is raised half way leaves nothing', async () => {
    const paquetes = s3.open({ partBytes: 5 * MIB });
    const { objectKey } = await paquetes.saveSat({ ...origen, solicitudId: 's2' }, Readable.from([sat]), never);
    const controller = new AbortController();
    const reason = new Error('shutdown_begun');
    s3.server.intercept = (req) => {
      if (/paquete\.zip.*partNumber=1/.test(req.url ?? '')) controller.abort(reason);
      return false;
    };
    await expect(paquetes.assemble(planOf('s2', objectKey), controller.signal)).rejects.toBe(reason);
    expect(await s3.server.openUploads()).toBe(0);
    expect((await s3.fetchObject(paquetes, paqueteKey('s2'))).status).toBe(404);
  });

  test('whose upload is refused fails with that error and leaves nothing', async () => {
    const paquetes = s3.open({ partBytes: 5 * MIB });
    const { objectKey } = await paquetes.saveSat({ ...origen, solicitudId: 's3' }, Readable.from([sat]), never);
    s3.server.intercept = (req, res) => {
      if (!/paquete\.zip.*partNumber=2/.test(req.url ?? '')) return false;
      req.resume();
      res.writeHead(403, { connection: 'close' }).end('<Error><Code>AccessDenied</Code></Error>');
      return true;
    };
    await expect(paquetes.assemble(planOf('s3', objectKey), never)).rejects.toMatchObject({ name: 'AccessDenied' });
    expect(await s3.server.openUploads()).toBe(0);
    expect((await s3.fetchObject(paquetes, paqueteKey('s3'))).status).toBe(404);
  });

  test('goes on where a connection that gave half of a package was cut', async () => {
    const paquetes = s3.open();
    const { objectKey } = await paquetes.saveSat({ ...origen, solicitudId: 's4' }, Readable.from([sat]), never);
    let cuts = 0;
    s3.server.intercept = (req, res) => {
      const range = /^bytes=(\d+)-(\d+)$/.exec(String(req.headers.range));
      const [start, end] = [Number(range?.[1]), Number(range?.[2])];
      if (req.method !== 'GET' || range === null || end - start < MIB || cuts === 3) return false;
      cuts++;
      res.writeHead(206, { 'content-length': end - start + 1 });
      res.write(sat.subarray(start, start + 300_000), () => res.destroy());
      return true;
    };
    const { registros } = await paquetes.assemble(planOf('s4', objectKey), never);
    expect([cuts, registros]).toEqual([3, rows.length]);
  });

  test('gives up when the storage keeps cutting connections without a byte', async () => {
    const paquetes = s3.open();
    const { objectKey } = await paquetes.saveSat({ ...origen, solicitudId: 's5' }, Readable.from([sat]), never);
    let cuts = 0;
    s3.server.intercept = (req, res) => {
      const range = /^bytes=(\d+)-(\d+)$/.exec(String(req.headers.range));
      if (req.method !== 'GET' || range === null || Number(range[2]) - Number(range[1]) < MIB) return false;
      cuts++;
      res.writeHead(206, { 'content-length': 1000 }).flushHeaders();
      res.destroy();
      return true;
    };
    await expect(paquetes.assemble(planOf('s5', objectKey), never)).rejects.toThrow();
    expect(cuts).toBeGreaterThanOrEqual(3);
    expect((await s3.fetchObject(paquetes, paqueteKey('s5'))).status).toBe(404);
  });

  test('reads the version of a package that it opened and no other', async () => {
    const paquetes = s3.open();
    const { objectKey } = await paquetes.saveSat({ ...origen, solicitudId: 's6' }, Readable.from([sat]), never);
    const conditions = new Set<string>();
    s3.server.intercept = (req) => {
      const { range, 'if-match': version } = req.headers;
      const isTail = range === `bytes=-${TAIL_BYTES}`;
      if (req.method === 'GET' && !isTail && !/paquete\.zip/.test(req.url ?? '')) conditions.add(String(version));
      return false;
    };
    await paquetes.assemble(planOf('s6', objectKey), never);
    expect([...conditions]).toEqual([expect.stringMatching(/^"[0-9a-f-]+"$/)]);
  });

  test('of a small package makes five requests, with the storing before and the deletion after', async () => {
    const paquetes = s3.open();
    // The first write of a process looks for the bucket.
    await paquetes.saveDocumento('documentos/d', Buffer.from('d'), never);
    s3.server.requests.length = 0;
    const small = { ...origen, solicitudId: 's8' };
    const little = zipBytes([{ name: `${UUID}_01.txt`, content: satText(rows.slice(0, 2)) }]);
    expect(await paquetes.findSat(small, never)).toBeNull();
    const { objectKey } = await paquetes.saveSat(small, Readable.from([little]), never);
    await paquetes.assemble(planOf('s8', objectKey), never);
    await paquetes.remove('s8', [objectKey]);
    expect(s3.server.requests.map((line) => line.split(' ')[0])).toEqual(['GET', 'PUT', 'PUT', 'GET', 'DELETE']);
    expect(await paquetes.findSat(small, never)).toBeNull();
  });

  test.each([
    ['256 KiB or less is read from memory', 0, 0, true],
    ['more is read from the storage', 262_144, 1, true],
    ['any size is read from the storage where none is held', 0, 1, false],
  ])('a package of %s; whether it is still there is asked of the storage', async (_, more, gets, holdsPackages) => {
    const paquetes = s3.open({ holdsPackages });
    const own = { ...origen, solicitudId: `held-${more}-${holdsPackages}` };
    const text = { name: `${UUID}_01.txt`, content: satText(rows.slice(0, 2)) };
    const zip = zipBytes([text, { name: 'x', content: randomBytes(more) }]);
    const saved = await paquetes.saveSat(own, Readable.from([zip]), never);
    s3.server.requests.length = 0;
    const plan = planOf(own.solicitudId, saved.objectKey);
    expect(await paquetes.assemble(plan, never)).toMatchObject({ registros: 2 });
    expect(s3.count(/^GET .*\/a\.zip/)).toBe(gets);
    expect(await paquetes.findSat(own, never)).toEqual(saved);
    await s3.open().remove(own.solicitudId, [saved.objectKey]);
    expect(await paquetes.findSat(own, never)).toBeNull();
  });

  test('asks the SAT for nothing that a missing bucket could not take', async () => {
    const missing = { bucket: 'no-such-bucket' };
    const closed = s3.open({ ...missing, createBucket: false });
    await expect(closed.findSat(origen, never)).rejects.toMatchObject({ name: 'NoSuchBucket' });
    expect(await s3.open({ ...missing, createBucket: true }).findSat(origen, never)).toBeNull();
  });

  test('fails when the stored ZIP is not the one that was written', async () => {
    const paquetes = s3.open();
    const { objectKey } = await paquetes.saveSat({ ...origen, solicitudId: 's7' }, Readable.from([sat]), never);
    const other = zipBytes([{ name: 'x', content: 'x' }]);
    s3.server.intercept = (req, res) => {
      if (!/paquete\.zip/.test(req.url ?? '') || (req.method !== 'HEAD' && req.method !== 'GET')) return false;
      res.writeHead(req.method === 'HEAD' ? 200 : 206, { 'content-length': other.length, etag: '"x"' });
      res.end(req.method === 'HEAD' ? undefined : other);
      return true;
    };
    await expect(paquetes.assemble(planOf('s7', objectKey), never)).rejects.toMatchObject({ name: 'ZipNoCoincide' });
  });
});
