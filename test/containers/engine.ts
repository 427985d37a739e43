import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Env, run, succeeds } from './shell.ts';

/** A container engine that answers. */
export interface Engine {
  /** What its clients have to be told. */
  readonly env: Env;
  /** A client that builds with BuildKit. */
  readonly docker: string;
  /** `docker compose` or, where that is missing, `docker-compose`. */
  readonly compose: readonly string[];
  stop(): Promise<void>;
}

/** Why there is no engine: the machine is none on which one can be had. */
export class NoEngine extends Error {}

const PACKAGES = ['docker.io', 'docker-compose', 'mmdebstrap'];
const STARTS_SECONDS = 60;

/**
 * The engine of this machine, else one of Debian's packages with its data in `folder`, which is stopped and removed at
 * the end. @throws NoEngine where none can be had.
 */
export async function openEngine(folder: string): Promise<Engine> {
  if (await answers({})) return engine({}, async () => {});
  const isRoot = process.getuid?.() === 0;
  if (!(isRoot && (await succeeds('apt-get', ['--version']))))
    throw new NoEngine('no engine answers, and only root installs one, on Debian');
  await installMissing();
  const env = { DOCKER_HOST: `unix://${join(folder, 'docker.sock')}` };
  const stop = await startDockerd(folder, env);
  return engine(env, stop);
}

async function engine(env: Env, stop: () => Promise<void>): Promise<Engine> {
  const has = async (program: string, ...args: string[]) => await succeeds(program, [...args, 'version'], env);
  const docker = await clientWithBuildKit(env);
  const compose = (await has(docker, 'compose')) ? [docker, 'compose'] : ['docker-compose'];
  return { env, docker, compose, stop };
}

/** The one of the path may be newer than BuildKit's part of it: since version 23 that is a package of its own. */
async function clientWithBuildKit(env: Env): Promise<string> {
  for (const docker of ['docker', '/usr/bin/docker']) {
    if (await succeeds(docker, ['buildx', 'version'], env)) return docker;
    const version = await run(docker, ['version', '--format', '{{.Client.Version}}'], env).catch(() => '');
    if (Number.parseInt(version, 10) < 23) return docker;
  }
  throw new NoEngine('no client of docker here builds with BuildKit');
}

const answers = (env: Env) => succeeds('docker', ['info'], env);

async function installMissing(): Promise<void> {
  const programs = ['dockerd', 'docker-compose', 'mmdebstrap'];
  const found = await Promise.all(programs.map((program) => succeeds('which', [program])));
  const missing = PACKAGES.filter((_, index) => !found[index]);
  if (missing.length === 0) return;
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  try {
    await run('apt-get', ['update', '-qq'], env);
    await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...missing], env);
  } catch (error) {
    throw new NoEngine(`${missing.join(', ')} cannot be installed: ${(error as Error).message}`);
  }
}

async function startDockerd(folder: string, env: Env): Promise<() => Promise<void>> {
  await mkdir(folder, { recursive: true });
  const place = (name: string) => join(folder, name);
  const log = place('dockerd.log');
  const hadBridge = await succeeds('ip', ['link', 'show', 'docker0']);
  const child = spawn(
    'dockerd',
    [
      ...['--data-root', place('data'), '--exec-root', place('exec'), '--pidfile', place('pid')],
      ...['--host', env['DOCKER_HOST'] ?? ''],
    ],
    { stdio: ['ignore', 'pipe', 'pipe'], detached: true },
  );
  const output = createWriteStream(log);
  for (const stream of [child.stdout, child.stderr]) stream.pipe(output, { end: false });
  const ended = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
    output.end();
    if (!hadBridge) await succeeds('ip', ['link', 'delete', 'docker0']);
    await rm(folder, { recursive: true, force: true });
  };
  const until = Date.now() + STARTS_SECONDS * 1_000;
  while (!(await answers(env))) {
    if (child.exitCode === null && Date.now() < until) {
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 200))]);
      continue;
    }
    const lines = (await readFile(log, 'utf8')).trim().split('\n');
    await stop();
    throw new NoEngine(`dockerd does not start: ${lines.at(-1)}`);
  }
  return stop;
}
