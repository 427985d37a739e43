// Running vitest and counting what it ran.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runNode } from './children.mjs';

/** Has what proves sizes, memory and hostile texts at length; see test/vitest.config.ts. */
const SLOW = 'slow';
const SLOWEST = 20;
const VITEST = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts'];

/** Runs vitest and shows what it shows. Gives its exit code. */
export async function runVitest(root, args) {
  return (await runNode([...VITEST, ...args], { root })).code;
}

/**
 * Runs vitest and prints, at the end, the slowest 20 tests, the names of the failed ones and one line
 * `N passed, N failed[, N skipped]`. `slow` says whether the tests with that tag run: `true` these only, `false` all others, undefined all.
 * Gives 0 only if tests ran and all of them passed.
 */
export async function runCountedVitest(root, { slow }, args) {
  const folder = mkdtempSync(join(tmpdir(), 'acuse-tests-'));
  const report = join(folder, 'report.json');
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
    const filter = slow === undefined ? [] : [`--tags-filter=${slow ? SLOW : `!${SLOW}`}`];
    const code = await runVitest(root, [...filter, ...reporters, ...args]);
    const counts = count(readReport(report), root, code, slow);
    console.log('\nThe slowest tests:');
    for (const { ms, name } of counts.slowest) console.log(`${(ms / 1000).toFixed(1).padStart(7)} s  ${name}`);
    console.log('');
    for (const name of counts.failures) console.log(`FAILED ${name}`);
    const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : '';
    console.log(`${counts.passed} passed, ${counts.failed} failed${skipped}`);
    return code !== 0 ? code : counts.failed > 0 || counts.passed === 0 ? 1 : 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const firstLine = (message = '') => message.split('\n', 1)[0];

function count(report, root, code, slow) {
  const counts = { passed: 0, failed: 0, skipped: 0, failures: [], slowest: [] };
  const fail = (name) => {
    counts.failed += 1;
    counts.failures.push(name);
  };
  for (const { name: file, status, assertionResults, message } of report?.testResults ?? []) {
    const where = file.startsWith(root) ? file.slice(root.length) : file;
    for (const test of assertionResults) {
      // Those that the filter leaves out belong to another run.
      if (slow !== undefined && (test.tags ?? []).includes(SLOW) !== slow) continue;
      const name = `${where} > ${[...test.ancestorTitles, test.title].join(' > ')}`;
      counts.slowest.push({ ms: test.duration ?? 0, name });
      if (test.status === 'passed') counts.passed += 1;
      else if (test.status === 'failed') fail(`${name}: ${firstLine(test.failureMessages?.[0])}`);
      else counts.skipped += 1;
    }
    // A file that could not be loaded, or a hook that failed, has no failed test of its own.
    if (status === 'failed' && !assertionResults.some((test) => test.status === 'failed')) {
      fail(`${where}: ${firstLine(message)}`);
    }
  }
  counts.slowest = counts.slowest.sort((one, other) => other.ms - one.ms).slice(0, SLOWEST);
  if (code !== 0 && counts.failed === 0) {
    fail('the test run itself: an error outside of the tests, see above');
  }
  return counts;
}

function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}
