import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { isRunning } from '@acuse/runtime';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { waitGone } from './children.ts';

const BIN = fileURLToPath(new URL('../bin', import.meta.url));

// A checkout in miniature: the real bin folder over a vitest, an npm and a Prisma that only note that they were called.
const VITEST = `
import { readFileSync, writeFileSync } from 'node:fs';
const report = process.argv.find((each) => each.startsWith('--outputFile.json='))?.slice('--outputFile.json='.length);
const plan = JSON.parse(readFileSync(new URL('../../plan.json', import.meta.url), 'utf8'));
console.log('args', JSON.stringify(process.argv.slice(2).filter((each) => !each.startsWith('--outputFile'))));
console.log('input', readFileSync(0).length);
if (plan.report) writeFileSync(report, JSON.stringify(plan.report));
if (plan.wait) {
  process.on('SIGTERM', () => process.exit(7));
  console.log('waiting', process.pid);
  setInterval(() => {}, 1000);
} else process.exit(plan.code ?? 0);
`;
const NOTE = (name: string, code: string) => `
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
appendFileSync('calls', ${JSON.stringify(name)} + ' ' + process.argv.slice(2).join(' ') + '\\n');
${code}`;

const assertion = (title: string, status: string, more: object = {}) => ({
  ancestorTitles: ['suite'],
  title,
  status,
  ...more,
});

describe('the entry of the npm scripts', { timeout: 120_000 }, () => {
  let root = '';
  let children: ChildProcess[] = [];

  const write = async (path: string, content: string | object) => {
    await mkdir(join(root, path, '..'), { recursive: true });
    await writeFile(join(root, path), typeof content === 'string' ? content : JSON.stringify(content));
  };
  const start = (...args: string[]) => {
    const child = spawn(process.execPath, [join(root, 'packages/embedded/bin/acuse.mjs'), ...args], {
      env: { ...process.env, npm_execpath: join(root, 'npm/npm-cli.js'), TMPDIR: root },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    children.push(child);
    return child;
  };
  const run = async (...args: string[]) => {
    const child = start(...args);
    const [output, errors, [code]] = await Promise.all([
      text(child.stdout ?? []),
      text(child.stderr ?? []),
      once(child, 'close'),
    ]);
    return { code, output, errors, last: output.trimEnd().split('\n').at(-1) };
  };
  /** The id of the program that `parent` started, once it says that it waits. */
  const waiting = async (parent: ChildProcess) => {
    let pid = 0;
    for await (const chunk of parent.stdout ?? []) {
      pid = Number(/waiting (\d+)/.exec(String(chunk))?.[1] ?? 0);
      if (pid > 0) break;
    }
    expect(isRunning(pid)).toBe(true);
    return pid;
  };
  const calls = async () =>
    (await readFile(join(root, 'calls'), 'utf8').catch(() => '')).trim().split('\n').filter(Boolean);
  const report = (...results: [status: string, ...tests: object[]][]) => ({
    testResults: results.map(([status, ...assertionResults], index) => ({
      name: join(root, `file-${index}.test.ts`),
      status,
      message: status === 'failed' ? 'Cannot load\nstack' : '',
      assertionResults,
    })),
  });

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'acuse-bin-'));
    await cp(BIN, join(root, 'packages/embedded/bin'), { recursive: true });
    await write('package.json', { engines: { node: '>=20.19' }, type: 'module' });
    await write('package-lock.json', {
      packages: {
        '': {},
        'packages/x': { version: '1.0.0' },
        'node_modules/vitest': { version: '4.0.0' },
        'node_modules/x': { link: true },
        'node_modules/other-platform': { version: '1.0.0', optional: true },
      },
    });
    await write('node_modules/.package-lock.json', {
      packages: { 'node_modules/vitest': { version: '4.0.0' }, 'node_modules/x': { link: true } },
    });
    await write('node_modules/vitest/vitest.mjs', VITEST);
    await write(
      'node_modules/prisma/build/index.js',
      NOTE('prisma', `mkdirSync('packages/db/src/generated', { recursive: true });`),
    );
    await write('npm/package.json', { type: 'module' });
    await write(
      'npm/npm-cli.js',
      NOTE('npm', `if (existsSync('npm-fails')) { console.error('no network'); process.exit(1); }`),
    );
    await write('plan.json', { report: report(['passed', assertion('works', 'passed')]) });
  });
  afterEach(async () => {
    for (const child of children) child.kill('SIGKILL');
    children = [];
    await rm(root, { recursive: true, force: true });
  });

  test('test counts single tests, names the failed ones, and says so in its last line', async () => {
    const tests = [
      assertion('works', 'passed'),
      assertion('too', 'passed'),
      assertion('breaks', 'failed', { failureMessages: ['Error: not two\n    at stack'] }),
      assertion('later', 'pending'),
    ];
    await write('plan.json', { code: 1, report: report(['failed', ...tests], ['failed']) });
    const { code, output, last } = await run('test', 'packages/vault', '-t', 'a name');
    expect(last).toBe('2 passed, 2 failed, 1 skipped');
    expect(code).toBe(1);
    expect(output).toContain('FAILED file-0.test.ts > suite > breaks: Error: not two\n');
    expect(output).toContain('FAILED file-1.test.ts: Cannot load\n');
    expect(output).toContain('"packages/vault","-t","a name"]');
    expect(output).toContain('input 0\n');
  });

  test.each([
    ['all pass', { code: 0 }, 0, '1 passed, 0 failed'],
    ['the run fails though no test did', { code: 1 }, 1, '1 passed, 1 failed'],
    ['there is no report', { code: 134, report: null }, 134, '0 passed, 1 failed'],
    ['nothing ran', { code: 0, report: { testResults: [] } }, 1, '0 passed, 0 failed'],
  ])('test when %s', async (_, plan, code, last) => {
    await write('plan.json', { report: report(['passed', assertion('works', 'passed')]), ...plan });
    expect(await run('test')).toMatchObject({ code, last });
  });

  test('test:faults runs its own project', async () => {
    expect((await run('test:faults')).output).toContain('"--project=faults"');
  });

  test('test leaves out slow tests, test:slow runs those alone, and neither counts tests of the other', async () => {
    const slow = { tags: ['slow'] };
    const tests = [
      assertion('quick', 'passed', { duration: 20 }),
      assertion('large', 'skipped', slow),
      assertion('larger', 'passed', { ...slow, duration: 61_000 }),
      assertion('absent', 'skipped'),
    ];
    await write('plan.json', { code: 0, report: report(['passed', ...tests]) });
    const [quick, long] = [await run('test'), await run('test:slow')];
    expect(quick.output).toContain('"--tags-filter=!slow"');
    expect(quick.last).toBe('1 passed, 0 failed, 1 skipped');
    expect(long.output).toContain('"--tags-filter=slow"');
    expect(long.last).toBe('1 passed, 0 failed, 1 skipped');
    expect(long.output).toContain('   61.0 s  file-0.test.ts > suite > larger\n');
  });

  test('installs when the record is another, once, also when two start at the same time', async () => {
    await write('node_modules/.package-lock.json', { packages: { 'node_modules/vitest': { version: '3.0.0' } } });
    const [one, other] = await Promise.all([run('test'), run('test')]);
    expect([one.code, other.code]).toEqual([0, 0]);
    expect(await calls()).toEqual(['npm ci --ignore-scripts --no-audit --no-fund --loglevel=error']);
    expect(one.errors + other.errors).toBe('Instalando dependencias (npm ci)…\n');
    await write('package-lock.json', { packages: { 'node_modules/vitest': { version: '5.0.0' } } });
    await run('test');
    expect(await calls()).toHaveLength(2);
  });

  test('tells how far an installation is, on the standard error alone', async () => {
    await rm(join(root, 'node_modules/.package-lock.json'));
    await write('node_modules/vitest/package.json', {});
    await write(
      'npm/npm-cli.js',
      `import { existsSync, watch } from 'node:fs';
       const end = () => existsSync('npm-may-end') && process.exit(0);
       watch('.', end);
       setInterval(end, 1000);`,
    );
    const child = start('test');
    const output = text(child.stdout ?? []);
    let errors = '';
    for await (const chunk of child.stderr ?? []) {
      errors += chunk;
      if (errors.includes(' paquetes')) await write('npm-may-end', '');
    }
    expect(errors).toMatch(/^Instalando dependencias \(npm ci\)…\nInstalando dependencias: 1 de 1 paquetes, \d+ s\n/);
    expect(await output).toMatch(/^args /);
  });

  test.each(['test', 'verify', 'test:slow', 'test:faults', 'test:mutants', 'bench', 'measure', 'build', 'generate'])(
    '%s explains itself in Spanish before anything is installed',
    async (name) => {
      await rm(join(root, 'node_modules'), { recursive: true });
      const { code, output, errors } = await run(name, '--help');
      expect([code, errors]).toEqual([0, '']);
      expect(output).toMatch(new RegExp(`^Uso: npm (run )?${name}\\b`));
      expect(output).not.toMatch(/Usage|Options|undefined/);
      expect((await run('--help')).output).toContain(`npm ${name === 'test' ? '' : 'run '}${name} `);
      expect(await calls()).toEqual([]);
    },
  );

  test('says in Spanish why the checkout cannot be prepared', async () => {
    await rm(join(root, 'node_modules/.package-lock.json'));
    await write('.acuse', 'a file');
    const { code, errors } = await run('test');
    expect(code).toBe(1);
    expect(errors).toMatch(/^No se pudo preparar .* \((EEXIST|ENOTDIR) en .*\.acuse.*\)\. Revise .*\n$/);
  });

  test('does not install what npm has already installed', async () => {
    expect((await run('test')).code).toBe(0);
    expect(await calls()).toEqual([]);
  });

  test('shows what npm said when it failed, and runs nothing', async () => {
    await rm(join(root, 'node_modules/.package-lock.json'));
    await write('npm-fails', '');
    const { code, output, errors } = await run('test');
    expect(code).toBe(1);
    expect(errors).toContain('npm ci falló (código 1):\nno network');
    expect(output).toBe('');
  });

  test('generates the Prisma client when the schema changed, and only then', async () => {
    await write('prisma/schema.prisma', 'model A {}');
    await run('test');
    await run('test');
    expect(await calls()).toEqual(['prisma generate --schema prisma/schema.prisma']);
    await write('prisma/schema.prisma', 'model B {}');
    await run('test');
    expect(await calls()).toHaveLength(2);
    await rm(join(root, 'packages/db'), { recursive: true });
    await run('test');
    expect(await calls()).toHaveLength(3);
    await run('generate');
    expect(await calls()).toHaveLength(4);
  });

  test('build generates the Prisma client before it compiles, on a clone that has none', async () => {
    await write('prisma/schema.prisma', 'model A {}');
    await write('node_modules/typescript/bin/tsc', NOTE('tsc', 'process.exit(3);'));
    expect((await run('build', '--verbose')).code).toBe(3);
    expect(await calls()).toEqual(['prisma generate --schema prisma/schema.prisma', 'tsc -b --verbose']);
  });

  test('the lock of a dead process blocks no other process', async () => {
    await write('.acuse/preparar.lock', '999999999');
    await write('prisma/schema.prisma', 'model A {}');
    expect((await run('test')).code).toBe(0);
  });

  test('passes a signal on, and gives the exit code of the program', async () => {
    await write('plan.json', { wait: true });
    const child = start('test');
    child.stdin?.end();
    for await (const chunk of child.stdout ?? []) if (String(chunk).includes('waiting')) child.kill('SIGTERM');
    await (child.exitCode === null ? once(child, 'close') : undefined);
    expect(child.exitCode).toBe(7);
  });

  test('ends when the shell that npm runs it through is gone', async () => {
    await write('plan.json', { wait: true });
    // What npm starts: a shell that does not pass a SIGTERM on.
    const shell = spawn(
      'sh',
      ['-c', '"$0" "$1" test; true', process.execPath, join(root, 'packages/embedded/bin/acuse.mjs')],
      {
        env: { ...process.env, npm_execpath: join(root, 'npm/npm-cli.js'), TMPDIR: root },
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    );
    children.push(shell);
    const pid = await waiting(shell);
    shell.kill('SIGTERM');
    expect(await waitGone(pid, 20_000)).toBe(true);
  });

  test('leaves no program behind when it is killed itself', async () => {
    await write('plan.json', { wait: true });
    const child = start('test');
    const pid = await waiting(child);
    child.kill('SIGKILL');
    expect(await waitGone(pid, 20_000)).toBe(true);
  });

  test('asks for a newer Node, and for a command that it knows', async () => {
    expect(await run('fly')).toMatchObject({ code: 2, errors: expect.stringMatching(/^No existe la orden «fly»/) });
    expect((await run('toString')).code).toBe(2);
    await write('package.json', { engines: { node: '>=99.1' }, type: 'module' });
    const { code, errors } = await run('test');
    expect(code).toBe(1);
    expect(errors).toContain('Acuse necesita Node.js 99.1 o posterior');
  });
});
