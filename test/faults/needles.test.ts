import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openSearch } from './needles.ts';

/** Puts two halves together at run time, so that its own source does not have the whole. */
const SCRIPT = `globalThis.kept = Buffer.from('needle-' + 'in-memory'); setInterval(() => {}, 1_000); console.log('ready');`;

it('a needle in memory, arguments, environment or a file would be found, and one that is nowhere is not', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'acuse-control-'));
  const child = spawn(process.execPath, ['-e', SCRIPT, 'needle-in-arguments'], {
    env: { ...process.env, HELD: 'needle-in-environment' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const places = ['memory', 'arguments', 'environment', 'file'];
  const search = await openSearch([...places, 'nothing'].map((name) => ({ name, forms: [`needle-in-${name}`] })));
  try {
    await once(child.stdout, 'data');
    await writeFile(join(dir, 'some.log'), `x needle-in-file x`);
    const found = [...(await search.inProcess(child.pid ?? 0, 'it')), ...(await search.inFiles(dir, 'files'))];
    for (const one of ['cmdline of it: arguments', 'environ of it: environment', 'files: file'])
      expect(found).toContain(one);
    expect(found.filter((one) => /^memory of it: memory, in “.*needle-in-memory.*”$/.test(one))).toHaveLength(1);
    expect(found.filter((one) => one.includes('nothing'))).toEqual([]);
  } finally {
    child.kill();
    await search.close();
    await rm(dir, { recursive: true, force: true });
  }
});
