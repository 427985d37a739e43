import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { isRunning } from '@acuse/runtime';

const PROGRAM = fileURLToPath(new URL('../bin/lifeline.mjs', import.meta.url));

let guardian: ChildProcess | undefined;

/**
 * Sees to it that children do not outlive this process, however it ends: a small guardian process, started at the first
 * use, notices our end.
 */
export const lifeline = {
  /** From now on the process `pid` gets `signal` when this process is gone (a negative number is a process group). */
  hold: (pid: number, signal: NodeJS.Signals = 'SIGTERM') => tell(`+${pid} ${signal}`),
  /** The process has ended by itself. */
  release: (pid: number) => tell(`-${pid}`),
};

function tell(line: string): void {
  if (guardian?.stdin?.writable !== true) {
    guardian = spawn(process.execPath, [PROGRAM], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
    guardian.on('error', () => {});
    guardian.stdin?.on('error', () => {});
    guardian.unref();
    // The pipe must not keep this process alive; its end is what the guardian waits for.
    (guardian.stdin as unknown as { unref?: () => void } | null)?.unref?.();
  }
  guardian.stdin?.write(`${line}\n`);
}

/** The command line of a process, words separated by blanks, or an empty text. */
export async function commandLineOf(pid: number): Promise<string> {
  try {
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ').trim();
  } catch {
    if (process.platform === 'linux' || process.platform === 'win32') return '';
    return promisify(execFile)('ps', ['-o', 'command=', '-p', String(pid)]).then(
      ({ stdout }) => stdout.trim(),
      () => '',
    );
  }
}

/**
 * Waits until a process that may not be our child is gone. Gives false when it is still there after `timeoutMs`
 * milliseconds.
 */
export async function waitGone(pid: number, timeoutMs: number): Promise<boolean> {
  const until = performance.now() + timeoutMs;
  while (isRunning(pid)) {
    if (performance.now() > until) return false;
    await sleep(20);
  }
  return true;
}

/** The resident memory of a process in bytes, or null where the system does not tell (only Linux does, in /proc). */
export async function residentBytes(pid: number): Promise<number | null> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  return kib === undefined ? null : Number(kib) * 1024;
}
