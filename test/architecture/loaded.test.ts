import { build, type Metafile } from 'esbuild';
import { beforeAll, expect, it } from 'vitest';
import { EXTERNAL, entryPoints } from '../../packages/embedded/src/programs.ts';
import { FOR_NODE } from '../../packages/embedded/src/release/bundle.ts';
import { ROOT } from './sources.ts';

/** Libraries that a program loads, if at all, by a dynamic import at their first use. */
const LATER = {
  api: [
    ...['@aws-sdk/client-s3', 'undici', 'saxes', 'tough-cookie', 'tldts', 'htmlparser2', 'entities', 'csv-parse'],
    ...['bullmq', 'ioredis', '@opentelemetry/sdk-trace', '@prisma/client', 'marked', 'nodemailer'],
    ...['pg-copy-streams', 'yauzl', 'archiver', 'hyparquet-writer', 'commander'],
  ],
  worker: [
    ...['tough-cookie', 'tldts', 'htmlparser2', 'entities', 'nodemailer', 'hyparquet-writer'],
    ...['@opentelemetry/sdk-trace', '@prisma/client', 'hono', 'marked', 'commander'],
  ],
  cli: ['@modelcontextprotocol/sdk'],
} as const;

let inputs: Metafile['inputs'];
/** Files that a program reads before it runs: its own, and the operations that the API finds in folders. */
const startsOf = (app: keyof typeof LATER) =>
  Object.keys(inputs).filter(
    (path) => path === `apps/${app}/src/main.ts` || (app === 'api' && /\/operations\/(?!.*\.test\.ts$)/.test(path)),
  );

/** For each library, the import that loads it at the start, as `importing file: library`. */
function loadedAtStart(app: keyof typeof LATER): ReadonlyMap<string, string> {
  const left = startsOf(app);
  const seen = new Set(left);
  const found = new Map<string, string>();
  for (let path = left.pop(); path !== undefined; path = left.pop()) {
    for (const { path: next, kind, external } of inputs[path]?.imports ?? []) {
      if (kind === 'dynamic-import' || seen.has(next)) continue;
      seen.add(next);
      const name = external ? next : /^.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(next)?.[1];
      if (name !== undefined && !found.has(name)) found.set(name, `${path}: ${name}`);
      if (!external) left.push(next);
    }
  }
  return found;
}

beforeAll(async () => {
  const { metafile } = await build({
    ...FOR_NODE,
    entryPoints: await entryPoints(ROOT),
    outdir: 'dist',
    external: EXTERNAL,
    write: false,
    metafile: true,
  });
  inputs = metafile.inputs;
});

it.each(['api', 'worker', 'cli'] as const)('%s starts without the libraries that it may never need', (app) => {
  const loaded = loadedAtStart(app);
  expect([...loaded.keys()]).toEqual(expect.arrayContaining(['pino']));
  expect(LATER[app].flatMap((name) => loaded.get(name) ?? [])).toEqual([]);
});

it('names libraries that exist', () => {
  const known = new Set(
    Object.keys(inputs).flatMap((path) => /^.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []),
  );
  expect([...new Set(Object.values(LATER).flat())].filter((name) => !known.has(name))).toEqual([]);
});
