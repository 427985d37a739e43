import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packSdk } from '../../../packages/embedded/src/release/artifacts.ts';

const run = promisify(execFile);

/** A package as published in a registry. */
export interface Published {
  /** A project whose `node_modules` has nothing but the package. */
  readonly folder: string;
  /** The package in it. */
  readonly paquete: string;
  readonly tarball: string;
  close(): Promise<void>;
}

/** Makes a package with `make`, and has npm install it in an empty project, without a network. */
export async function publish(name: string, make: (to: string) => Promise<string>): Promise<Published> {
  const base = await mkdtemp(join(tmpdir(), 'acuse-published-'));
  const tarball = join(base, await make(base));
  const folder = join(base, 'project');
  await install(folder, tarball);
  const paquete = join(folder, 'node_modules', name);
  return { folder, tarball, paquete, close: () => rm(base, { recursive: true, force: true }) };
}

/** Has npm install a package in a new project, without a network. */
export async function install(folder: string, tarball: string): Promise<void> {
  await mkdir(folder);
  await writeFile(join(folder, 'package.json'), '{ "private": true }');
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: folder });
}

export const publishSdk = () => publish('@acuse/sdk', (to) => packSdk({ to }));
