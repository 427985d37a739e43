import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CORE_TESTS, FEATURES, removeFeatures, TOGETHER, withDependents } from './features.ts';
import { GUARDS, type Guard, textWithout } from './guards.ts';
import { applyRecipe, type Recipe, readRecipes } from './recipes.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Features that are removed at once, by the name of the removal. */
const REMOVALS = [...FEATURES.map((feature) => [feature]), TOGETHER].map((features) => ({
  name: `without ${features.join(', ')}`,
  features,
}));

const RECIPES = readRecipes(await readFile(join(ROOT, 'docs/recipes.md'), 'utf8'));

/**
 * `npm run test:mutants [words of a name]`: removes one guard after the other, in a copy of the checkout, and runs the
 * tests that have to notice; then removes one feature after the other, and compiles the rest; then follows the
 * recipes of the documents. Ends with 1 unless the tests pass with all guards and fail without each, the rest compiles
 * without each feature, and the tests of each recipe pass.
 */
async function main(words: string): Promise<number> {
  const guards = GUARDS.filter(({ name }) => name.includes(words));
  const removals = REMOVALS.filter(({ name }) => name.includes(words));
  const recipes = RECIPES.filter(({ name }) => name.includes(words));
  const names = [...GUARDS, ...REMOVALS, ...RECIPES].map(({ name }) => name);
  const total = guards.length + removals.length + recipes.length;
  if (total === 0) throw new Error(`No mutant is called so. There are:\n${names.join('\n')}`);
  const missed =
    (guards.length === 0 ? 0 : await removeGuards(guards)) + (await removeEach(removals)) + (await followEach(recipes));
  console.log(`${total - missed} passed, ${missed} failed`);
  return missed === 0 ? 0 : 1;
}

/** Removes features from copies of the checkout; returns how many removals leave code that does not compile. */
async function removeEach(removals: typeof REMOVALS): Promise<number> {
  let failed = 0;
  for (const { name, features } of removals)
    await inCopy(async (copy) => {
      const gone = withDependents(copy, features);
      removeFeatures(copy, gone);
      const fault = (await compile(copy)) ?? (features === TOGETHER ? await faultOf(copy, CORE_TESTS) : null);
      if (fault !== null) failed += 1;
      console.log(`${fault === null ? 'compiles' : 'FAILED'}  ${name} (removes ${gone.join(', ')})`);
      if (fault !== null) console.log(fault);
    });
  return failed;
}

/** Applies each recipe to a copy of the checkout; returns how many do not hold. */
async function followEach(recipes: readonly Recipe[]): Promise<number> {
  let failed = 0;
  for (const recipe of recipes)
    await inCopy(async (copy) => {
      applyRecipe(copy, recipe);
      const written = new Set(recipe.edits.map(({ path }) => path)).size;
      const generated = await run(copy, ['packages/embedded/bin/acuse.mjs', 'generate']);
      const fault =
        written === recipe.files
          ? generated.status === 0
            ? ((await compile(copy)) ?? (await faultOf(copy, recipe.tests)))
            : generated.output
          : `${written} files are written, and the title says ${recipe.files}`;
      if (fault !== null) failed += 1;
      console.log(`${fault === null ? 'holds' : 'FAILED'}  recipe: ${recipe.name}, ${written} files`);
      if (fault !== null) console.log(fault);
    });
  return failed;
}

async function inCopy(work: (copy: string) => Promise<void>): Promise<void> {
  const copy = await mkdtemp(join(tmpdir(), 'acuse-mutants-'));
  try {
    await copyCheckout(copy);
    await work(copy);
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

/** Null when the workspaces of the copy compile; otherwise what the compiler prints. */
async function compile(copy: string): Promise<string | null> {
  const { status, output } = await run(copy, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-b']);
  return status === 0 ? null : output.slice(0, 4_000);
}

/** Null when the tests pass in the copy; otherwise what the run prints. */
async function faultOf(copy: string, tests: readonly string[]): Promise<string | null> {
  const { isGreen, passed, output } = await runTests(copy, tests);
  if (isGreen && passed > 0) console.log(`        ${passed} tests passed`);
  return isGreen && passed > 0 ? null : output;
}

async function run(cwd: string, args: readonly string[]) {
  const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => output.push(text));
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { status, output: output.join('') };
}

/** Removes each guard from a copy of the checkout; returns how many removals no test notices. */
async function removeGuards(guards: readonly Guard[]): Promise<number> {
  let missed = 0;
  await inCopy(async (copy) => {
    const untouched = await runTests(copy, [...new Set(guards.flatMap(({ tests }) => tests))]);
    if (untouched.passed === 0 || !untouched.isGreen)
      throw new Error(`The tests must pass before a guard is taken away:\n${untouched.output}`);
    for (const guard of guards) {
      const failed = await withoutGuard(copy, guard, () => runTests(copy, guard.tests));
      const isCaught = !failed.isGreen && failed.failures.length > 0;
      if (!isCaught) missed += 1;
      console.log(`${isCaught ? 'caught' : 'MISSED'}  ${guard.name}`);
      console.log(isCaught ? `        by ${failed.failures.length}: ${failed.failures[0]}` : failed.output);
    }
  });
  return missed;
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

process.exitCode = await main(process.argv.slice(2).join(' ')).catch((error: Error) => {
  console.error(error.message);
  return 1;
});
