import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Every workspace by its source, so that nothing has to be built to be tested. */
const alias = Object.fromEntries(
  ['packages', 'apps'].flatMap((folder) =>
    readdirSync(`${root}${folder}`).map((name) => [
      `@acuse/${name}`,
      `${root}${folder}/${name}/src/index.ts`,
    ]),
  ),
);

/** Takes many minutes and a machine to itself, so it runs only when it is asked for by name (`npm run test:faults`). */
const isFaults = process.argv.some((argument) => argument.includes('faults'));
const faults = {
  extends: true as const,
  test: {
    name: 'faults',
    include: [
      'test/faults/**/*.test.ts',
      'test/integration/muerte/**/*.test.ts',
      'test/integration/consultas/magicos.test.ts',
    ],
    provide: { isThorough: true },
    globalSetup: ['test/integration/fixtures/global-setup.ts'],
    maxWorkers: 1,
    testTimeout: 600_000,
  },
};

export default defineConfig({
  root,
  resolve: { alias },
  test: {
    testTimeout: 30_000,
    hookTimeout: 120_000,
    // What is polled comes when it comes: a second, which is the default, passes on a busy machine before a page has answered.
    expect: { poll: { timeout: 25_000 } },
    pool: 'forks',
    projects: [
      {
        extends: true,
        test: { name: 'unit', include: ['packages/*/src/**/*.test.ts', 'apps/*/src/**/*.test.{ts,tsx}'] },
      },
      {
        extends: true,
        test: { name: 'contract', include: ['test/contract/**/*.test.ts', 'test/architecture/**/*.test.ts'] },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          globalSetup: ['test/integration/fixtures/global-setup.ts'],
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
          testTimeout: 120_000,
        },
      },
      ...(isFaults ? [faults] : []),
    ],
  },
});
