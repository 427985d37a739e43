import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Runs `work` in a copy of the checkout, or in what `fill` makes of an empty folder, which is deleted afterwards. */
export async function inCopy<T>(work: (copy: string) => Promise<T>, fill = copyCheckout): Promise<T> {
  const copy = await mkdtemp(join(tmpdir(), 'acuse-mutants-'));
  try {
    await fill(copy);
    return await work(copy);
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

/** Compiled copies of the checkout, in which `tsc -b` compiles what has changed. The first one takes a minute. */
export function compiledCopies() {
  let compiled: Promise<string> | null = null;
  const options = { recursive: true, verbatimSymlinks: true, preserveTimestamps: true };
  return {
    inCopy<T>(work: (copy: string) => Promise<T>): Promise<T> {
      compiled ??= compileCheckout();
      const built = compiled;
      return inCopy(work, async (copy) => cp(await built, copy, options));
    },
    async delete(): Promise<void> {
      if (compiled !== null) await rm(await compiled, { recursive: true, force: true });
    },
  };
}

async function compileCheckout(): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'acuse-compiled-'));
  await copyCheckout(copy);
  const { status, output } = await compile(copy);
  if (status !== 0) throw new Error(`the checkout does not compile:\n${output}`);
  return copy;
}

/** Compiles the workspaces of a copy; resolves with the status of the compiler and what it printed. */
export const compile = (copy: string) => run(copy, ['node_modules/typescript/bin/tsc', '-b']);

/** Copies everything but builds and installed packages, which are linked: our own packages must be the copy's. */
async function copyCheckout(copy: string): Promise<void> {
  const isLeftOut = (path: string) => /^(node_modules|\.git|\.acuse|dist|.*\.tsbuildinfo)$/.test(basename(path));
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

/** Runs a program of Node in a copy; resolves with its status and what it printed. */
export async function run(cwd: string, args: readonly string[]) {
  const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => output.push(text));
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { status, output: output.join('') };
}

interface Report {
  readonly numPassedTests: number;
  readonly success: boolean;
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

/**
 * Runs test files in a copy, all of them or until `bail` tests have failed. A test that failed counts; a file that could
 * not be read, or a run that did not end, does not.
 */
export async function runTests(copy: string, tests: readonly string[], { bail = 0 } = {}) {
  const reportFile = join(copy, 'report.json');
  await rm(reportFile, { force: true });
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const args = [
    'run',
    '--config',
    'test/vitest.config.ts',
    '--tags-filter=!slow',
    '--reporter=json',
    '--reporter=dot',
    `--bail=${bail}`,
  ];
  const { output } = await run(copy, [vitest, ...args, `--outputFile.json=${reportFile}`, ...tests]);
  const report: Report | null = JSON.parse(await readFile(reportFile, 'utf8').catch(() => 'null'));
  const results = report?.testResults.flatMap(({ assertionResults }) => assertionResults) ?? [];
  return {
    isGreen: report?.success === true,
    passed: report?.numPassedTests ?? 0,
    failures: results.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName),
    output: output.slice(-4_000),
  };
}
