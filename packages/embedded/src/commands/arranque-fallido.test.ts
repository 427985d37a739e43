import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { eachAtLength } from '../../../../test/integration/fixtures/at-length.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const dir = mkdtempSync(join(tmpdir(), 'acuse-fallido-'));
const file = join(dir, 'archivo');
writeFileSync(file, '');
afterAll(() => rmSync(dir, { recursive: true }));

function launch(command: 'start' | 'demo', args: readonly string[], env: Readonly<Record<string, string>>) {
  const source = `packages/embedded/src/commands/${command}.ts`;
  return spawn(process.execPath, ['--conditions=acuse-source', '--import', 'tsx', source, ...args], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function run(...of: Parameters<typeof launch>) {
  const child = launch(...of);
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { out, err, code };
}

const STARTS = [
  [
    'start',
    ['--data', '<a file>'],
    {},
    `«${file}» ya existe y no es una carpeta. Cambie su nombre, o elija otra carpeta con --data.`,
  ],
  [
    'start',
    [],
    { DATABASE_URL: 'postgres://u:p@127.0.0.1:9/x' },
    'Nadie contesta en la dirección de DATABASE_URL. Revise que PostgreSQL',
  ],
  [
    'start',
    ['--redis', 'redis://127.0.0.1:9'],
    {},
    'Nadie contesta en la dirección de QUEUE_URL o --redis. Revise que el servidor de la cola',
  ],
  [
    'start',
    [],
    { S3_ENDPOINT: 'http://127.0.0.1:9' },
    'Nadie contesta en la dirección de S3_ENDPOINT. Revise que el almacén',
  ],
  [
    'start',
    [],
    { SAT_BASE_URL: 'http://127.0.0.1:9' },
    'La configuración tiene un error:\n  - SAT_BASE_URL: esta orden trae',
  ],
  [
    'demo',
    [],
    { DATABASE_URL: 'postgres://u:p@127.0.0.1:9/x' },
    'La demostración falló: Nadie contesta en la dirección de DATABASE_URL.',
  ],
] as const;

const PORTS = [
  ['--port', (port: number) => [['--port', String(port)], {}] as const],
  ['API_PORT', (port: number) => [[], { API_PORT: String(port) }] as const],
  ['PANEL_PORT', (port: number) => [[], { PANEL_PORT: String(port) }] as const],
  ['HEALTH_PORT', (port: number) => [[], { HEALTH_PORT: String(port) }] as const],
] as const;

describe('npm start and npm run demo that cannot start', { timeout: 60_000 }, () => {
  eachAtLength(STARTS)(
    '%s %j %j says which setting and what to do, on the standard error alone',
    async (command, args, env, words) => {
      const given = args.map((word) => (word === '<a file>' ? file : word));
      const { out, err, code } = await run(command, ['--json', '--data', join(dir, 'datos'), ...given], env);
      expect(err).toContain(words);
      expect(err).not.toMatch(/\n\s+at |file:\/\/|\.ts:\d/);
      expect([out, code]).toEqual(['', 1]);
    },
  );

  eachAtLength(PORTS)(
    'a port that was asked for by %s and is taken is not replaced by another',
    async (name, asked) => {
      const server = createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const [args, env] = asked(port);
      const { err, code } = await run('start', ['--data', join(dir, 'datos'), ...args], env);
      expect(err).toContain(`${name}: alguien escucha ya en el puerto ${port}. Deténgalo, o elija otro.\n`);
      expect(code).toBe(1);
      server.close();
    },
  );

  test.runIf(process.platform === 'linux')(
    'npm start names the program that was killed, how it ended and its log',
    { timeout: 180_000 },
    async () => {
      const data = join(dir, 'matado');
      const child = launch('start', ['--json', '--data', data], {});
      const err = text(child.stderr);
      await once(child.stdout, 'data');
      const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim().split(' ');
      const worker = children.find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('apps/worker'));
      process.kill(Number(worker), 'SIGKILL');
      const [code] = await once(child, 'close');
      expect(await err).toContain(
        `worker terminó por sí solo (SIGKILL) y npm start se detuvo. Por qué, en su bitácora: ${join(data, 'log', 'worker.log')}`,
      );
      expect(code).toBe(1);
    },
  );
});
