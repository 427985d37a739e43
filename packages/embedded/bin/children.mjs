// Running other programs so that none outlives us and no signal is lost.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const PARENT_CHECK_MS = 500;
const isPosix = process.platform !== 'win32';
let guardian;

/** Has `lifeline.mjs` end a process group when we are gone. */
function hold(pid) {
  if (!isPosix) return;
  guardian ??= spawn(process.execPath, [fileURLToPath(new URL('./lifeline.mjs', import.meta.url))], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  guardian.on('error', () => {});
  guardian.stdin.on('error', () => {});
  guardian.unref();
  guardian.stdin.unref();
  guardian.stdin.write(`+${-pid}\n`);
}

/**
 * Runs a Node program from `root` and gives its exit code, 128 + n when a signal ended it. Its input is closed. It is a process group
 * of its own: the signals that we get are passed on to the program, a second one kills the whole group.
 * @param {string[]} args what comes after `node`
 * @param {{ root: string, env?: Record<string, string>, capture?: boolean }} options with `capture` the output is returned instead of shown
 * @returns {Promise<{ code: number, output: string, interrupted: boolean }>}
 */
export function runNode(args, { root, env = {}, capture = false }) {
  return new Promise((resolve, reject) => {
    const output = capture ? 'pipe' : 'inherit';
    const child = spawn(process.execPath, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['ignore', output, output],
      detached: isPosix,
    });
    const text = [];
    child.stdout?.on('data', (chunk) => text.push(chunk));
    child.stderr?.on('data', (chunk) => text.push(chunk));
    child.once('spawn', () => hold(child.pid));

    let signalled = false;
    const forward = (signal) => {
      if (signalled && isPosix) kill(-child.pid, 'SIGKILL');
      else kill(child.pid, signal);
      signalled = true;
    };
    for (const signal of SIGNALS) process.on(signal, forward);
    const orphaned = onOrphaned(() => {
      if (!signalled) forward('SIGTERM');
    });
    const done = () => {
      clearInterval(orphaned);
      for (const signal of SIGNALS) process.off(signal, forward);
    };
    child.once('error', (error) => {
      done();
      reject(error);
    });
    child.once('close', (code, signal) => {
      done();
      // What the program left behind in its group goes with it.
      if (isPosix) kill(-child.pid, 'SIGTERM');
      guardian?.stdin.write(`-${-child.pid}\n`);
      resolve({
        code: code ?? 128 + (constants.signals[signal] ?? 0),
        output: Buffer.concat(text).toString('utf8'),
        interrupted: signalled,
      });
    });
  });
}

/** npm runs us through a shell that takes a SIGTERM for itself: that our parent is gone is then all that we notice. */
function onOrphaned(end) {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid !== parent) end();
  }, PARENT_CHECK_MS);
  timer.unref();
  return timer;
}

function kill(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}
