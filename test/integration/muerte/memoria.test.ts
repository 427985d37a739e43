import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { openSearch } from '../../faults/needles.ts';

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

// The memory of another process is a file on Linux only.
it.runIf(process.platform === 'linux')(
  'a CIEC that was wiped is nowhere in memory, though the garbage collector ran while it was held',
  async () => {
    const module = new URL('../../../packages/vault/src/credencial-bytes.ts', import.meta.url).href;
    const node = ['--expose-gc', '--conditions=acuse-source', '--import', 'tsx', '--input-type=module'];
    const child = spawn(process.execPath, [...node, '-e', HOLDER, module, String(NUMBER)], {
      cwd: fileURLToPath(new URL('../../..', import.meta.url)),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const search = await openSearch(
      Array.from({ length: NUMBER }, (_, n) => ({ name: `CIEC ${n}`, forms: [ciecOf(n)] })),
    );
    try {
      await once(child.stdout, 'data');
      const found = await search.inProcess(child.pid ?? 0, 'it');
      // The last one is not wiped: a search finds it.
      expect(found.map((one) => one.split(',')[0])).toEqual([`memory of it: CIEC ${NUMBER - 1}`]);
    } finally {
      child.kill();
      await search.close();
    }
  },
);
