import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Plugin } from 'esbuild';

export const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** Options of every bundle for Node: ECMAScript modules, in which libraries of CommonJS find `require` and `__dirname`. */
export const FOR_NODE = {
  absWorkingDir: ROOT,
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  charset: 'utf8',
  conditions: ['acuse-source'],
  logLevel: 'error',
  banner: {
    js: `import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);
const __dirname = import.meta.dirname, __filename = import.meta.filename;`,
  },
} as const satisfies BuildOptions;

const unchanged = (text: string, _path: string): string => text;

/** Gives a module in a bundle the URL, an expression, that `urlOf` says of its path. `edit` may change its text first. */
export const places = (filter: RegExp, urlOf: (path: string) => string, edit = unchanged): Plugin => ({
  name: 'places',
  setup({ onLoad }) {
    onLoad({ filter }, async ({ path }) => ({
      contents: edit(await readFile(path, 'utf8'), path).replaceAll('import.meta.url', urlOf(path)),
      loader: path.endsWith('x') ? 'tsx' : 'ts',
    }));
  },
});

export type Manifest = Readonly<Record<string, unknown>>;

export const readManifest = async (folder: string): Promise<Manifest> =>
  JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;

/**
 * The manifest of a published package of the workspace in `folder`: name, version and description of the workspace,
 * licence, repository and versions of Node of the root, the only file that has them; then `more`.
 */
export async function publishedManifest(folder: string, more: Manifest): Promise<Manifest> {
  const { name, version, description } = await readManifest(folder);
  const { license, repository, engines } = await readManifest(ROOT);
  const publishConfig = { access: 'public', ...(repository === undefined ? {} : { provenance: true }) };
  return { name, version, description, license, repository, engines, publishConfig, ...more };
}

/**
 * Bundles the entry points of a workspace with their libraries into `<to>/lib`, and writes documents, manifest and
 * THIRD-PARTY-LICENSES.txt beside it.
 */
export async function bundlePackage(
  to: string,
  options: {
    /** The workspace. */
    readonly folder: string;
    /** Sources of the entry points by their name in `lib`. */
    readonly entryPoints: Readonly<Record<string, string>>;
    readonly documents: readonly string[];
    readonly manifest: Manifest;
    readonly esbuild?: BuildOptions;
  },
): Promise<void> {
  const { folder, entryPoints, documents, manifest, esbuild } = options;
  const { metafile } = await build({
    ...FOR_NODE,
    ...esbuild,
    entryPoints: { ...entryPoints },
    outdir: join(to, 'lib'),
    legalComments: 'none',
    metafile: true,
  });
  await writeFile(join(to, 'THIRD-PARTY-LICENSES.txt'), await licenses(Object.keys(metafile.inputs)));
  for (const name of documents) await cp(join(folder, name), join(to, name));
  const own = await publishedManifest(folder, manifest);
  await writeFile(join(to, 'package.json'), `${JSON.stringify(own, null, 2)}\n`);
}

/** Licences of the libraries that have these files. */
export async function licenses(inputs: readonly string[]): Promise<string> {
  const folders = new Set(
    inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.slice(0, 1) ?? []),
  );
  const texts = await Promise.all(
    [...folders].sort().map(async (folder) => {
      const { name, version, license } = await readManifest(join(ROOT, folder));
      const files = (await readdir(join(ROOT, folder))).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
      const bodies = await Promise.all(files.map((file) => readFile(join(ROOT, folder, file), 'utf8')));
      return [`${name} ${version} (${license})`, ...bodies.map((body) => body.trim())].join('\n\n');
    }),
  );
  return `The programs here contain these libraries.\n\n${texts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}
