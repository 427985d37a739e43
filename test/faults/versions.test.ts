import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { buildPrograms } from '@acuse/embedded';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { brokenInvariants } from '../integration/fixtures/database.ts';
import { newEfirmaCaller } from '../integration/fixtures/efirma.ts';
import { askFor } from '../integration/fixtures/pedidos.ts';
import { LOOPS, STEPS, tellFailure } from '../integration/fixtures/procesos.ts';
import { expectWhole } from '../integration/fixtures/resultado.ts';
import { type Caller, startServicio } from '../integration/fixtures/servicio.ts';
import { pedidoOf } from './clientes.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);
const git = async (...args: string[]) => (await run('git', ['-C', ROOT, ...args])).stdout.trim();

/**
 * The version that an installation would come from: the last tag, else the last commit before the schema changed, which
 * is the hardest one to live with. Null where the history does not reach back.
 */
async function olderVersion(): Promise<string | null> {
  const tag = await git('describe', '--tags', '--abbrev=0', 'HEAD^').catch(() => '');
  if (tag !== '') return tag;
  const changed = await git('log', '-1', '--format=%H', '--', 'prisma/migrations').catch(() => '');
  return changed === '' ? null : git('rev-parse', '--verify', '--quiet', `${changed}^`).catch(() => null);
}

/** Makes what a version does not commit of its sources, by its own commands. */
const GENERATE = `
import { GENERATORS, generate } from './packages/embedded/bin/setup.mjs';
for (const each of GENERATORS) if (each.sources) await generate(process.cwd() + '/', each);`;

/** The programs of another commit, with the libraries of this one. */
async function buildVersion(commit: string, dir: string): Promise<string> {
  const [source, programas] = [join(dir, 'source'), join(dir, 'programas')];
  for (const each of [source, programas]) await mkdir(each);
  const archive = join(dir, 'source.tar');
  await git('archive', '--format=tar', '-o', archive, commit);
  await run('tar', ['-xf', archive, '-C', source]);
  const modules = join(source, 'node_modules');
  await mkdir(join(modules, '@acuse'), { recursive: true });
  for (const name of await readdir(join(ROOT, 'node_modules')))
    if (name !== '@acuse' && !name.startsWith('.'))
      await symlink(join(ROOT, 'node_modules', name), join(modules, name));
  for (const name of await readdir(join(ROOT, 'node_modules/@acuse'))) {
    const own = relative(await realpath(ROOT), await realpath(join(ROOT, 'node_modules/@acuse', name)));
    await symlink(join(source, own), join(modules, '@acuse', name));
  }
  await run(process.execPath, ['--input-type=module', '--eval', GENERATE], { cwd: source });
  await buildPrograms(programas, source);
  return programas;
}

const commit = await olderVersion();
if (commit === null) console.log('no older version is at hand: this checkout has no history before its schema');

describe.skipIf(commit === null)(
  `a version before this one (${commit}) on the schema of this one`,
  { timeout: 600_000 },
  () => {
    let dir: string;
    let older: string;
    beforeAll(async () => {
      dir = await mkdtemp(join(tmpdir(), 'acuse-version-'));
      older = await buildVersion(commit ?? '', dir);
    });
    afterAll(() => rm(dir, { recursive: true, force: true }));

    it.for([
      ['older APIs with workers of this version', 'api'],
      ['APIs of this version with older workers', 'worker'],
    ] as const)('%s: what either accepts, and begins, the other ends', async ([, which], context) => {
      const newer = inject('programas');
      const servicio = await startServicio({ programas: { [which]: older } });
      try {
        const [loops, steps] = [await servicio.startWorker(LOOPS), await servicio.startWorker(STEPS)];
        const api = await servicio.startApiProcess();
        const callers: Caller[] = [await servicio.newCiecCaller(), await newEfirmaCaller(servicio)];
        const asked: (readonly [Caller, string, number])[] = [];
        // The API of this process is of this version: an older one reads what it stored, and the other way round.
        for (const [n, caller] of [...callers, ...callers].entries())
          asked.push([caller, await askFor(n < 2 ? caller.at(api) : caller, pedidoOf(n)), n]);
        // Whoever is left of the other version takes over in the middle.
        await steps.stop();
        const last = await servicio.startWorker(STEPS, which === 'worker' ? newer : older);
        for (const [caller, id, n] of asked) await expectWhole(servicio, caller.at(api), id, pedidoOf(n));
        expect(await brokenInvariants(servicio.db)).toEqual([]);
        for (const process of [loops, last, api])
          expect([process.name, await process.stop()]).toEqual([process.name, true]);
      } catch (error) {
        await tellFailure(servicio, { task: { ...context.task, result: { state: 'fail' } } });
        throw error;
      } finally {
        await servicio.close();
      }
    });
  },
);
