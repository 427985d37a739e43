import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FILL_FREED } from '@acuse/embedded';
import { expect, it, onTestFinished } from 'vitest';
import { type Needle, openSearch } from '../../faults/needles.ts';

const NUMBER = 100;

/**
 * Encodes and decodes so many CIEC, whose letters follow from their number so that no text has them; the garbage
 * collector moves what it keeps of them; then wipes them, all but the last.
 */
const HOLDER = `
const [, module, number] = process.argv;
const { decodeCredencial, encodeCredencial } = await import(module);
const of = { tipo: 'ciec', rfc: 'ACU200101DB1' };
const held = [];
for (let n = 0; n < number; n += 1) {
  const ciec = Buffer.from(new ArrayBuffer(16));
  for (let at = 0; at < 16; at += 1) ciec[at] = 90 - at + (at < 8 ? 0 : 32 * ((n >> (at - 8)) & 1));
  const plaintext = encodeCredencial({ ...of, ciec });
  globalThis.gc({ type: 'minor' });
  held.push(decodeCredencial(plaintext, of));
  ciec.fill(0);
}
for (let n = 0; n < 3; n += 1) globalThis.gc({ type: 'minor' });
for (const { ciec } of held.slice(0, -1)) ciec.fill(0);
globalThis.kept = held;
console.log('ready');
setInterval(() => {}, 1_000);`;

/** A letter for each place, the last eight small where the number has that bit. */
const ciecOf = (n: number) =>
  String.fromCharCode(...Array.from({ length: 16 }, (_, at) => 90 - at + (at < 8 ? 0 : 32 * ((n >> (at - 8)) & 1))));

/**
 * Opens each private key of a file (PKCS #8, the length of each before it) in a heap with holes and wipes it; keeps
 * what follows the last one.
 */
const OPENER = `
const { createPrivateKey, sign } = await import('node:crypto');
const { readFile } = await import('node:fs/promises');
const file = await readFile(process.argv[1]);
const held = [];
let at = 0;
for (let length = file.readUInt32BE(at); length > 0; length = file.readUInt32BE(at)) {
  const blocks = Array.from({ length: 400 }, (_, n) => new ArrayBuffer(500 + ((n * 997) % 3_500)));
  held.push(blocks.filter((_, n) => n % 2));
  blocks.length = 0;
  globalThis.gc();
  const der = file.subarray(at + 4, at + 4 + length);
  sign('sha256', Buffer.from('text'), createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
  der.fill(0);
  // Blocks that OpenSSL freed just now, as it left them.
  held.push(Array.from({ length: 12 }, (_, n) => Buffer.allocUnsafeSlow(1_200 + 40 * n)));
  at += 4 + length;
}
globalThis.kept = [held, file];
console.log('ready');
setInterval(() => {}, 1_000);`;

/** What of the needles is in the memory of a program of Node, once it has printed a line. */
async function foundIn(args: readonly string[], needles: readonly Needle[], env = {}): Promise<string[]> {
  const child = spawn(process.execPath, ['--expose-gc', '--input-type=module', ...args], {
    cwd: fileURLToPath(new URL('../../..', import.meta.url)),
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const search = await openSearch(needles);
  try {
    await once(child.stdout, 'data');
    const found = await search.inProcess(child.pid ?? 0, 'it');
    return [...new Set(found.map((one) => one.split(',')[0] ?? ''))];
  } finally {
    child.kill();
    await search.close();
  }
}

/** A private key as an e.firma has it: PKCS #8, DER. */
const newKey = () =>
  generateKeyPairSync('rsa', {
    modulusLength: 2_048,
    privateKeyEncoding: { format: 'der', type: 'pkcs8' },
    publicKeyEncoding: { format: 'der', type: 'spki' },
  }).privateKey;
const lengthOf = (length: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(length);
  return bytes;
};

const { header } = process.report.getReport() as unknown as { header: { glibcVersionRuntime?: string } };
it.runIf(header.glibcVersionRuntime !== undefined)(
  'a private key that was opened and wiped is nowhere in memory, not where OpenSSL had it either',
  async () => {
    const dir = await mkdtemp(join(tmpdir(), 'acuse-llaves-'));
    onTestFinished(() => rm(dir, { recursive: true }));
    const path = join(dir, 'keys');
    const keys = Array.from({ length: 10 }, newKey);
    const last = newKey();
    const framed = keys.flatMap((key) => [lengthOf(key.length), key]);
    await writeFile(path, Buffer.concat([...framed, lengthOf(0), last]));
    const forms = (key: Buffer) =>
      Array.from({ length: 16 }, (_, n) => key.subarray(400 + 45 * n, 433 + 45 * n).toString('latin1'));
    const found = await foundIn(
      ['-e', OPENER, path],
      [...keys, last].map((key, n) => ({
        name: `key ${n}`,
        // One pattern a line.
        forms: forms(key).filter((form) => !/[\n\0]/.test(form)),
      })),
      FILL_FREED,
    );
    expect(found).toEqual([`memory of it: key ${keys.length}`]);
  },
);

// The memory of another process is a file on Linux only.
it.runIf(process.platform === 'linux')(
  'a CIEC that was wiped is nowhere in memory, though the garbage collector ran while it was held',
  async () => {
    const module = new URL('../../../packages/vault/src/credencial-bytes.ts', import.meta.url).href;
    const needles = Array.from({ length: NUMBER }, (_, n) => ({ name: `CIEC ${n}`, forms: [ciecOf(n)] }));
    const source = ['--conditions=acuse-source', '--import', 'tsx'];
    // The last one is not wiped: a search finds it.
    expect(await foundIn([...source, '-e', HOLDER, module, String(NUMBER)], needles)).toEqual([
      `memory of it: CIEC ${NUMBER - 1}`,
    ]);
  },
);
