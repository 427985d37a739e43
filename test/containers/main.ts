import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BaseImages, build, buildSecrets, namedImages, provideBaseImages } from './base.ts';
import { type Engine, NoEngine, openEngine } from './engine.ts';
import { interruption, run } from './shell.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Of the image of the service: what Node's own image does not have. */
const LAYERS_MB = 60;

const began = Date.now();
const say = (line: string) => console.log(`[${Math.round((Date.now() - began) / 1_000)} s] ${line}`);

const folder = await mkdtemp(join(tmpdir(), 'acuse-containers-'));
let engine: Engine | undefined;
let tests: ReturnType<typeof spawn> | undefined;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    interruption.abort();
    tests?.kill(signal);
  });
try {
  engine = await openEngine(join(folder, 'engine'));
  say(`engine: ${await run(engine.docker, ['version', '--format', '{{.Server.Version}}'], engine.env)}`.trim());
  process.exitCode = await prove(engine, await namedImages());
} catch (error) {
  if (error instanceof NoEngine) {
    console.log(`The tests in containers did not run: ${error.message}.`);
    console.log('0 passed, 0 failed, 1 skipped');
  } else {
    console.log(`FAILED ${(error as Error).message}`);
    console.log('0 passed, 1 failed');
    process.exitCode = 1;
  }
} finally {
  await engine?.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Makes the images, then runs the tests over them. Gives the exit code of the tests. */
async function prove(using: Engine, images: BaseImages): Promise<number> {
  const context = join(folder, 'context');
  await mkdir(context);
  const standIns = await provideBaseImages(using, context, images);
  if (standIns.length > 0) say(`made here, in place of images that cannot be pulled: ${standIns.join(', ')}`);
  const secrets = await buildSecrets(folder);
  const own = { acuse: 'acuse', simulador: 'acuse-simulador' };
  for (const [target, tag] of Object.entries(own)) {
    await build(using, ['--target', target, '--tag', tag, ...secrets], ROOT, join(ROOT, 'apps'));
    const size = async (name: string) =>
      Number(await run(using.docker, ['image', 'inspect', '--format', '{{.Size}}', name], using.env));
    const layers = Math.round(((await size(tag)) - (await size(images.node))) / 1e6);
    say(`${tag}: built, ${layers} MB above ${images.node}`);
    if (layers > LAYERS_MB) throw new Error(`${tag} has ${layers} MB of its own, more than ${LAYERS_MB}`);
  }
  tests = spawn(
    process.execPath,
    [
      'packages/embedded/bin/acuse.mjs',
      'test',
      'test/integration/contenedores',
      '--no-file-parallelism',
      ...process.argv.slice(2),
    ],
    {
      cwd: ROOT,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: {
        ...process.env,
        ...using.env,
        TESTCONTAINERS_RYUK_DISABLED: 'true',
        ACUSE_TEST_POSTGRES_IMAGE: images.postgres,
        ACUSE_TEST_REDIS_IMAGE: images.redis,
        ACUSE_TEST_COMPOSE: using.compose.join(' '),
        ACUSE_TEST_BUILD: JSON.stringify([using.docker, '--network', 'host', ...secrets]),
      },
    },
  );
  const [code] = await once(tests, 'exit');
  return code ?? 1;
}
