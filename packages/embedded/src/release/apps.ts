import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { bundlePackage, places, ROOT } from './bundle.ts';

const SIMULADOR = join(ROOT, 'apps/simulador');
const CLI = join(ROOT, 'apps/cli');

/** Makes the package of the simulator: a program, a module and its types. */
async function buildSimulador(folder: string): Promise<void> {
  await bundlePackage(folder, {
    folder: SIMULADOR,
    entryPoints: { index: join(SIMULADOR, 'src/publico.ts'), main: join(SIMULADOR, 'src/main.ts') },
    documents: ['README.md', 'PROTOCOLS.md'],
    manifest: {
      keywords: ['sat', 'cfdi', 'descarga-masiva', 'simulador', 'mexico', 'facturacion', 'e.firma'],
      type: 'module',
      bin: { simulador: 'lib/main.js' },
      exports: { '.': { types: './lib/index.d.ts', default: './lib/index.js' } },
      files: ['lib', 'PROTOCOLS.md', 'THIRD-PARTY-LICENSES.txt'],
    },
  });
  await writeFile(join(folder, 'lib/index.d.ts'), await declarations(join(SIMULADOR, 'src/publico.ts')));
  // Metrics of the fonts of every PDF reader, which pdfkit reads from beside itself.
  await cp(join(ROOT, 'node_modules/pdfkit/js/data'), join(folder, 'lib/data'), { recursive: true });
}

/** The types of a module that names those of no other. @throws an Error where it does. */
async function declarations(path: string): Promise<string> {
  const { outputText, diagnostics = [] } = ts.transpileDeclaration(await readFile(path, 'utf8'), {
    fileName: path,
    reportDiagnostics: true,
    compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.NodeNext },
  });
  const problems = diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
  if (/\bfrom ['"]|\bimport\(/.test(outputText)) problems.push('it imports types');
  if (problems.length > 0) throw new Error(`${path} cannot be published:\n${problems.join('\n')}`);
  return outputText;
}

/** The modules of the database have the URL of this repository, below the package: from there they find the SQL. */
const asInRepository = places(
  /[\\/]packages[\\/]db[\\/]src[\\/].*\.ts$/,
  (path) => `new URL('../${relative(ROOT, path)}', import.meta.url)`,
);

/** Makes the package of `acuse`, with the SQL of `acuse operador migrar` where its module finds it. */
async function buildCli(folder: string): Promise<void> {
  await bundlePackage(folder, {
    folder: CLI,
    entryPoints: { acuse: join(CLI, 'src/main.ts') },
    documents: [],
    manifest: {
      keywords: ['sat', 'cfdi', 'descarga-masiva', 'mexico', 'facturacion', 'cli', 'mcp'],
      type: 'module',
      bin: { acuse: 'lib/acuse.js' },
      files: ['lib', 'prisma', 'THIRD-PARTY-LICENSES.txt'],
    },
    esbuild: { external: ['pg-native', '@valkey/valkey-glide'], plugins: [asInRepository] },
  });
  for (const name of (await readdir(join(ROOT, 'prisma'))).filter((each) => each !== 'schema.prisma'))
    await cp(join(ROOT, 'prisma', name), join(folder, 'prisma', name), { recursive: true });
  await cp(join(ROOT, 'docs/integrators/es/cli.md'), join(folder, 'README.md'));
}

const BUILD = { simulador: buildSimulador, cli: buildCli };

/** Makes the package of a program in `folder`, emptied first. It contains its libraries, and depends on nothing. */
export async function buildApp(app: keyof typeof BUILD, folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await BUILD[app](folder);
}

// `npm run build` and the image take the simulator from its `dist`.
if (process.argv[1] === fileURLToPath(import.meta.url)) await buildApp('simulador', join(SIMULADOR, 'dist'));
