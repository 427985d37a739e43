import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { packApp } from '../../../packages/embedded/src/release/artifacts.ts';
import { type Published, publish } from '../sdk/published.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** Packs the simulator, and installs it. */
export const publishSimulator = () => publish('@acuse/simulador', (to) => packApp('simulador', { to }));

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
export async function startProgram({ folder }: Pick<Published, 'folder'>, ...args: readonly string[]) {
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
