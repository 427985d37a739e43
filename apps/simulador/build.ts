import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import ts from 'typescript';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const ROOT = join(HERE, '../..');

/** What CommonJS in a bundle of ECMAScript modules asks for. */
const COMMON_JS = `import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);
const __dirname = import.meta.dirname, __filename = import.meta.filename;`;

/** Documents of the package, beside its manifest. */
const DOCUMENTS = ['README.md', 'PROTOCOLS.md'];

/**
 * Makes the package in `folder`, emptied first: one program and one module with the libraries that they use, so that it
 * has no dependencies, and the types of the module.
 */
export async function buildPackage(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  const lib = join(folder, 'lib');
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: { index: join(HERE, 'src/publico.ts'), main: join(HERE, 'src/main.ts') },
    outdir: lib,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    charset: 'utf8',
    banner: { js: COMMON_JS },
    legalComments: 'none',
    metafile: true,
    logLevel: 'error',
  });
  await writeFile(join(lib, 'index.d.ts'), await declarations(join(HERE, 'src/publico.ts')));
  // The metrics of the fonts that every PDF reader has, which pdfkit looks for beside itself.
  await cp(join(ROOT, 'node_modules/pdfkit/js/data'), join(lib, 'data'), { recursive: true });
  await writeFile(join(folder, 'THIRD-PARTY-LICENSES.txt'), await licenses(Object.keys(metafile.inputs)));
  for (const name of DOCUMENTS) await cp(join(HERE, name), join(folder, name));
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(await manifest(), null, 2)}\n`);
}

async function manifest() {
  const read = async (path: string) => JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>;
  const { name, version, license, description } = await read(join(HERE, 'package.json'));
  const { engines } = await read(join(ROOT, 'package.json'));
  return {
    name,
    version,
    private: true,
    license,
    description,
    keywords: ['sat', 'cfdi', 'descarga-masiva', 'simulador', 'mexico', 'facturacion', 'e.firma'],
    type: 'module',
    engines,
    bin: { simulador: 'lib/main.js' },
    exports: { '.': { types: './lib/index.d.ts', default: './lib/index.js' } },
    files: ['lib', 'PROTOCOLS.md', 'THIRD-PARTY-LICENSES.txt'],
  };
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

/** The licenses of the libraries that these files are of. */
async function licenses(inputs: readonly string[]): Promise<string> {
  const folders = new Set(
    inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.slice(0, 1) ?? []),
  );
  const texts = await Promise.all(
    [...folders].sort().map(async (folder) => {
      const { name, version, license } = JSON.parse(await readFile(join(ROOT, folder, 'package.json'), 'utf8')) as {
        [field in 'name' | 'version' | 'license']: string;
      };
      const files = (await readdir(join(ROOT, folder))).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
      const bodies = await Promise.all(files.map((file) => readFile(join(ROOT, folder, file), 'utf8')));
      return [`${name} ${version} (${license})`, ...bodies.map((body) => body.trim())].join('\n\n');
    }),
  );
  return `This package contains these libraries.\n\n${texts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildPackage(join(HERE, 'dist'));
