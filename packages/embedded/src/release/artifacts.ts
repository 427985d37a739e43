import { execFile } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { ZipArchive } from 'archiver';
import { SERVICE } from '../programs.ts';
import { buildApp } from './apps.ts';
import { type Manifest, publishedManifest, ROOT, readManifest } from './bundle.ts';

const execute = promisify(execFile);

/** Runs a program; its output, or an Error with its last lines. */
export async function run(program: string, args: readonly string[], cwd = ROOT, env: NodeJS.ProcessEnv = {}) {
  try {
    const options = { cwd, env: { ...process.env, ...env }, maxBuffer: 64 * 1_024 * 1_024 };
    return (await execute(program, [...args], options)).stdout;
  } catch (error) {
    const { stderr = '', stdout = '', message } = error as Error & { stderr?: string; stdout?: string };
    throw new Error((stderr || stdout || message).trim().split('\n').slice(-15).join('\n'), { cause: error });
  }
}

/** What the artefacts of a release have in common. */
export interface Release {
  /** Folder of the artefacts. */
  readonly to: string;
  readonly version: string;
  /** Licence in SPDX, or the word of npm for none. */
  readonly license: string;
  /** Commit, and its seconds since 1970: the date of every file in an archive. */
  readonly commit: string;
  readonly epoch: string;
}

/** Reads version and licence from the root manifest, the only file that has them, and the commit from Git. */
export async function openRelease(to: string): Promise<Release> {
  const { version, license } = (await readManifest(ROOT)) as { version: string; license: string };
  const [commit = '', epoch = '0'] = (await run('git', ['log', '-1', '--format=%H %ct'])).trim().split(' ');
  await mkdir(to, { recursive: true });
  return { to, version, license, commit, epoch };
}

/** Calls `use` with an empty folder, and removes it. */
async function within<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'acuse-release-'));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Packs the package in `source` as npm does; its file name. */
async function pack(source: string, to: string): Promise<string> {
  const [packed] = JSON.parse(
    await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', to], source),
  ) as { filename: string }[];
  if (packed === undefined) throw new Error('npm packed nothing');
  return packed.filename;
}

/** The client of TypeScript: ECMAScript modules and CommonJS, each with its types. */
export const packSdk = ({ to }: Pick<Release, 'to'>) =>
  within(async (folder) => {
    const sdk = join(ROOT, 'packages/sdk');
    for (const name of ['README.md', 'src', 'cjs/package.json'])
      await cp(join(sdk, name), join(folder, name), { recursive: true });
    const { files, main, types, typesVersions, exports, type, sideEffects } = await readManifest(sdk);
    const manifest: Manifest = { type, sideEffects, files, main, types, typesVersions, exports };
    await writeFile(join(folder, 'package.json'), JSON.stringify(await publishedManifest(sdk, manifest), null, 2));
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    for (const [project, name] of [
      [sdk, 'dist'],
      [join(sdk, 'cjs'), 'cjs'],
    ] as const) {
      const info = ['--tsBuildInfoFile', join(folder, `${name}.tsbuildinfo`)];
      await run(process.execPath, [tsc, '-p', project, '--outDir', join(folder, name), ...info]);
    }
    return pack(folder, to);
  });

/** A program of this repository, with the libraries that it uses. */
export const packApp = (app: 'cli' | 'simulador', { to }: Pick<Release, 'to'>) =>
  within(async (folder) => {
    await buildApp(app, folder);
    return pack(folder, to);
  });

/** A Python that builds wheels: the one of the path may lack the packages that Debian's has. */
async function pythonThatBuilds(): Promise<string> {
  for (const python of ['python3', '/usr/bin/python3'])
    if (await run(python, ['-c', 'import setuptools.build_meta, wheel']).then(...isDone)) return python;
  throw new Error('falta Python con setuptools y wheel (en Debian: apt-get install python3-setuptools python3-wheel)');
}

const isDone = [() => true, () => false] as const;

/** The client of Python as wheel and source archive, through the interface of PEP 517. */
export const packPython = ({ to, license, epoch }: Release) =>
  within(async (folder) => {
    const python = await pythonThatBuilds();
    await cp(join(ROOT, 'packages/sdk-python'), folder, {
      recursive: true,
      filter: (path) => !/__pycache__|\/build\b|\.egg-info/.test(path.slice(ROOT.length)),
    });
    const project = await readFile(join(folder, 'pyproject.toml'), 'utf8');
    const licensed = project.replace('readme =', `license = { text = ${JSON.stringify(license)} }\nreadme =`);
    await writeFile(join(folder, 'pyproject.toml'), licensed);
    const build = async (hook: 'build_sdist' | 'build_wheel') => {
      const program = `import sys, setuptools.build_meta as b; print(b.${hook}(sys.argv[1]))`;
      const said = await run(python, ['-c', program, to], folder, { SOURCE_DATE_EPOCH: epoch });
      return said.trim().split('\n').at(-1) ?? '';
    };
    return [await build('build_sdist'), await build('build_wheel')];
  });

/** The client of PHP, as an archive for Composer. */
export const packPhp = ({ to, version, license, epoch }: Release) =>
  within(async (folder) => {
    await cp(join(ROOT, 'packages/sdk-php'), folder, { recursive: true });
    const own = JSON.parse(await readFile(join(folder, 'composer.json'), 'utf8')) as Manifest;
    const manifest = { ...own, version, license: license === 'UNLICENSED' ? 'proprietary' : license };
    await writeFile(join(folder, 'composer.json'), `${JSON.stringify(manifest, null, 2)}\n`);
    const name = `acuse-sdk-php-${version}.zip`;
    const date = new Date(Number(epoch) * 1_000);
    const zip = new ZipArchive();
    zip.directory(folder, false, (entry) => ({ ...entry, date }));
    await Promise.all([pipeline(zip, createWriteStream(join(to, name))), zip.finalize()]);
    return name;
  });

/** The chart, with the schema of its values. */
export async function packChart({ to, version }: Release): Promise<string> {
  await run('helm', ['package', 'ops/helm/acuse', '--destination', to, '--version', version, '--app-version', version]);
  return `acuse-${version}.tgz`;
}

/** Bill of materials of the libraries that run, in CycloneDX 1.5, by npm. */
export const writeSbom = ({ to, version, epoch }: Release) =>
  within(async (folder) => {
    // `npm sbom --omit` leaves out whatever any workspace has for development or as a peer, although another one needs
    // it: the folder has only what runs.
    const lock = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')) as LockFile;
    for (const [path, entry] of Object.entries(lock.packages)) {
      if (entry.dev || entry.devOptional || entry.peer || entry.optional) delete lock.packages[path];
      if (path.includes('node_modules')) continue;
      delete entry.devDependencies;
      const { devDependencies: _dev, ...manifest } = await readManifest(join(ROOT, path));
      await mkdir(join(folder, path), { recursive: true });
      await writeFile(join(folder, path, 'package.json'), JSON.stringify(manifest));
    }
    await writeFile(join(folder, 'package-lock.json'), JSON.stringify(lock));
    const apps = SERVICE.flatMap((app) => ['--workspace', `@acuse/${app}`]);
    const said = await run('npm', ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx', ...apps], folder);
    // npm names the folder, and writes its own time and a random number.
    const { serialNumber: _, ...bom } = JSON.parse(said) as {
      serialNumber: string;
      metadata: { timestamp: string; component: { name: string } };
    };
    bom.metadata.timestamp = new Date(Number(epoch) * 1_000).toISOString();
    bom.metadata.component.name = 'acuse';
    const name = `acuse-${version}.cdx.json`;
    await writeFile(join(to, name), `${JSON.stringify(bom, null, 2)}\n`);
    return name;
  });

interface LockFile {
  readonly packages: Record<string, Record<'dev' | 'devOptional' | 'peer' | 'optional' | 'devDependencies', unknown>>;
}

/**
 * The images, with the labels of the OCI, as `docker load` takes them; null without an engine that builds. `docker`:
 * a client that builds with BuildKit. `more`: arguments of the build for this machine.
 */
export async function packImages(
  { to, version, license, commit, epoch }: Release,
  [docker = 'docker', ...more]: readonly string[] = [],
): Promise<string[] | null> {
  if (!(await run(docker, ['info']).then(...isDone))) return null;
  const values = {
    VERSION: version,
    REVISION: commit,
    LICENSE: license,
    CREATED: new Date(Number(epoch) * 1_000).toISOString(),
  };
  const args = Object.entries(values).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]);
  const names: string[] = [];
  for (const [target, image] of [
    ['acuse', 'acuse'],
    ['simulador', 'acuse-simulador'],
  ] as const) {
    const tag = `${image}:${version}`;
    const file = ['--file', 'apps/Dockerfile', '--target', target, '--tag', tag];
    await run(docker, ['build', '--quiet', ...file, ...args, ...more, '.'], ROOT, { DOCKER_BUILDKIT: '1' });
    const name = `${image}-image-${version}.tar`;
    await run(docker, ['save', '--output', join(to, name), tag]);
    names.push(name);
  }
  return names;
}
