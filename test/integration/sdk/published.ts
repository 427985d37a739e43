import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const SDK = join(ROOT, 'packages/sdk');
const run = promisify(execFile);

/** A package as published in a registry. */
export interface Published {
  /** A folder whose `node_modules` has nothing but the package. */
  readonly folder: string;
  /** The package in it. */
  readonly paquete: string;
  readonly tarball: string;
  close(): Promise<void>;
}

/** Compiles the client as `npm run build` does, packs it as npm would, and installs it in an empty folder. */
export async function publishSdk(): Promise<Published> {
  const folder = await mkdtemp(join(tmpdir(), 'acuse-sdk-'));
  const source = join(folder, 'source');
  await mkdir(source);
  for (const name of ['package.json', 'README.md', 'src', 'cjs/package.json'])
    await cp(join(SDK, name), join(source, name), { recursive: true });
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  for (const [project, to] of [
    [SDK, 'dist'],
    [join(SDK, 'cjs'), 'cjs'],
  ] as const)
    await run(process.execPath, [
      ...[tsc, '-p', project],
      ...['--outDir', join(source, to), '--tsBuildInfoFile', join(folder, `${to}.tsbuildinfo`)],
    ]);
  const tarball = await pack(source, folder);
  await run('tar', ['-xzf', tarball, '-C', folder]);
  const paquete = join(folder, 'node_modules/@acuse/sdk');
  await mkdir(join(folder, 'node_modules/@acuse'), { recursive: true });
  await rename(join(folder, 'package'), paquete);
  return { folder, paquete, tarball, close: () => rm(folder, { recursive: true, force: true }) };
}

/** Packs a package as npm would, into a folder that has no other; gives the file. */
export async function pack(source: string, folder: string): Promise<string> {
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: source });
  return join(folder, (await readdir(folder)).find((name) => name.endsWith('.tgz')) ?? '');
}
