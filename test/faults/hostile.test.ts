import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Caller, type Servicio, startServicio, waitFor } from '../integration/fixtures/servicio.ts';
import { sizeOf } from './sizes.ts';

const MIB = 1_048_576;
const HEAD = 'POST /api/v1/descarga/verificar HTTP/1.1\r\nHost: acuse.example\r\n';

let servicio: Servicio;
let caller: Caller;
let api: Awaited<ReturnType<Servicio['startApiProcess']>>;
beforeAll(async () => {
  servicio = await startServicio();
  caller = await servicio.newCiecCaller();
  api = await servicio.startApiProcess();
});
afterAll(() => servicio.close());

/** A hostile connection; `closed` once the server has ended it. */
function open(bytes: string | Buffer) {
  const of = { answer: '', closed: false, sent: 0 };
  const socket: Socket = connect(Number(new URL(api.url).port), '127.0.0.1', () => socket.write(bytes));
  socket.on('data', (chunk) => {
    of.answer += chunk.toString('latin1');
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    of.closed = true;
  });
  return { socket, of };
}

it('slow, endless and swollen requests: everybody else is answered meanwhile, and memory stays as it was', async () => {
  const took: number[] = [];
  const ask = async () => {
    const from = performance.now();
    const { status } = await caller.at(api).call('vault/firma-estado', { rfc: caller.rfc });
    took.push(performance.now() - from);
    return status;
  };
  for (let n = 0; n < 500; n += 1) expect(await ask()).toBe(200);
  took.length = 0;
  const before = (await api.residentBytes()) ?? 0;

  const slow = Array.from({ length: sizeOf('slow sockets') }, () => open(HEAD));
  const many = open(`${HEAD}${Array.from({ length: 10_000 }, (_, n) => `X-${n}: ${n}\r\n`).join('')}\r\n`);
  const bomb = gzipSync(Buffer.alloc(64 * MIB, 32), { level: 9 });
  const auth = `Authorization: Bearer ${caller.apiKey}\r\nUser-Agent: prueba/1\r\nContent-Type: application/json\r\n`;
  const swollen = open(
    Buffer.concat([
      Buffer.from(`${HEAD}${auth}Content-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`),
      bomb,
    ]),
  );
  const endless = open(`${HEAD}${auth}Content-Length: ${1_024 * MIB}\r\n\r\n`);
  const chunk = Buffer.alloc(MIB, 32);
  const send = () => {
    while (endless.socket.writable && endless.of.sent < 1_024 * MIB) {
      endless.of.sent += chunk.length;
      if (!endless.socket.write(chunk)) return;
    }
  };
  endless.socket.on('drain', send).on('connect', send);

  for (const { socket } of slow) socket.write('X-Slow: ');
  let most = 0;
  const statuses = new Set<number>();
  for (let n = 0; n < 500; n += 1) {
    for (const { socket, of } of slow) if (!of.closed && n % 50 === 0) socket.write('x');
    statuses.add(await ask());
    most = Math.max(most, (await api.residentBytes()) ?? 0);
  }
  for (const { of } of [many, swollen, endless]) await waitFor(async () => of.closed || of.answer !== '' || null);
  took.sort((one, other) => one - other);
  console.log(
    `beside ${slow.length} slow sockets: ${took[Math.floor(took.length * 0.99)]?.toFixed(1)} ms 99 %, ` +
      `${((most - before) / MIB).toFixed(1)} MiB more, ${endless.of.sent / MIB} MiB of a body sent`,
  );
  expect([...statuses]).toEqual([200]);
  expect([many, swollen, endless].map(({ of }) => /^HTTP\/1\.1 4\d\d/.test(of.answer))).toEqual([true, true, true]);
  expect(most - before).toBeLessThan(50 * MIB);
  for (const { socket } of [...slow, many, swollen, endless]) socket.destroy();
  expect(await ask()).toBe(200);
});
