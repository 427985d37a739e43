import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Entry, openPromise } from 'yauzl';
import { type RunningSimulador, startSimulador } from '../start.ts';
import { createSignedClient, type SignedClient } from '../testing/signed-client.ts';
import { issue, requestEmitidos } from '../testing/start-with-efirma.ts';
import { parseWallTime } from '../world/wall-time.ts';

const RFC = 'EKU9003173C9';
const ROWS = 1_000_000;
const MEGABYTE = 1024 * 1024;

let simulador: RunningSimulador;
let client: SignedClient;
let token: string;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'simulador-'));
  simulador = await startSimulador({ settings: { filas_por_paquete: ROWS, verificaciones_hasta_terminar: 1 } });
  client = createSignedClient({ url: simulador.url, ...(await issue(simulador, { rfc: RFC })) });
  const desde = parseWallTime('2026-05-01') ?? 0;
  const hasta = parseWallTime('2026-05-31') ?? 0;
  simulador.world.taxpayers.change(RFC, {
    basura: true,
    filas: [{ documento: 'cfdi', tipo: 'emitidos', desde, hasta, cantidad: ROWS }],
  });
});
beforeEach(async () => {
  token = (await client.authenticate()).token;
});
afterAll(async () => {
  await simulador.close();
  await rm(folder, { recursive: true });
});

describe('a package of a million rows', { tags: ['slow'] }, () => {
  it('streams in flat memory, over 10 MB of base64, and is a whole ZIP with every row', async () => {
    const { IdSolicitud: id = '' } = await requestEmitidos(client, token, RFC);
    await client.send('VerificaSolicitudDescarga', { IdSolicitud: id, RfcSolicitante: RFC }, { token });
    const file = join(folder, 'paquete.zip');

    const before = process.memoryUsage.rss();
    let most = 0;
    const body = await openDownload(`${id}_01`);
    await pipeline(
      body,
      decodePackage(() => {
        most = Math.max(most, process.memoryUsage.rss() - before);
      }),
      createWriteStream(file),
    );
    expect(most).toBeLessThan(200 * MEGABYTE);
    expect((await stat(file)).size * (4 / 3)).toBeGreaterThan(10 * MEGABYTE);

    const lines: Record<string, number> = {};
    const zip = await openPromise(file, { lazyEntries: true });
    for await (const entry of zip.eachEntry() as AsyncIterable<Entry>) {
      lines[entry.fileName] = 0;
      for await (const chunk of await zip.openReadStreamPromise(entry)) {
        lines[entry.fileName] = (lines[entry.fileName] ?? 0) + countCr(chunk as Buffer);
      }
    }
    expect(lines[`${id}_01.txt`]).toBe(ROWS + 1);
    expect(lines[`${id}_01_tercero.txt`]).toBeGreaterThan(ROWS / 50);
    expect(Object.keys(lines)).toEqual(expect.arrayContaining([`__MACOSX/._${id}_01.txt`, 'vacio.txt', 'other.txt']));
  });

  it('stops being made when the client goes away, and can be asked for again', async () => {
    const { IdSolicitud: id = '' } = await requestEmitidos(client, token, RFC, { FechaInicial: '2026-05-01T00:00:01' });
    await client.send('VerificaSolicitudDescarga', { IdSolicitud: id, RfcSolicitante: RFC }, { token });
    const { taxpayers } = simulador.world;
    const original = taxpayers.rows;
    const stopped = new Promise<void>((resolve) => {
      taxpayers.rows = function* (...asked) {
        try {
          yield* original(...asked);
        } finally {
          resolve();
        }
      };
    });
    const reader = (await openDownload(`${id}_01`)).getReader();
    let read = 0;
    while (read < MEGABYTE) read += (await reader.read()).value?.length ?? 0;
    await reader.cancel();
    await stopped;
    taxpayers.rows = original;
    expect((await (await openDownload(`${id}_01`)).getReader().read()).value?.length).toBeGreaterThan(0);
  });
});

/** The third party's signed message, but with the answer's body as a stream. */
async function openDownload(paquete: string): Promise<ReadableStream<Uint8Array>> {
  let signed = '';
  const capture = (message: string) => {
    signed = message;
    return '<nothing/>';
  };
  await client.send('Descargar', { IdPaquete: paquete, RfcSolicitante: RFC }, { token, tamper: capture });
  const response = await fetch(`${simulador.url}/cfdidescargamasiva/DescargaMasivaService.svc`, {
    method: 'POST',
    headers: {
      SOAPAction: 'http://DescargaMasivaTerceros.sat.gob.mx/IDescargaMasivaTercerosService/Descargar',
      Authorization: `WRAP access_token="${token}"`,
    },
    body: signed,
  });
  if (!response.body) throw new Error('no body');
  return response.body as ReadableStream<Uint8Array>;
}

/** Takes the base64 out of the envelope, which holds nothing else of that alphabet between `<Paquete>` and `<`. */
function decodePackage(onChunk: () => void): Transform {
  let held = '';
  let isInside = false;
  let isOver = false;
  return new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      onChunk();
      if (isOver) return done();
      held += Buffer.from(chunk).toString('latin1');
      const start = held.indexOf('<Paquete>');
      if (!isInside && start >= 0) {
        isInside = true;
        held = held.slice(start + '<Paquete>'.length);
      }
      if (!isInside) return done();
      const end = held.indexOf('<');
      isOver = end >= 0;
      const usable = isOver ? end : held.length - (held.length % 4);
      const bytes = Buffer.from(held.slice(0, usable), 'base64');
      held = held.slice(usable);
      done(null, bytes);
    },
  });
}

function countCr(chunk: Buffer): number {
  let count = 0;
  for (const byte of chunk) if (byte === 13) count += 1;
  return count;
}
