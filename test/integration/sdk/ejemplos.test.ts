import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '@acuse/embedded';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ciecOf, useServicio } from '../fixtures/servicio.ts';
import { expectTakesSignedOnly, listenTo, SECRETO, samplesOf } from './muestras.ts';
import { type Published, publishSdk } from './published.ts';

/** The programs of the page, by the heading that they stand under. */
const samples = samplesOf(new URL('../../../packages/sdk/README.md', import.meta.url), 'ts');
/** What each of them prints, in this order. */
const PRINTS: readonly (readonly [title: string, printed: RegExp])[] = [
  ['La primera descarga', /^EN_PROCESO \d+ %[\s\S]*TERMINADA 100 %\nenero\.zip: \d+ bytes, \d+ CFDI\n$/],
  ['Los CFDI', /^([0-9A-F-]{36} cfdi\/2026-02\/[0-9A-F-]{36}\.xml \d+\n)+([0-9A-F-]{36} CANCELADO_RECIBIDO\n)*$/],
  ['Operaciones', /^(2026-03-\d\d \S+ [\d.]+\n){3}$/],
  ['Listas por páginas', /^\d{3,}\.\d\d\n$/],
  ['Esperar días, y continuar', /^[0-9a-f]{64}\ntrue\n$/],
  ['Errores', /^2002 No existe una solicitud/],
  ['Al día', /^\d+ créditos la primera carga\n(nuevo [0-9A-F-]{36}\n)*$/],
];

describe('the programs of packages/sdk/README.md', { shuffle: false }, () => {
  const servicio = useServicio({}, {});
  let sdk: Published;
  let env: NodeJS.ProcessEnv;
  beforeAll(async () => {
    sdk = await publishSdk();
    const caller = await servicio.newCaller({ rfc: 'ACU200101DB1', saldo: 10 });
    const own = {
      ACUSE_URL: servicio.api.url,
      ACUSE_API_KEY: caller.apiKey,
      RFC: caller.rfc,
      CIEC: ciecOf(caller.rfc),
    };
    env = { PATH: process.env['PATH'], ...own, SECRETO };
  });
  afterAll(() => sdk?.close());

  /** Starts a pasted program in its own folder. */
  async function start(title: string, more: Record<string, string> = {}) {
    const { outputText } = ts.transpileModule(samples.get(title) ?? '', {
      compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 },
    });
    const cwd = await mkdtemp(join(sdk.folder, 'sample-'));
    await writeFile(join(cwd, 'program.mjs'), outputText);
    const child = spawn(process.execPath, ['program.mjs'], {
      cwd,
      env: { ...env, ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return { cwd, ...listenTo(child) };
  }

  it('are all here, and compile', async () => {
    expect([...samples.keys()]).toEqual([...PRINTS.map(([title]) => title), 'Avisos (webhooks)']);
    const files = await Promise.all(
      [...samples.values()].map(async (code, at) => {
        const path = join(sdk.folder, `sample-${at}.mts`);
        await writeFile(path, code);
        return path;
      }),
    );
    const program = ts.createProgram(files, {
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      types: ['node'],
      lib: ['lib.es2023.d.ts'],
      typeRoots: [new URL('../../../node_modules/@types', import.meta.url).pathname],
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      target: ts.ScriptTarget.ES2023,
    });
    const problems = ts.getPreEmitDiagnostics(program);
    expect(problems.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual([]);
  });

  it.each(PRINTS)('“%s” runs with what is published', async (title, printed) => {
    const { cwd, said, ended } = await start(title);
    expect([await ended, said.err]).toEqual([0, '']);
    expect(said.out).toMatch(printed);
    if (said.out.includes('enero.zip')) expect(await readdir(cwd)).toContain('enero.zip');
  });

  it('“Avisos” answers 204 to a webhook that is signed, and 400 to one that is not', async () => {
    const PUERTO = String(await freePort());
    const { child, said, ended } = await start('Avisos (webhooks)', { PUERTO });
    try {
      await expectTakesSignedOnly(PUERTO, said);
    } finally {
      stop(child);
      await ended;
    }
  });
});

const stop = (child: ChildProcess) => child.kill('SIGTERM');
