import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inCopy, runTests } from './copy.ts';
import { GUARDS, type Guard, textWithout } from './guards.ts';

/** Guards taken away at the same time: half of a run is one process that starts the others. */
const LANES = 2;

/**
 * `npm run test:mutants [words of a name]`: takes away one guard after the other, in a copy of the checkout, and runs
 * the tests that have to notice. Ends with 1 unless the tests pass with all guards and fail without each.
 */
async function main(words: string): Promise<number> {
  const guards = GUARDS.filter(({ name }) => name.includes(words));
  if (guards.length === 0)
    throw new Error(`No guard is called so. There are:\n${GUARDS.map(({ name }) => name).join('\n')}`);
  await inCopy(async (copy) => {
    const untouched = await runTests(copy, [...new Set(guards.flatMap(({ tests }) => tests))]);
    if (untouched.passed === 0 || !untouched.isGreen)
      throw new Error(`The tests must pass before a guard is taken away:\n${untouched.output}`);
  });
  let missed = 0;
  const left = guards.values();
  const lane = () =>
    inCopy(async (copy) => {
      for (const guard of left) {
        const failed = await withoutGuard(copy, guard, () => runTests(copy, guard.tests, { bail: 1 }));
        const isCaught = !failed.isGreen && failed.failures.length > 0;
        if (!isCaught) missed += 1;
        console.log(`${isCaught ? 'caught' : 'MISSED'}  ${guard.name}`);
        console.log(isCaught ? `        by: ${failed.failures[0]}` : failed.output);
      }
    });
  await Promise.all(Array.from({ length: LANES }, lane));
  console.log(`${guards.length - missed} passed, ${missed} failed`);
  return missed === 0 ? 0 : 1;
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

process.exitCode = await main(process.argv.slice(2).join(' ')).catch((error: Error) => {
  console.error(error.message);
  return 1;
});
