import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { needlesOf, openSearch } from './needles.ts';

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

it('a secret whose bytes are text with a letter of two bytes is found as that text, and no single byte is a needle', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'acuse-control-'));
  // The letter is U+010A; in one byte it would end a line of the patterns.
  const secret = Buffer.concat([Buffer.from([0xff, 0xc4, 0x8a]), Buffer.alloc(29, 'x')]);
  const search = await openSearch(needlesOf({ rfc: 'R', apiKey: `acuse_live_id_${secret.toString('base64url')}` }));
  try {
    await writeFile(join(dir, 'bytes'), Buffer.from([0x41, 0xfd, 0x41]));
    expect(await search.inFiles(dir, 'files')).toEqual([]);
    await writeFile(join(dir, 'text'), secret.toString('utf8'));
    expect(await search.inFiles(dir, 'files')).toEqual(['files: secret of the API key of R']);
  } finally {
    await search.close();
    await rm(dir, { recursive: true, force: true });
  }
});
