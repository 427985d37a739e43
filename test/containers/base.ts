import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build as bundle } from 'esbuild';
import type { Engine } from './engine.ts';
import { run, succeeds } from './shell.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const OWN = fileURLToPath(new URL('./images/', import.meta.url));

/** What our files name, by the stand-in that ./images/Dockerfile has for it. */
export type BaseImages = Readonly<Record<'node' | 'postgres' | 'redis' | 's3' | 'proxy', string>>;

/** The names that apps/Dockerfile and the compose files have. */
export async function namedImages(): Promise<BaseImages> {
  const [dockerfile, ...composed] = await Promise.all(
    ['apps/Dockerfile', 'docker-compose.yml', 'ops/docker-compose.prod.yml'].map((path) =>
      readFile(join(ROOT, path), 'utf8'),
    ),
  );
  const inCompose = (setting: string) =>
    new RegExp(`\\$\\{${setting}:-([^}]+)\\}`).exec(composed.join('\n'))?.[1] ?? '';
  return {
    node: /^ARG NODE_IMAGE=(.+)$/m.exec(dockerfile ?? '')?.[1] ?? '',
    postgres: inCompose('POSTGRES_IMAGE'),
    redis: inCompose('REDIS_IMAGE'),
    s3: inCompose('S3_IMAGE'),
    proxy: inCompose('CADDY_IMAGE'),
  };
}

/**
 * Has every image here: those that the engine has stay, those that it may pull (`ACUSE_TEST_PULL=true`) come, for the
 * others a stand-in is made under their name. Gives the names of the stand-ins.
 */
export async function provideBaseImages(engine: Engine, folder: string, images: BaseImages): Promise<string[]> {
  const missing: [keyof BaseImages, string][] = [];
  for (const [target, name] of Object.entries(images) as [keyof BaseImages, string][]) {
    if (await succeeds(engine.docker, ['image', 'inspect', name], engine.env)) continue;
    if (process.env['ACUSE_TEST_PULL'] === 'true' && (await succeeds(engine.docker, ['pull', name], engine.env)))
      continue;
    missing.push([target, name]);
  }
  if (missing.length === 0) return [];
  await Promise.all([makeDebian(engine, folder), gatherContext(folder)]);
  for (const [target, name] of missing) await build(engine, ['--target', target, '--tag', name], folder, OWN);
  return missing.map(([, name]) => name);
}

/** Builds an image; what its steps fetch comes by the machine's own network. */
export function build(engine: Engine, args: readonly string[], context: string, dockerfileFolder: string) {
  const file = join(dockerfileFolder, 'Dockerfile');
  const env = { ...engine.env, DOCKER_BUILDKIT: '1' };
  return run(engine.docker, ['build', '--quiet', '--network', 'host', '--file', file, ...args, context], env);
}

/** Debian as small as it gets, of the release that this machine is of. */
async function makeDebian(engine: Engine, folder: string): Promise<void> {
  const tar = join(folder, 'debian.tar');
  const [, release = 'stable'] = /^VERSION_CODENAME=(\w+)$/m.exec(await readFile('/etc/os-release', 'utf8')) ?? [];
  await run('mmdebstrap', ['--quiet', '--variant=minbase', '--dpkgopt=force-unsafe-io', release, tar]);
  await run(engine.docker, ['import', tar, 'acuse-debian'], engine.env);
}

/** npm's Node and npm under `usr/local`, our store as one file, and the entry of PostgreSQL. */
async function gatherContext(folder: string): Promise<void> {
  const usr = join(folder, 'node', 'usr', 'local');
  await mkdir(usr, { recursive: true });
  const packed = await run('npm', ['pack', `node-linux-${process.arch}@24`, '--silent', '--pack-destination', folder]);
  const archive = packed.trim().split('\n').at(-1) ?? '';
  await run('tar', ['xzf', join(folder, archive), '--strip-components=1', '-C', usr, 'package/bin/node']);
  await run('npm', ['install', '--silent', '--global', '--prefix', usr, '--ignore-scripts', 'npm@11']);
  await cp(join(OWN, 'postgres.sh'), join(folder, 'postgres.sh'));
  await bundle({
    entryPoints: [join(OWN, 's3.ts')],
    outfile: join(folder, 's3.cjs'),
    bundle: true,
    platform: 'node',
    format: 'cjs',
    conditions: ['acuse-source'],
    logLevel: 'error',
  });
}

/** The settings of this machine's npm, and its certificates, for builds that fetch packages; nothing of it stays. */
export async function buildSecrets(folder: string): Promise<string[]> {
  const config = async (name: string) => (await run('npm', ['config', 'get', name])).trim();
  const cafile = await config('cafile');
  const ca = cafile === 'null' ? process.env['NODE_EXTRA_CA_CERTS'] : cafile;
  const own = await readFile(await config('userconfig'), 'utf8').catch(() => '');
  const lines = own.split('\n').filter((line) => !/^\s*(cafile|nodedir)\s*=/.test(line));
  const npmrc = join(folder, 'npmrc');
  const more = [`registry=${await config('registry')}`, ...(ca ? ['cafile=/run/secrets/ca'] : [])];
  await writeFile(npmrc, [...lines, ...more, ''].join('\n'), { mode: 0o600 });
  return ['--secret', `id=npmrc,src=${npmrc}`, ...(ca ? ['--secret', `id=ca,src=${ca}`] : [])];
}
