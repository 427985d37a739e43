import { execFile, spawnSync } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { unzipSync } from 'fflate';
import { publint } from 'publint';
import ts from 'typescript';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { blocksOf } from '../documentos/ordenes.ts';
import { duringTests } from '../fixtures/during-tests.ts';
import { addPublic, publishSimulator, startProgram } from './published.ts';

const run = promisify(execFile);
const published = duringTests(publishSimulator, (each) =>
  addPublic(each, '@nodecfdi/sat-ws-descarga-masiva', '@nodecfdi/cfdi-core', 'luxon'),
);
const PAGE = 'apps/simulador/README.md';

describe('the package of the simulator', () => {
  it('has nothing that publint complains of', async () => {
    const { messages } = await publint({ pkgDir: published.paquete, level: 'suggestion', strict: true, pack: false });
    expect(messages).toEqual([]);
  });

  it('has right types for every way of finding modules that knows ECMAScript modules', async () => {
    const analysis = await checkPackage(createPackageFromTarballData(await readFile(published.tarball)));
    if (analysis.types === false) throw new Error('no types');
    expect(Object.keys(analysis.entrypoints)).toEqual(['.']);
    const own = analysis.problems.filter(
      (problem) =>
        problem.kind !== 'CJSResolvesToESM' &&
        !(problem.kind === 'NoResolution' && problem.resolutionKind === 'node10'),
    );
    expect(own).toEqual([]);
  });

  it('brings all that it needs, and nothing else of this repository', async () => {
    const manifest = JSON.parse(await readFile(join(published.paquete, 'package.json'), 'utf8'));
    const needs = ['dependencies', 'optionalDependencies', 'peerDependencies', 'scripts'];
    expect(needs.filter((field) => field in manifest)).toEqual([]);
    const installed = JSON.parse(await readFile(join(published.folder, 'node_modules/.package-lock.json'), 'utf8'));
    expect(Object.keys(installed.packages)).toEqual(['node_modules/@acuse/simulador']);
    const files = (await readdir(published.paquete, { recursive: true })).filter((name) => /\.\w+$/.test(name));
    const isExpected =
      /^(package\.json|README\.md|PROTOCOLS\.md|THIRD-PARTY-LICENSES\.txt|lib\/(data\/\S+\.(afm|icc)|index\.d\.ts|(index|main|chunk-\w+)\.js))$/;
    expect(files.filter((name) => !isExpected.test(name))).toEqual([]);
    expect(await readFile(join(published.paquete, 'README.md'), 'utf8')).not.toContain('May import of ours');
    const programs = files.filter((name) => name.endsWith('.js'));
    const texts = await Promise.all(programs.map((name) => readFile(join(published.paquete, name), 'utf8')));
    // A bundle names the file that each part of it is of.
    const parts = texts.flatMap((text) => [...text.matchAll(/^\/\/ ((?:apps|packages|test|node_modules)\/\S+)$/gm)]);
    const paths = parts.map(([, path = '']) => path);
    expect(paths.length).toBeGreaterThan(100);
    const isOwn = (path: string) =>
      /^(node_modules|apps\/simulador\/src)\//.test(path) && !/\.test\.|\/testing\//.test(path);
    expect(paths.filter((path) => !isOwn(path))).toEqual([]);
    const licenses = await readFile(join(published.paquete, 'THIRD-PARTY-LICENSES.txt'), 'utf8');
    const libraries = paths.flatMap((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
    expect([...new Set(libraries)].filter((name) => !licenses.includes(`\n${name} `))).toEqual([]);
  });

  it('has types that need no other package, and refuse what the simulator does not know', {
    tags: ['slow'],
  }, async () => {
    const compile = async (name: string, source: string) => {
      const path = join(published.folder, name);
      await writeFile(path, source);
      const program = ts.createProgram([path], {
        strict: true,
        noEmit: true,
        skipLibCheck: false,
        types: [],
        lib: ['lib.es2023.d.ts'],
        module: ts.ModuleKind.NodeNext,
        moduleResolution: ts.ModuleResolutionKind.NodeNext,
        target: ts.ScriptTarget.ES2023,
        exactOptionalPropertyTypes: true,
      });
      const problems = ts.getPreEmitDiagnostics(program);
      return problems.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
    };
    const right = `
import { type Efirma, type Simulador, start } from '@acuse/simulador';
const sat: Simulador = await start({ puerto: 0, ajustes: { captcha: false }, reloj: new Date() });
export const efirma: Efirma = await sat.efirma('EKU9003173C9', { vence: new Date() });
export const id: string = await sat.fallar({ servicio: '*', tipo: 'cut', veces: 1 });
export const url: string = sat.direcciones.descargaMasiva.retenciones.descarga;
await sat.close();`;
    expect(await compile('right.mts', right)).toEqual([]);
    const wrong = `
import { start } from '@acuse/simulador';
const sat = await start({ ajustes: { captchas: false } });
await sat.fallar({ servicio: '*', tipo: 'otra' });
sat.world;`;
    const problems = await compile('wrong.mts', wrong);
    expect(problems).toHaveLength(3);
    expect(problems.join('\n')).toMatch(/captchas[\s\S]*otra[\s\S]*world/);
  });
});

describe('its program', () => {
  /** What `npx @acuse/simulador` says, and its exit code. */
  const npx = (...args: readonly string[]) =>
    run('npx', ['--no', '--', '@acuse/simulador', ...args], { cwd: published.folder }).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ code, stdout, stderr }),
    );

  it('is found by npx, tells its version and its options', async () => {
    expect((await npx('--version')).stdout).toBe('0.1.0\n');
    const { code, stdout } = await npx('--help');
    expect([code, stdout]).toEqual([0, expect.stringContaining('--efirma <RFC>')]);
  });

  it('refuses an order that it cannot carry out, and says what to do', { tags: ['slow'] }, async () => {
    expect(await npx('--puerto', 'x')).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('65535') });
    const taken = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void taken.close());
    await expect.poll(() => taken.listening).toBe(true);
    const { port } = taken.address() as { port: number };
    const { code, stderr } = await npx('--puerto', String(port));
    expect([code, stderr]).toEqual([1, expect.stringContaining('otro programa ya escucha ahí')]);
    expect(stderr).not.toContain('at ');
  });

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'ends with 0 at %s, with a caller still connected',
    { tags: ['slow'] },
    async (signal) => {
      const { said, end } = await startProgram(published);
      expect(await (await fetch(`${said.url}/salud`)).json()).toMatchObject({ estado: 'ok' });
      expect(await end(signal)).toEqual([0, null]);
    },
  );
});

/** The programs of the page in a language, in their order. */
const textsOf = (language: string) =>
  blocksOf(PAGE)
    .filter((block) => block.language === language)
    .map(({ text }) => text);

const ARGS = ['--datos', 'sat', '--efirma', 'EKU9003173C9'];

describe('the page of the simulator', () => {
  it('starts it as the program is started here', async () => {
    const started = textsOf('sh').flatMap((text) => text.match(/^npx .*$/gm) ?? []);
    expect(started).toEqual([
      `npx @acuse/simulador ${ARGS.join(' ')}`,
      `npx @acuse/simulador ${ARGS.join(' ')} --https`,
    ]);
  });

  it('has a program for @nodecfdi/sat-ws-descarga-masiva that fetches every row', async () => {
    const { said, end } = await startProgram(published, ...ARGS, '--https', '--reloj', '2026-06-15T12:00:00Z');
    expect(said.ca).toBe(join(published.folder, 'sat/ca.pem'));
    const [program = ''] = textsOf('js');
    await writeFile(join(published.folder, 'descarga.mjs'), program);
    const env = { PATH: process.env['PATH'], NODE_EXTRA_CA_CERTS: 'sat/ca.pem', SAT: said.url };
    const { stdout } = await run(process.execPath, ['descarga.mjs'], { cwd: published.folder, env });
    expect(stdout).toMatch(/^5000 Solicitud Aceptada\n([\w-]+_01)\.zip\n$/);
    const name = stdout.trim().split('\n').at(-1) ?? '';
    const files = unzipSync(await readFile(join(published.folder, name)));
    const metadata = Object.entries(files).find(([entry]) => entry === name.replace('.zip', '.txt'))?.[1];
    const rows = Buffer.from(metadata ?? [])
      .toString('utf8')
      .split('\r\n')
      .slice(1, -1);
    expect(rows.length).toBeGreaterThan(10);
    // A third party's name may hold a line feed of its own; every row begins with the UUID of its CFDI.
    expect(rows.filter((row) => !/^[0-9A-F-]{36}~/.test(row))).toEqual([]);
    expect(await end('SIGTERM')).toEqual([0, null]);
  });

  it('has a test of node:test that passes', { tags: ['slow'] }, async () => {
    const [, program = ''] = textsOf('js');
    await writeFile(join(published.folder, 'prueba.mjs'), program);
    const { stdout } = await run(process.execPath, ['--test', 'prueba.mjs'], { cwd: published.folder });
    expect(stdout).toMatch(/^(# |ℹ )pass 1$/m);
  });

  it('has programs for PHP and Python that these languages can read', { tags: ['slow'] }, async () => {
    const [php = ''] = textsOf('php');
    const [python = ''] = textsOf('python');
    await writeFile(join(published.folder, 'descarga.php'), php);
    await writeFile(join(published.folder, 'descarga.py'), python);
    const read = (program: string, ...args: readonly string[]) => {
      const { status, stderr, error } = spawnSync(program, args, { cwd: published.folder, encoding: 'utf8' });
      // Where there is no such interpreter, nothing is read.
      return error ? [0, ''] : [status, stderr];
    };
    expect(read('php', '-d', 'display_errors=stderr', '-l', 'descarga.php')).toEqual([0, '']);
    expect(read('python3', '-B', '-c', 'compile(open("descarga.py").read(), "descarga.py", "exec")')).toEqual([0, '']);
  });
});

describe.runIf(spawnSync('curl', ['--version']).status === 0)('its commands with curl', { tags: ['slow'] }, () => {
  let answers: readonly { command: string; answer: string }[];
  beforeAll(async () => {
    const { said, end } = await startProgram(published, ...ARGS);
    const shown = textsOf('sh')
      .filter((text) => text.includes('$SAT'))
      .join('\n');
    const commands = shown
      .replace(/^export SAT=.*$/m, '')
      .replace(/(^| +)# .*$/gm, '')
      .split(/\n+(?=curl |EXPRESION=|node )/)
      .map((command) => command.trim())
      .filter((command) => command !== '');
    const script = commands.map((command) => `${command}\nprintf '\\n>>>>\\n'`).join('\n');
    const { stdout } = await run('bash', ['-e', '-o', 'pipefail', '-c', script], {
      cwd: published.folder,
      env: { PATH: process.env['PATH'], SAT: said.url },
      maxBuffer: 16 * 1_048_576,
    });
    const printed = stdout.split('\n>>>>\n');
    answers = commands.map((command, n) => ({ command, answer: printed[n] ?? '' }));
    await end('SIGINT');
  });
  const answersTo = (part: string | RegExp) =>
    answers.filter(({ command }) => command.match(part)).map(({ answer }) => answer);

  it('are none of them refused', () => {
    expect(answers.length).toBeGreaterThan(20);
    for (const { command, answer } of answers) {
      expect([command, answer]).toEqual([command, expect.not.stringContaining('"error"')]);
      const isSilent = !command.startsWith('curl') || command.includes('> efirma.json');
      expect([command, answer === '']).toEqual([command, isSilent]);
    }
  });

  it('tell the status of a CFDI, leave an e.firma, and inject what they say', async () => {
    expect(answersTo('ConsultaCFDIService')[0]).toContain('S - Comprobante obtenido satisfactoriamente.');
    expect(answersTo('ca.pem')[0]).toContain('-----BEGIN CERTIFICATE-----');
    expect(answersTo('efirma/revocar')[0]).toContain('"revocado":true');
    expect(await readdir(published.folder)).toEqual(expect.arrayContaining(['efirma.cer', 'efirma.key']));
    const [listed = ''] = answersTo(/control\/fallas$/);
    expect(JSON.parse(listed).fallas).toMatchObject([
      { tipo: 'html200', veces: 2 },
      { tipo: 'cut', despues_de: 1 },
      { tipo: 'slow', ms: 5000 },
      { tipo: 'code', codigo: 5002 },
    ]);
    expect(answersTo('fijar":"2026-06-01')[0]).toContain('"ahora":"2026-06-01T18:00:0');
    expect(answersTo('1000000')[0]).toContain('"cantidad":1000000');
    expect(answersTo('max_filas_metadata')[0]).toContain('"verificaciones_hasta_terminar":5');
  });
});
