import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
let root = '';
const write = async (path: string, content: string) => {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), content);
};
const run = async () => (await promisify(execFile)(process.execPath, [join(root, 'apps/cli/bin/acuse.mjs')])).stdout;

// A checkout in miniature: the real entry over a program that says what it was made of.
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'acuse-entry-'));
  await cp(join(ROOT, 'apps/cli/bin'), join(root, 'apps/cli/bin'), { recursive: true });
  await write('package.json', '{ "type": "module" }');
});
afterEach(() => rm(root, { recursive: true, force: true }));

const built = () => write('apps/cli/dist/main.js', `console.log('built');`);
const source = () => write('apps/cli/src/main.ts', `const said: string = 'source'; console.log(said);`);
const withLibraries = async () => {
  await mkdir(join(root, 'node_modules'));
  for (const name of ['tsx', 'esbuild', 'get-tsconfig'])
    await symlink(join(ROOT, 'node_modules', name), join(root, 'node_modules', name)).catch(() => {});
};

describe('the entry of the command line', () => {
  it('runs the sources of a checkout, whatever was built of them before', async () => {
    await withLibraries();
    await source();
    expect(await run()).toBe('source\n');
    await built();
    const later = Date.now() / 1_000 + 60;
    await utimes(join(root, 'apps/cli/dist/main.js'), later, later);
    expect(await run()).toBe('source\n');
  });

  it('runs the build without sources, as in an image', async () => {
    await built();
    expect(await run()).toBe('built\n');
  });

  it('runs the build of a checkout without installed build libraries', async () => {
    await source();
    await built();
    expect(await run()).toBe('built\n');
  });
});
