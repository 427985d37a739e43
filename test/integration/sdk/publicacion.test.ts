import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Published, publishSdk } from './published.ts';

let sdk: Published;
beforeAll(async () => {
  sdk = await publishSdk();
});
afterAll(() => sdk?.close());

describe('the published client', () => {
  it('has nothing that publint complains of', async () => {
    const { messages } = await publint({ pkgDir: sdk.paquete, level: 'suggestion', strict: true, pack: false });
    expect(messages).toEqual([]);
  });

  it('has right types for every way of finding modules, CommonJS too', async () => {
    const analysis = await checkPackage(createPackageFromTarballData(await readFile(sdk.tarball)));
    if (analysis.types === false) throw new Error('no types');
    expect(Object.keys(analysis.entrypoints).sort()).toEqual(['.', './node', './operaciones']);
    expect(analysis.problems).toEqual([]);
  });

  it.each([
    ['imports', 'program.mjs', (name: string) => `await import('${name}')`],
    ['requires', 'program.cjs', (name: string) => `require('${name}')`],
  ])('needs nothing beside itself: plain Node %s all of it from an empty folder', async (_, file, load) => {
    const { dependencies, peerDependencies } = JSON.parse(await readFile(join(sdk.paquete, 'package.json'), 'utf8'));
    expect([dependencies, peerDependencies]).toEqual([undefined, undefined]);
    const program = join(sdk.folder, file);
    const all = ['@acuse/sdk', '@acuse/sdk/node', '@acuse/sdk/operaciones'].map(load);
    await writeFile(program, `console.log(JSON.stringify([${all}].map((each) => Object.keys(each).sort())));`);
    // Frameworks that load CommonJS in a world of their own find no ECMAScript module by \`require\`.
    const { stdout } = await promisify(execFile)(process.execPath, ['--no-experimental-require-module', program]);
    expect(JSON.parse(stdout)).toEqual([
      ['Acuse', 'AcuseError', 'elementos', 'esPasajero', 'paginas', 'verificarWebhook'],
      ['PaqueteCfdi', 'descargarCfdi', 'guardarPaquete'],
      ['GRUPOS', 'OPERACIONES'],
    ]);
  });
});

/** Faults of the compiler in a program of a user of the client. */
async function compile(name: string, source: string, lib: readonly string[]): Promise<string[]> {
  const path = join(sdk.folder, name);
  await writeFile(path, source);
  const program = ts.createProgram([path], {
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    types: [],
    lib: lib.map((each) => `lib.${each}.d.ts`),
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    exactOptionalPropertyTypes: true,
  });
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}
const BROWSER = ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'];

describe('its types', () => {
  it('tell the code of an error by its name, and every field of an answer, to a program of a browser', async () => {
    const source = `
import { Acuse, AcuseError, type Factura, type Solicitud, verificarWebhook } from '@acuse/sdk';

export const codeOf = (error: unknown): 1004 | 3003 | null | 'other' => {
  if (!(error instanceof AcuseError)) throw error;
  if (error.nombre === 'SALDO_INSUFICIENTE') return error.codigo;
  switch (error.nombre) {
    case 'SOLICITUD_SIN_PAQUETE': return error.codigo;
    case 'PAQUETE_DANADO': return error.codigo;
    default: return error.requestId === null ? null : 'other';
  }
};
const acuse = new Acuse({ url: 'https://acuse.example', llave: 'x' });
export async function facturas(): Promise<Factura[]> {
  return (await acuse.tax.facturas({ rfc: 'x', desde: 'x', hasta: 'x' })).data.items;
}
export async function saldo(): Promise<number> {
  return (await acuse.usuario.datosFiscales({ rfc: 'x' })).saldo;
}
export const wait = async (id: string): Promise<Solicitud> => (await acuse.esperar(id)).solicitud;
export const event = async (request: Request) =>
  (await verificarWebhook<{ type: 'x' }>({ cuerpo: await request.text(), encabezados: request.headers }, ['whsec_'])).type satisfies 'x';
`;
    expect(await compile('right.mts', source, BROWSER)).toEqual([]);
  }, 120_000);

  it('refuse a word, a field, an operation and an error that the service does not know', async () => {
    const source = `
import { Acuse, AcuseError } from '@acuse/sdk';
const acuse = new Acuse({ url: 'https://acuse.example', llave: 'x' });
await acuse.tax.descargaMetadata({ rfc: 'x', tipo: 'todos', desde: 'x', hasta: 'x' });
(await acuse.tax.facturas({ rfc: 'x', desde: 'x', hasta: 'x' })).data.facturas;
await acuse.tax.inventada({ rfc: 'x' });
export const isIt = (error: unknown) => error instanceof AcuseError && error.nombre === 'NO_EXISTE';
export const code = (error: unknown): 1005 | null =>
  error instanceof AcuseError && error.nombre === 'SALDO_INSUFICIENTE' ? error.codigo : null;
`;
    const problems = await compile('wrong.mts', source, BROWSER);
    expect(problems).toHaveLength(5);
    expect(problems.join('\n')).toMatch(/todos[\s\S]*facturas[\s\S]*inventada[\s\S]*NO_EXISTE[\s\S]*1004/);
  }, 120_000);
});
