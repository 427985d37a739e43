import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it, test } from 'vitest';
import { listen } from './http-server.ts';
import { createLogger } from './log.ts';
import { createShutdown, type Shutdown } from './run-process.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

it('a process that cannot start says why in one line, with the setting, and ends with 1', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'acuse-run-'));
  const server = createServer();
  const port = await listen(server, 0, '127.0.0.1');
  const main = join(dir, 'main.mts');
  writeFileSync(
    main,
    `import { createServer } from 'node:http';
     import { listen, runProcess } from '${ROOT}/packages/runtime/src/index.ts';
     await runProcess({
       name: 'prueba',
       readConfig: () => ({ LOG_LEVEL: 'info', OTHER_PORT: 1, PRUEBA_PORT: ${port} }),
       start: async (config) => ({ port: await listen(createServer(), config.PRUEBA_PORT, '127.0.0.1') }),
     });`,
  );
  const child = spawn(process.execPath, ['--import', 'tsx', main], { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  expect(err).toBe(`PRUEBA_PORT: alguien escucha ya en el puerto ${port}. Deténgalo, o elija otro.\n`);
  expect(JSON.parse(out)).toMatchObject({ level: 'fatal', msg: 'process_not_started' });
  expect(code).toBe(1);
  server.close();
  rmSync(dir, { recursive: true });
});

const never = () => new Promise<never>(() => {});

describe('the ordered shutdown', () => {
  let events: EventEmitter;
  let lines: string[];
  let closed: string[];
  let exits: number[];
  let exited: Promise<number>;
  let shutdown: Shutdown;

  beforeEach(() => {
    events = new EventEmitter();
    [lines, closed, exits] = [[], [], []];
    let resolve = (_: number) => {};
    exited = new Promise((done) => {
      resolve = done;
    });
    shutdown = createShutdown({
      log: createLogger({ name: 'test', level: 'debug', destination: { write: (line) => void lines.push(line) } }),
      timeoutMs: 60_000,
      events,
      exit: (code) => {
        exits.push(code);
        resolve(code);
      },
    });
    shutdown.listen();
  });

  function open(name: string): void {
    shutdown.phase(name, async () => {
      await Promise.resolve();
      closed.push(name);
    });
  }

  test.each(['SIGTERM', 'SIGINT'])('%s closes in the reverse order of opening and exits 0', async (signal) => {
    for (const name of ['database', 'queue', 'server']) open(name);
    expect(shutdown.signal.aborted).toBe(false);
    events.emit(signal);
    expect(shutdown.signal.aborted).toBe(true);
    await expect(exited).resolves.toBe(0);
    expect(closed).toEqual(['server', 'queue', 'database']);
  });

  test('SIGTERM announces the end, lets everything go on for the drain, and then closes; a second one exits at once', async () => {
    let endDrain = () => {};
    const waited: number[] = [];
    const drained = new Promise<void>((done) => {
      endDrain = done;
    });
    const wait = (ms: number) => {
      waited.push(ms);
      return drained;
    };
    const log = createLogger({ name: 'test', level: 'fatal' });
    const [draining, again] = [new EventEmitter(), new EventEmitter()];
    const code = new Promise<number>((exit) => {
      shutdown = createShutdown({ log, timeoutMs: 60_000, drainMs: 5_000, wait, events: draining, exit });
    });
    shutdown.listen();
    open('server');
    draining.emit('SIGTERM');
    expect([shutdown.announced.aborted, shutdown.signal.aborted, closed, waited]).toEqual([true, false, [], [5_000]]);
    endDrain();
    await expect(code).resolves.toBe(0);
    expect([shutdown.signal.aborted, closed]).toEqual([true, ['server']]);

    shutdown = createShutdown({
      log,
      timeoutMs: 60_000,
      drainMs: 5_000,
      wait: never,
      events: again,
      exit: (n) => exits.push(n),
    });
    shutdown.listen();
    again.emit('SIGTERM');
    again.emit('SIGTERM');
    expect(exits).toEqual([1]);
  });

  test('a phase that fails or hangs does not keep the others open, and the exit code tells', async () => {
    open('database');
    shutdown.phase('hanging', never, { timeoutMs: 5 });
    shutdown.phase('failing', () => {
      throw new Error('cannot');
    });
    events.emit('SIGTERM');
    await expect(exited).resolves.toBe(1);
    expect(closed).toEqual(['database']);
    expect(lines.join('')).toMatch(/"phase":"failing".*cannot[\s\S]*"phase":"hanging".*DEADLINE_EXCEEDED/);
  });

  test('a second signal exits at once', async () => {
    shutdown.phase('hanging', never);
    events.emit('SIGINT');
    expect(exits).toEqual([]);
    events.emit('SIGINT');
    expect(exits).toEqual([1]);
  });

  test.each(['uncaughtException', 'unhandledRejection'])('%s is logged, closes and exits 1', async (fault) => {
    open('database');
    events.emit(fault, new TypeError('unexpected'));
    await expect(exited).resolves.toBe(1);
    expect(closed).toEqual(['database']);
    expect(lines[0]).toMatch(/"level":"fatal".*"name":"TypeError","message":"unexpected"/);
  });

  test('closes once, also a resource opened after the close began', async () => {
    open('database');
    const first = shutdown.close('test');
    expect(shutdown.close('again')).toBe(first);
    open('late');
    await shutdown.close('again');
    expect(closed).toEqual(['database', 'late']);
    expect(exits).toEqual([]);
  });
});
