import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../../bin/lifeline.mjs', import.meta.url));

/** Sees to it that children do not outlive this process, however it ends. */
export interface Lifeline {
  /** From now on the process `pid` gets `signal` when this process is gone (a negative number is a process group). */
  hold(pid: number, signal?: NodeJS.Signals): void;
  /** The process has ended by itself. */
  release(pid: number): void;
}

let guardian: ChildProcess | undefined;

/** The lifeline of this process: a small guardian process, started at the first use, that notices our end. */
export const lifeline: Lifeline = {
  hold: (pid, signal = 'SIGTERM') => tell(`+${pid} ${signal}`),
  release: (pid) => tell(`-${pid}`),
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
