import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));

describe('the process', () => {
  it('says where it listens, answers there, and ends with 0 at SIGTERM', async () => {
    const child = spawn(process.execPath, ['--conditions=acuse-source', '--import', 'tsx', MAIN], {
      env: { PATH: process.env['PATH'], SIMULADOR_PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => {
      child.kill('SIGKILL');
    });
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    const url = /http:\/\/\S+/.exec(line)?.[0] ?? '';
    expect(await (await fetch(`${url}/salud`)).json()).toMatchObject({ estado: 'ok' });
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});
