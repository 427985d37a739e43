import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { programEntry } from '@acuse/embedded';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { runAcuse } from './acuse.ts';

const canRun = (program: string) => spawnSync(program, ['--version']).status === 0;
const complete = async (...words: string[]) =>
  (await runAcuse(['completar', '--palabras', '--', ...words])).out.trimEnd().split('\n');

describe('completion', () => {
  it('knows orders, operations, options and their values, and the orders of the operator', async () => {
    expect(await complete('des')).toEqual(['descargar', 'descarga']);
    expect(await complete('tax', 'facturas')).toEqual(['facturas', 'facturas-fiel']);
    expect(await complete('tax', 'facturas', '--h')).toEqual(['--hasta', '--help']);
    expect(await complete('descargar', '--desde', '2026-01-01', '--tipo', '')).toEqual(['recibidos', 'emitidos']);
    expect(await complete('vault', 'firma-guardar', '--key', '')).toEqual(['']);
    expect(await complete('operador', 'cuenta', 'c')).toEqual(['crear']);
  });
});

describe('completion in a shell, by the program itself', () => {
  let folder = '';
  let env: NodeJS.ProcessEnv = {};
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'acuse-completar-'));
    const program = `#!/bin/sh\nexec '${process.execPath}' '${programEntry(inject('programs'), 'cli')}' "$@"\n`;
    await writeFile(join(folder, 'acuse'), program, { mode: 0o755 });
    await writeFile(join(folder, 'firma.key'), '');
    for (const shell of ['bash', 'zsh', 'fish'])
      await writeFile(join(folder, `completion.${shell}`), (await runAcuse(['completar', shell])).out);
    env = { PATH: `${folder}:${process.env['PATH']}`, HOME: folder, TERM: 'xterm', LC_ALL: 'C.UTF-8' };
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** What a shell prints of a script. */
  function printed(shell: string, ...args: string[]): string[] {
    const { stdout, stderr } = spawnSync(shell, args, { cwd: folder, env });
    expect(String(stderr)).toBe('');
    return String(stdout).trimEnd().split('\n');
  }
  const FIRMA = ['firma-estado', 'firma-guardar', 'firma-registrar'];

  it('works in bash', () => {
    const script = `source completion.bash; COMP_WORDS=(acuse vault firma-); COMP_CWORD=2; _acuse; printf '%s\\n' "\${COMPREPLY[@]}"`;
    expect(printed('bash', '--norc', '-c', script)).toEqual(FIRMA);
  });

  it.runIf(canRun('fish'))('works in fish, with files where a file is wanted and nowhere else', () => {
    const fish = (line: string) =>
      printed('fish', '--no-config', '-c', `source completion.fish; complete -C '${line}'`);
    expect(fish('acuse vault firma-')).toEqual(FIRMA);
    expect(fish('acuse descargar --tipo ').sort()).toEqual(['emitidos', 'recibidos']);
    expect(fish('acuse tax facturas --has')).toEqual(['--hasta']);
    expect(fish('acuse vault firma-guardar --key f')).toEqual(['firma.key']);
  });

  it.runIf(canRun('zsh') && canRun('script'))('works in zsh, before its completion was set up and after', async () => {
    for (const setUp of ['', 'autoload -Uz compinit; compinit -u; ']) {
      const child = spawn('script', ['-qefc', 'zsh -f -i', '/dev/null'], { cwd: folder, env });
      onTestFinished(() => void child.kill('SIGKILL'));
      let screen = '';
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
        screen += chunk;
      });
      // The typed command must not contain `READY` itself.
      child.stdin.write(`${setUp}source completion.zsh; echo REA''DY\r`);
      await expect.poll(() => screen, { timeout: 20_000 }).toMatch(/READY/);
      expect(screen).not.toContain('command not found');
      for (const [typed, completed] of [
        ['acuse vault firma-e\t', 'firma-estado'],
        ['acuse descargar --tipo r\t', 'recibidos'],
        ['acuse vault firma-guardar --key fi\t', 'firma.key'],
      ] as const) {
        screen = '';
        child.stdin.write(typed);
        await expect.poll(() => screen, { timeout: 20_000 }).toContain(completed);
        // Takes the line away, for the next one.
        child.stdin.write('\u0015');
      }
      const ended = once(child, 'close');
      child.stdin.write('exit\r');
      await ended;
    }
  });
});
