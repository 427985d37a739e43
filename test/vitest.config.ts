import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { PORTS, recording } from './integration/fixtures/recording.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Every entry of every workspace by its source (condition `acuse-source`), so that nothing has to be built to be tested. */
const alias = ['packages', 'apps'].flatMap((folder) =>
  readdirSync(`${root}${folder}`).flatMap((name) => {
    const path = `${root}${folder}/${name}`;
    if (!existsSync(`${path}/package.json`)) return [];
    const { exports = {} } = JSON.parse(readFileSync(`${path}/package.json`, 'utf8'));
    return Object.entries<string | Record<string, string>>(exports).flatMap(([entry, target]) => {
      const source = typeof target === 'string' ? undefined : target['acuse-source'];
      const find = new RegExp(`^@acuse/${name}${entry.slice(1).replace('*', '(.+)')}$`);
      return source === undefined ? [] : [{ find, replacement: `${path}/${source.replace('*', '$1')}` }];
    });
  }),
);

/** Takes many minutes and a machine to itself, so it runs only when it is asked for by name (`npm run test:faults`). */
const isFaults = process.argv.includes('--project=faults');
/** The sizes of test/faults/sizes.ts that take an hour (`npm run test:faults -- --deep`). */
const isDeep = process.env['FAULTS_SIZES'] === 'deep';
/**
 * What has the tag `slow` proves sizes, memory and hostile texts at length (`npm run test:slow`): it is alone in its
 * process.
 */
const isSlow = process.argv.includes('--tags-filter=slow');
/** Files in which nothing is slow: each would be loaded in a process of its own, to be left out. */
const quickFiles = () =>
  ['packages', 'apps', 'test'].flatMap((folder) =>
    readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
      .map((file) => `${folder}/${file}`)
      .filter((path) => /\.test\.tsx?$/.test(path) && !path.includes('node_modules'))
      .filter((path) => !/'slow'|flowOnEachDriver|eachAtLength/.test(readFileSync(`${root}${path}`, 'utf8'))),
  );
const faults = {
  extends: true as const,
  test: {
    name: 'faults',
    include: [
      'test/faults/**/*.test.ts',
      'test/integration/muerte/**/*.test.ts',
      ...(isDeep ? ['packages/vault/src/{efirma/fuzz,body/base64,body/secret-fields}.test.ts'] : []),
    ],
    globalSetup: ['test/integration/fixtures/global-setup.ts'],
    maxWorkers: 2,
    testTimeout: 600_000,
  },
};

/** Examines what all others have sent. */
const LAST = 'test/integration/db/planes.test.ts';

export default defineConfig({
  root,
  resolve: { alias },
  plugins: [
    {
      name: 'recording',
      enforce: 'pre',
      transform: (source, id) => (PORTS.test(id) ? { code: recording(source), map: null } : undefined),
    },
  ],
  test: {
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Polled conditions take their time: a busy machine may need more than the default second for a page.
    expect: { poll: { timeout: 25_000 } },
    setupFiles: ['test/reuse-keys.ts'],
    pool: 'forks',
    // Files share their process and its modules, which are not mocked. Two to a core: half of the time they wait for
    // the programs under test.
    isolate: isSlow,
    exclude: ['**/node_modules/**', ...(isSlow ? quickFiles() : [])],
    maxWorkers: 2 * availableParallelism(),
    tags: [{ name: 'slow', description: 'runs by `npm run test:slow` only', timeout: 600_000 }],
    provide: { isThorough: isSlow || isFaults, isDeep },
    projects: [
      {
        extends: true,
        test: {
          // One, so that its processes keep the modules that they have loaded.
          name: 'all',
          include: [
            'packages/*/src/**/*.test.ts',
            'apps/*/src/**/*.test.{ts,tsx}',
            'test/{sat,bench,contract,architecture,chart,integration}/**/*.test.ts',
          ],
          exclude: [LAST],
          globalSetup: ['test/integration/fixtures/global-setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'last',
          include: [LAST],
          sequence: { groupOrder: 1 },
          globalSetup: ['test/integration/fixtures/global-setup.ts'],
        },
      },
      ...(isFaults ? [faults] : []),
    ],
  },
});
