import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { bundlePackage, ROOT } from '../../packages/embedded/src/release/bundle.ts';

const HERE = fileURLToPath(new URL('.', import.meta.url));

/**
 * Makes the package in `folder`, emptied first: one program and one module with the libraries that they use, so that it
 * has no dependencies, and the types of the module.
 */
export async function buildPackage(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await bundlePackage(folder, {
    folder: HERE,
    entryPoints: { index: join(HERE, 'src/publico.ts'), main: join(HERE, 'src/main.ts') },
    documents: ['README.md', 'PROTOCOLS.md'],
    manifest: {
      keywords: ['sat', 'cfdi', 'descarga-masiva', 'simulador', 'mexico', 'facturacion', 'e.firma'],
      type: 'module',
      bin: { simulador: 'lib/main.js' },
      exports: { '.': { types: './lib/index.d.ts', default: './lib/index.js' } },
      files: ['lib', 'PROTOCOLS.md', 'THIRD-PARTY-LICENSES.txt'],
    },
  });
  await writeFile(join(folder, 'lib/index.d.ts'), await declarations(join(HERE, 'src/publico.ts')));
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

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildPackage(process.argv[2] ?? join(HERE, 'dist'));
