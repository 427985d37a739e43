import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GUARDS, type Guard, textWithout } from './guards.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/**
 * `npm run test:mutants [words of a name]`: takes away one guard after the other, in a copy of the checkout, and runs
 * the tests that have to notice. Ends with 1 unless the tests pass with all guards and fail without each.
 */
async function main(words: string): Promise<number> {
  const guards = GUARDS.filter(({ name }) => name.includes(words));
  if (guards.length === 0)
    throw new Error(`No guard is called so. There are:\n${GUARDS.map(({ name }) => name).join('\n')}`);
  const copy = await mkdtemp(join(tmpdir(), 'acuse-mutants-'));
  try {
    await copyCheckout(copy);
    const untouched = await runTests(copy, [...new Set(guards.flatMap(({ tests }) => tests))]);
    if (untouched.passed === 0 || !untouched.isGreen)
      throw new Error(`The tests must pass before a guard is taken away:\n${untouched.output}`);
    let missed = 0;
    for (const guard of guards) {
      const failed = await withoutGuard(copy, guard, () => runTests(copy, guard.tests));
      const isCaught = !failed.isGreen && failed.failures.length > 0;
      if (!isCaught) missed += 1;
      console.log(`${isCaught ? 'caught' : 'MISSED'}  ${guard.name}`);
      console.log(isCaught ? `        by ${failed.failures.length}: ${failed.failures[0]}` : failed.output);
    }
    console.log(`${guards.length - missed} passed, ${missed} failed`);
    return missed === 0 ? 0 : 1;
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

/** Copies everything but installed packages, which are linked: our own packages must be the copy's. */
async function copyCheckout(copy: string): Promise<void> {
  const isLeftOut = (path: string) => ['node_modules', '.git', '.acuse', 'dist'].includes(basename(path));
  const installed: string[] = [];
  await cp(ROOT, copy, {
    recursive: true,
    filter: (path) => {
      if (basename(path) === 'node_modules') installed.push(path.slice(ROOT.length));
      return !isLeftOut(path);
    },
  });
  for (const folder of installed) {
    await mkdir(join(copy, folder));
    for (const name of await readdir(join(ROOT, folder))) {
      if (name === '@acuse')
        await cp(join(ROOT, folder, name), join(copy, folder, name), { recursive: true, verbatimSymlinks: true });
      else await symlink(join(ROOT, folder, name), join(copy, folder, name));
    }
  }
}

async function withoutGuard<T>(copy: string, guard: Guard, run: () => Promise<T>): Promise<T> {
  const path = join(copy, guard.file);
  const original = await readFile(path, 'utf8');
  await writeFile(path, textWithout(guard, original));
  try {
    return await run();
  } finally {
    await writeFile(path, original);
  }
}

interface Report {
  readonly numPassedTests: number;
  readonly success: boolean;
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

/** A test that failed counts; a file that could not be read, or a run that did not end, does not. */
async function runTests(copy: string, tests: readonly string[]) {
  const reportFile = join(copy, 'report.json');
  await rm(reportFile, { force: true });
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const args = ['run', '--config', 'test/vitest.config.ts', '--tags-filter=!slow', '--reporter=json', '--reporter=dot'];
  const child = spawn(process.execPath, [vitest, ...args, `--outputFile.json=${reportFile}`, ...tests], {
    cwd: copy,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => output.push(text));
  await new Promise((resolve) => child.once('close', resolve));
  const report: Report | null = JSON.parse(await readFile(reportFile, 'utf8').catch(() => 'null'));
  const results = report?.testResults.flatMap(({ assertionResults }) => assertionResults) ?? [];
  return {
    isGreen: report?.success === true,
    passed: report?.numPassedTests ?? 0,
    failures: results.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName),
    output: output.join('').slice(-4_000),
  };
}

process.exitCode = await main(process.argv.slice(2).join(' ')).catch((error: Error) => {
  console.error(error.message);
  return 1;
});
