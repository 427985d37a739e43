import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger, isRunning, silentLogger } from '@acuse/runtime';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from './free-port.ts';
import { createProcessGroup, FILL_FREED, type ProcessGroup, type ProcessGroupOptions } from './process-group.ts';

const SERVER = `
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
const port = Number(process.env.PORT);
let calls = 0;
console.log('options', process.env.NODE_OPTIONS);
console.log('starting', JSON.stringify(Object.keys(process.env).sort()));
const server = createServer((_, response) => response.writeHead(++calls < 3 ? 503 : 204).end()).listen(port, '127.0.0.1', () => process.send?.('ready'));
process.on('SIGTERM', () => {
  if (process.env.STUBBORN) return;
  appendFileSync(process.env.NOTES ?? '', process.env.PORT + ' ');
  server.close();
  server.closeAllConnections();
});
`;

describe('a group of our programs', { timeout: 120_000 }, () => {
  let dir = '';
  let entry = '';
  let group: ProcessGroup;
  const make = (options: Partial<ProcessGroupOptions> = {}) => {
    group = createProcessGroup({ log: silentLogger, logDir: join(dir, 'logs'), ...options });
    return group;
  };
  const spec = async (name: string, env: Record<string, string> = {}) => {
    const port = await freePort();
    return {
      name,
      entry,
      env: { PORT: String(port), NOTES: join(dir, 'notes'), ...env } as Record<string, string>,
      readyUrl: `http://127.0.0.1:${port}/readyz`,
    };
  };

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'acuse-group-'));
    entry = join(dir, 'main.mjs');
    await writeFile(join(dir, 'package.json'), '{"type":"module"}');
    await writeFile(entry, SERVER);
    await mkdir(join(dir, 'logs'));
    await writeFile(join(dir, 'logs', 'torn.log'), 'an earlier run\n');
    await writeFile(
      join(dir, 'torn.mjs'),
      `console.error('Falta X.'); console.log(JSON.stringify({ level: 'info', msg: 'begins' }));
       console.log(JSON.stringify({ level: 'error', msg: 'relay failed', err: { message: 'no disk' } }));
       console.error('    at file:///x.ts:1:2'); process.exit(1);`,
    );
    await writeFile(join(dir, 'broken.mjs'), `console.log('about to fail'); process.exit(3);`);
  });
  afterEach(() => group.stop());
  afterAll(() => rm(dir, { recursive: true, force: true }));

  test('starts when ready, writes to files, tells its memory, stops in the reverse order', async () => {
    make();
    const own = { NOTES: join(dir, 'order') };
    const [first, second] = [await spec('one', own), await spec('two', own)];
    const [one, two] = [await group.start(first), await group.start(second)];
    expect(one.isRunning() && isRunning(two.pid)).toBe(true);
    if (process.platform === 'linux') expect(await one.residentBytes()).toBeGreaterThan(10 * 1024 * 1024);
    expect(await group.stop()).toBe(true);
    expect(one.isRunning() || isRunning(two.pid)).toBe(false);
    expect(await readFile(join(dir, 'logs', 'two.log'), 'utf8')).toContain('starting');
    expect(await readFile(own.NOTES, 'utf8')).toBe(`${second.env['PORT']} ${first.env['PORT']} `);
  });

  test('does not take the answer of another program for that of its own', async () => {
    const other = createServer((_, response) => response.writeHead(204).end());
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    const taken = { ...(await spec('taken', { PORT: String(port) })), readyUrl: `http://127.0.0.1:${port}/readyz` };
    await expect(make().start(taken)).rejects.toThrow(/taken no inició: terminó con 1[\s\S]*EADDRINUSE/);
    other.close();
  });

  test('gives a program its own environment and nothing of ours', async () => {
    process.env['ACUSE_SECRET_OF_THE_PARENT'] = 'x';
    await make().start(await spec('alone'));
    delete process.env['ACUSE_SECRET_OF_THE_PARENT'];
    const log = await readFile(join(dir, 'logs', 'alone.log'), 'utf8');
    for (const name of ['NOTES', ...Object.keys(FILL_FREED)]) expect(log).toContain(`"${name}"`);
    expect(log).not.toContain('ACUSE_SECRET_OF_THE_PARENT');
  });

  test('says why a program did not start, with its last lines', async () => {
    const broken = { ...(await spec('broken')), entry: join(dir, 'broken.mjs') };
    await expect(make().start(broken)).rejects.toThrow(
      /broken no inició: terminó con 3 antes de estar listo\nabout to fail/,
    );
    const torn = { ...(await spec('torn')), entry: join(dir, 'torn.mjs') };
    const said = await make()
      .start(torn)
      .catch((error: Error) => error.message);
    // Neither a stack, nor what is no error, nor what an earlier run said.
    expect(said).toBe(
      `torn no inició: terminó con 1 antes de estar listo\nFalta X.\nrelay failed: no disk\nSu bitácora: ${join(dir, 'logs', 'torn.log')}`,
    );
    const mute = { ...(await spec('mute')), readyUrl: `http://127.0.0.1:${await freePort()}/` };
    await expect(make({ readyTimeoutMs: 500 }).start(mute)).rejects.toThrow(
      /mute no inició: .* no respondió en 500 ms/,
    );
  });

  test('kills the one that does not end in time, and says that it was not clean', async () => {
    const lines: string[] = [];
    const log = createLogger({ name: 'test', destination: { write: (line) => void lines.push(line) } });
    make({ log, stopTimeoutMs: 200 });
    const stubborn = await group.start(await spec('stubborn', { STUBBORN: '1' }));
    expect(await group.stop()).toBe(false);
    expect(stubborn.isRunning()).toBe(false);
    expect(lines.join('')).toContain('app_not_ended_cleanly');
  });

  test('reports a program that ends without an order', async () => {
    const ended = new Promise((resolve) => {
      make({ onUnexpectedExit: (name, code, signal) => resolve([name, code, signal]) });
    });
    const app = await group.start(await spec('victim'));
    app.kill('SIGKILL');
    expect(await ended).toEqual(['victim', null, 'SIGKILL']);
  });

  test('gives Node the options of the caller and those of the program', async () => {
    const before = process.env['NODE_OPTIONS'];
    process.env['NODE_OPTIONS'] = '--no-deprecation';
    await make().start(await spec('options', { NODE_OPTIONS: '--max-semi-space-size=2' }));
    if (before === undefined) delete process.env['NODE_OPTIONS'];
    else process.env['NODE_OPTIONS'] = before;
    const log = await readFile(join(dir, 'logs', 'options.log'), 'utf8');
    expect(log).toContain('options --no-deprecation --max-semi-space-size=2\n');
  });
});
