import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { buildPackage } from '../../../apps/simulador/build.ts';
import { type Published, pack } from '../sdk/published.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const run = promisify(execFile);

/** Builds and packs the simulator, and has npm install it in an empty project, without a network. */
export async function publishSimulator(): Promise<Published> {
  const base = await mkdtemp(join(tmpdir(), 'acuse-simulador-'));
  await buildPackage(join(base, 'source'));
  const tarball = await pack(join(base, 'source'), base);
  const folder = join(base, 'project');
  await mkdir(folder);
  await writeFile(join(folder, 'package.json'), '{ "private": true }');
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: folder });
  return {
    folder,
    tarball,
    paquete: join(folder, 'node_modules/@acuse/simulador'),
    close: () => rm(base, { recursive: true, force: true }),
  };
}

/** Adds public packages of this repository to the project, as if they were installed there. */
export async function addPublic({ folder }: Published, ...names: readonly string[]): Promise<void> {
  for (const name of names) {
    const place = join(folder, 'node_modules', name);
    await mkdir(join(place, '..'), { recursive: true });
    await symlink(join(ROOT, 'node_modules', name), place);
  }
}

/** What the program says of itself with `--json`. */
interface Said {
  readonly url: string;
  readonly ca: string | null;
  readonly estadoCfdi: string;
  readonly descargaMasiva: { readonly cfdi: Readonly<Record<string, string>> };
  readonly efirmas: readonly { rfc: string; cer: string; key: string; password: string }[];
}

/** Starts the installed program at a free port, and waits until it says where it listens. */
export async function startProgram({ folder }: Published, ...args: readonly string[]) {
  const child = spawn(join(folder, 'node_modules/.bin/simulador'), ['--puerto', '0', '--json', ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit') as Promise<[number | null, string | null]>;
  const [line] = (await Promise.race([
    once(createInterface(child.stdout), 'line'),
    ended.then(([code]) => {
      throw new Error(`the simulator ended with ${code}`);
    }),
  ])) as [string];
  return {
    said: JSON.parse(line) as Said,
    /** Ends it as a terminal or a supervisor does; gives its exit code and signal. */
    end: (signal: 'SIGINT' | 'SIGTERM') => {
      child.kill(signal);
      return ended;
    },
  };
}
