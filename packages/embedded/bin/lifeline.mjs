// Ends processes whose parent is gone. It is told on its standard input, one a line, `+PID SIGNAL` and `-PID`
// (a negative PID is a process group). When the input ends, because the parent ended in whatever way, it signals
// what is left, and kills it if it is still there ten seconds later. It works without node_modules.
import { createInterface } from 'node:readline';

const GRACE_MS = 10_000;
const POLL_MS = 50;
const watched = new Map();

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});

function send(pid, signal) {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    watched.delete(pid);
    return false;
  }
}

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const [, sign, pid, signal = 'SIGTERM'] = /^([+-])(-?\d+)(?: (SIG\w+))?$/.exec(line) ?? [];
    if (sign === '+') watched.set(Number(pid), signal);
    if (sign === '-') watched.delete(Number(pid));
  })
  .on('close', () => {
    for (const [pid, signal] of watched) send(pid, signal);
    const giveUpAt = Date.now() + GRACE_MS;
    const timer = setInterval(() => {
      for (const pid of watched.keys()) send(pid, Date.now() > giveUpAt ? 'SIGKILL' : 0);
      if (watched.size === 0) {
        clearInterval(timer);
        process.exit(0);
      }
    }, POLL_MS);
  });
