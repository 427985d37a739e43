import { cp, readdir, readFile, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';
import { bundlePackage, ROOT } from '../../packages/embedded/src/release/bundle.ts';

const HERE = fileURLToPath(new URL('.', import.meta.url));

/** Gives a module the URL that it has in this repository, below the package: from there it finds the SQL. */
const asInWorkspaces: Plugin = {
  name: 'as-in-workspaces',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]packages[\\/]db[\\/]src[\\/].*\.ts$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replaceAll(
        'import.meta.url',
        `new URL('../${relative(ROOT, path)}', import.meta.url)`,
      ),
      loader: 'ts',
    }));
  },
};

/**
 * Makes the package in `folder`, emptied first: `acuse` with its libraries, and the SQL of `acuse operador migrar`, where
 * its module finds them.
 */
export async function buildPackage(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await bundlePackage(folder, {
    folder: HERE,
    entryPoints: { acuse: join(HERE, 'src/main.ts') },
    documents: [],
    manifest: {
      keywords: ['sat', 'cfdi', 'descarga-masiva', 'mexico', 'facturacion', 'cli', 'mcp'],
      type: 'module',
      bin: { acuse: 'lib/acuse.js' },
      files: ['lib', 'prisma', 'THIRD-PARTY-LICENSES.txt'],
    },
    esbuild: { external: ['pg-native', '@valkey/valkey-glide'], plugins: [asInWorkspaces] },
  });
  for (const name of (await readdir(join(ROOT, 'prisma'))).filter((each) => each !== 'schema.prisma'))
    await cp(join(ROOT, 'prisma', name), join(folder, 'prisma', name), { recursive: true });
  await cp(join(ROOT, 'docs/integrators/es/cli.md'), join(folder, 'README.md'));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildPackage(process.argv[2] ?? join(HERE, 'dist-npm'));
