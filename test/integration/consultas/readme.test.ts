import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../../apps/api/test/kit.ts';
import { issueEfirma } from '../fixtures/efirma.ts';
import { logOf } from '../fixtures/procesos.ts';
import { type Caller, ciecOf, LISTAS_TOO, useServicio, waitFor } from '../fixtures/servicio.ts';

const ROOT = new URL('../../../', import.meta.url);
const run = promisify(execFile);

const read = (name: string) => readFileSync(new URL(name, ROOT), 'utf8');

/** The first steps that a newcomer pastes from a README, without its comments. */
function stepsOf(name: string): string {
  const steps = /```sh\nexport API=.*\n([\s\S]*?)```/.exec(read(name))?.[1];
  if (steps === undefined) throw new Error(`${name} lacks the first steps`);
  return steps.replace(/^#.*\n/gm, '');
}

/** The parts of docs/integrators/en/calls.md: the function `call`, the preparation, one line an operation. */
function readCalls() {
  const text = read('docs/integrators/en/calls.md');
  const call = /^call\(\) \{.*\}$/m.exec(text)?.[0];
  const prep = /```sh\n(op\(\)[\s\S]*?)```/.exec(text)?.[1];
  const rows = [...text.matchAll(/^\| `([\w/-]+)` \| ([01]) \| `((?:op|call) [^`]+)` \| (.*) \|$/gm)].map(
    ([, path = '', cost, command = '', data = '']) => ({
      path,
      command,
      cost: Number(cost),
      fields: [...data.matchAll(/`(\w+)`/g)].map(([, field = '']) => field),
    }),
  );
  if (call === undefined || prep === undefined) throw new Error('docs/integrators/en/calls.md lacks the functions');
  return { call, prep, rows };
}

async function hasCurl(): Promise<boolean> {
  return run('curl', ['--version']).then(
    () => true,
    () => false,
  );
}

const canRun = await hasCurl();

describe('the documents of a newcomer', () => {
  it('have every operation with its price', async () => {
    const known = (await operations()).map(({ path, cost }) => ({ path, cost }));
    const written = readCalls().rows.map(({ path, cost }) => ({ path, cost }));
    const byPath = (a: { path: string }, b: { path: string }) => (a.path < b.path ? -1 : 1);
    expect(written.sort(byPath)).toEqual(known.sort(byPath));
  });

  describe.runIf(canRun)('run with curl by a newcomer', () => {
    const servicio = useServicio();
    let caller: Caller;
    let env: NodeJS.ProcessEnv;
    beforeAll(async () => {
      await servicio.startWorker(LISTAS_TOO);
      caller = await servicio.newCaller({ rfc: 'ACU200101DB1', saldo: 50 });
      // A package is crossed with the lists that are there when it is made.
      await waitFor(async () => (await logOf(servicio, 'worker-1')).includes('listed_rfcs_held') || null);
      const efirma = await issueEfirma(servicio, { rfc: caller.rfc, password: 'contrasena-de-prueba' });
      const folder = join(servicio.dir, 'efirma');
      await mkdir(folder);
      for (const part of ['cer', 'key'] as const)
        await writeFile(join(folder, `${caller.rfc}.${part}`), Buffer.from(efirma[part], 'base64'));
      const own = { API: servicio.api.url, KEY: caller.apiKey, RFC: caller.rfc, CIEC: ciecOf(caller.rfc) };
      env = { ...process.env, ...own, EFIRMA: folder };
    });

    it('has its ZIP after the first steps, pasted verbatim', { timeout: 400_000 }, async () => {
      await run('bash', ['-ec', stepsOf('README.md')], { env, cwd: servicio.dir });
      expect((await readFile(join(servicio.dir, '2025.zip'))).subarray(0, 4).toString('latin1')).toBe('PK\x03\x04');
    });

    it('gives what the specification shows, line by line', { timeout: 400_000 }, async () => {
      const { call, prep, rows } = readCalls();
      const lines = rows.map(({ command }) => `printf '>> '; ${command}`);
      const script = [call, prep, ...lines].join('\n');
      const { stdout } = await run('bash', ['-c', script], { env, maxBuffer: 16 * 1_048_576 });
      const answers = stdout.split('\n').filter((line) => line.startsWith('>> '));
      expect(answers).toHaveLength(rows.length);
      for (const [i, { path, fields }] of rows.entries()) {
        const answer = JSON.parse(answers[i]?.slice(3) ?? '');
        expect([path, answer.cfdi_codigo, answer]).toEqual([path, 1, answer]);
        if (path === 'vault/rfc-guardar') continue;
        const element = answer.data.items?.[0] ?? {};
        for (const field of fields) expect({ ...element, ...answer.data }, path).toHaveProperty(field);
      }
    });
  });
});
