import { createHash, randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it } from 'vitest';
import { descargaResponse } from '../../testing/respuestas-soap.ts';
import { drained } from '../../testing/servidor.ts';
import { type SoapRig, startSoapRig } from '../../testing/soap-rig.ts';

const MIB = 1 << 20;
const { before, after } = descargaResponse({ CodEstatus: '5000', Mensaje: 'Solicitud Aceptada' });
const descargar = {
  consulta: 'descargar-paquete',
  rfc: 'EKU9003173C9',
  tipo: 'recibidos',
  periodo: { inicio: '2026-01-01T00:00:00', fin: '2026-01-31T23:59:59' },
  folio: '4e80345d-917f-40bb-a98f-4a73939343c5',
  paquete: '4e80345d-917f-40bb-a98f-4a73939343c5_01',
} as const;

let rig: SoapRig;
afterEach(() => rig.close());

async function open(): Promise<Readable> {
  const { signal } = new AbortController();
  const respuesta = await rig.sat.send(descargar, rig.credencial, { signal });
  if (respuesta.resultado !== 'PAQUETE') throw new Error(respuesta.resultado);
  return respuesta.zip;
}

/** Sends `pieces` times the same base64, never faster than it is taken. Tells how much has left. */
function serve(piece: string, pieces: number): { sent: () => number } {
  let sent = 0;
  rig.on('Descargar', async (response) => {
    response.write(before);
    for (let i = 0; i < pieces && !response.destroyed; i += 1) {
      sent += piece.length;
      if (!response.write(piece, 'latin1')) await drained(response);
    }
    response.end(after);
  });
  return { sent: () => sent };
}

describe('a large package', { timeout: 180_000 }, () => {
  const raw = randomBytes(3 * 64 * 1024);
  const piece = raw.toString('base64');

  it('of 200 MB of base64 takes less than 64 MB of memory more than before', { tags: ['slow'] }, async () => {
    rig = await startSoapRig();
    serve(piece, 8);
    await readAll(await open());
    setFlagsFromString('--expose-gc');
    const gc: () => void = runInNewContext('gc');
    gc();
    const start = process.memoryUsage();
    let [peak, bytes] = [0, 0];
    const hash = createHash('sha256');
    serve(piece, 800);
    for await (const chunk of (await open()) as AsyncIterable<Buffer>) {
      hash.update(chunk);
      bytes += chunk.length;
      const { rss } = process.memoryUsage();
      peak = Math.max(peak, rss - start.rss);
    }
    const expected = createHash('sha256');
    for (let i = 0; i < 800; i += 1) expected.update(raw);
    expect(bytes).toBe(800 * raw.length);
    expect(hash.digest('hex')).toBe(expected.digest('hex'));
    expect(peak / MIB).toBeLessThan(64);
  });

  it('is not read faster than it is taken', async () => {
    rig = await startSoapRig();
    const { sent } = serve(piece, 400);
    const zip = await open();
    // The server stalls once every buffer on the way is full; it then waits for us and not for a clock.
    let last = -1;
    while (last !== sent()) {
      last = sent();
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    expect(last).toBeLessThan(40 * MIB);
    expect(await readAll(zip)).toBe(400 * raw.length);
  });

  it('past the limit errors the stream', async () => {
    rig = await startSoapRig({ soap: { maxPackageBytes: 5 * MIB } });
    const { sent } = serve(piece, 800);
    await expect(readAll(await open())).rejects.toMatchObject({
      name: 'SatError',
      motivo: 'RESPUESTA_ILEGIBLE',
    });
    expect(sent()).toBeLessThan(100 * MIB);
  });
});

async function readAll(zip: Readable): Promise<number> {
  let bytes = 0;
  for await (const chunk of zip as AsyncIterable<Buffer>) bytes += chunk.length;
  return bytes;
}
