import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@acuse/embedded';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCaller, Refused } from '../../../packages/embedded/src/commands/account.ts';
import { run } from '../../containers/shell.ts';
import { blocksOf, openShell, ordenesOf, ROOT } from '../documentos/ordenes.ts';
import { waitFor } from '../fixtures/wait-for.ts';
import { readZip } from '../fixtures/zip.ts';

/** Given by `npm run test:containers`, which has built the images: `docker compose` or `docker-compose`. */
const COMPOSE = process.env['ACUSE_TEST_COMPOSE']?.split(' ');
const PROJECT = `acuse-test-${process.pid}`;
const [RFC, CREDITOS] = ['ACU200101DB1', 100];
const HEALTHY_SECONDS = 120;

describe.skipIf(!COMPOSE)('docker-compose.yml', { timeout: 300_000 }, () => {
  const [program = '', ...first] = COMPOSE ?? [];
  let folder = '';
  let env: Record<string, string> = {};
  const compose = (...args: string[]) => run(program, [...first, ...args], env);
  const docker = (...args: string[]) => run('docker', args);
  const containersOf = async (service: string) => (await compose('ps', '-q', service)).trim().split('\n');
  const inspect = async (format: string, id: string) => (await docker('inspect', '--format', format, id)).trim();
  const healthOf = (id: string) => inspect('{{.State.Health.Status}}', id);
  const waitHealthy = (service: string, n: number) =>
    waitFor(async () => {
      const ids = await containersOf(service);
      const states = await Promise.all(ids.map(healthOf));
      return ids.length === n && states.every((state) => state === 'healthy') ? ids : null;
    }, HEALTHY_SECONDS);
  /** Repeats a call while the database of a busy machine is slow, as callers should. */
  const call = (path: string, body: Record<string, unknown>) =>
    waitFor(() =>
      createCaller(env['API'] ?? '', env['KEY'] ?? '')<Record<string, string | number | null>>(path, body).catch(
        (error) => {
          if (error instanceof Refused && error.codigo === 5041) return null;
          throw error;
        },
      ),
    );
  const waitTerminada = (solicitud_id: string) =>
    waitFor(async () => {
      const data = await call('descarga/verificar', { solicitud_id });
      return data['terminada_en'] === null ? null : data;
    }, 120);
  /** Ends the process from outside of its container: an order to the engine would be taken for a wish that it stays away. */
  const killFromOutside = async (id: string) => {
    const pid = await inspect('{{.State.Pid}}', id);
    const image = await inspect('{{.Config.Image}}', id);
    await docker('run', '--rm', '--pid=host', '--user=root', '--entrypoint=sh', image, '-c', `kill -KILL ${pid}`);
  };
  const saldo = async () => {
    const shown = await compose('run', '--rm', 'operador', 'cuenta', 'ver', '--cuenta', 'yo@example.com');
    return Number(/"saldo":(\d+)/.exec(shown)?.[1]);
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'acuse-compose-'));
    const file = join(folder, 'docker-compose.yml');
    // The first version of docker-compose knows everything in the file but the project's name.
    await writeFile(file, (await readFile(`${ROOT}docker-compose.yml`, 'utf8')).replace(/^name: .*$/m, ''));
    const ports = ['API', 'PANEL', 'S3', 'SIMULADOR'] as const;
    const [api, panel, s3, simulador] = await Promise.all(ports.map(() => freePort()));
    env = {
      COMPOSE_FILE: file,
      COMPOSE_PROJECT_NAME: PROJECT,
      ACUSE_PORT_API: `${api}`,
      ACUSE_PORT_PANEL: `${panel}`,
      ACUSE_PORT_S3: `${s3}`,
      ACUSE_PORT_SIMULADOR: `${simulador}`,
      S3_PUBLIC_ENDPOINT: `http://127.0.0.1:${s3}`,
      PANEL_NETWORK: '10.83.99.0/28',
      API: `http://127.0.0.1:${api}`,
    };
    await compose('--project-directory', ROOT, 'up', '-d', '--no-build');
  }, 300_000);
  afterAll(async () => {
    await compose('down', '--volumes', '--timeout', '5');
    await rm(folder, { recursive: true, force: true });
  }, 120_000);

  it.each(['api', 'panel', 'coordinador', 'descargas', 'ensambles', 'webhooks', 'simulador', 'postgres', 'redis'])(
    'brings %s up until it is healthy',
    async (service) => {
      const [id = ''] = await waitHealthy(service, 1);
      expect(await inspect('{{.RestartCount}}', id)).toBe('0');
    },
  );

  it('runs our processes as a user that is not root, on a file system that they cannot write', async () => {
    const [id = ''] = await containersOf('api');
    expect(await inspect('{{.Config.User}} {{.HostConfig.ReadonlyRootfs}}', id)).toBe('node true');
  });

  it('shows the panel at its port', async () => {
    const page = await fetch(`http://127.0.0.1:${env['ACUSE_PORT_PANEL']}/entrar`);
    expect([page.status, (await page.text()).includes('Acuse')]).toEqual([200, true]);
  });

  it('has what the pages of its documents load', async () => {
    const page = await (await fetch(`${env['API']}/docs`)).text();
    const files = [...new Set(page.match(/\/docs\/archivos\/[^"]+/g))];
    expect(files.filter((path) => path.includes('minisearch'))).toHaveLength(1);
    for (const path of files) expect([path, (await fetch(`${env['API']}${path}`)).status]).toEqual([path, 200]);
  });

  it('makes the account of docs/operators/containers.md, and carries the walk of the README to a ZIP', async () => {
    const shell = openShell({ ...process.env, ...env });
    try {
      await shell.run(`docker() { [ "$1" = compose ] && shift; ${COMPOSE?.join(' ')} "$@" < /dev/null; }`);
      for (const { text } of ordenesOf('docs/operators/containers.md').filter(({ text }) =>
        text.startsWith('docker compose run'),
      )) {
        // The operation stays on: the walk needs it.
        if (text.includes('deshabilitar')) continue;
        const { code, output } = await shell.run(text.replace(/ +#.*$/, ''));
        expect([text, code, output]).toEqual([text, 0, output]);
        const [key] = /acuse_test_[\w-]+/.exec(output) ?? [];
        if (key) env['KEY'] = key;
      }
      expect(env['KEY']).toMatch(/^acuse_test_/);
      const walk = blocksOf('README.md').find(({ text }) => text.includes('paquete_url'))?.text ?? '';
      const lines = walk.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
      let solicitud = '';
      for (const line of lines.filter((text) => !text.startsWith('call descarga/paquete'))) {
        const here = line
          .replace('2025.zip', join(folder, '2025.zip'))
          .replace('http://127.0.0.1:8080', `${env['API']}`)
          .replace('acuse_test_…', `${env['KEY']}`)
          .replace('"solicitud_id":"…"', `"solicitud_id":"${solicitud}"`);
        const { code, output } = await shell.run(here);
        expect([line, code, output]).toEqual([line, 0, output]);
        if (line.startsWith('call ')) expect(output).toContain('"cfdi_codigo":1,');
        solicitud = /"solicitud_id":"([^"]+)"/.exec(output)?.[1] ?? solicitud;
      }
      const ended = await waitTerminada(solicitud);
      expect(ended['estado']).toBe('TERMINADA');
      const data = await call('descarga/paquete', { solicitud_id: solicitud });
      const response = await fetch(String(data['paquete_url']));
      expect(response.status).toBe(200);
      const { csv, entries, manifest } = await readZip(Buffer.from(await response.arrayBuffer()));
      expect(csv.length).toBe(ended['registros']);
      expect(csv.length).toBeGreaterThan(0);
      for (const { nombre, sha256 } of manifest['entradas'] as { nombre: string; sha256: string }[])
        expect([
          nombre,
          createHash('sha256')
            .update(entries.get(nombre) ?? '')
            .digest('hex'),
        ]).toEqual([nombre, sha256]);
      expect(await saldo()).toBe(CREDITOS - 1);
    } finally {
      shell.close();
    }
  });

  it('scales: three descargas and two ensambles on Redis end what they are given, though one is killed and comes back', async () => {
    await compose(
      ...['--project-directory', ROOT, 'up', '-d', '--no-build', '--no-recreate'],
      ...['--scale', 'descargas=3', '--scale', 'ensambles=2'],
    );
    const [descargas] = await Promise.all([waitHealthy('descargas', 3), waitHealthy('ensambles', 2)]);
    const before = await saldo();
    const months = Array.from({ length: 12 }, (_, month) => `2024-${String(month + 1).padStart(2, '0')}`);
    const asked = await Promise.all(
      months.map((month) =>
        call('tax/descarga-metadata', { rfc: RFC, tipo: 'recibidos', desde: `${month}-01`, hasta: `${month}-28` }),
      ),
    );
    const [killed = ''] = descargas;
    await killFromOutside(killed);
    for (const { solicitud_id } of asked)
      expect((await waitTerminada(String(solicitud_id)))['estado']).toBe('TERMINADA');
    expect(await saldo()).toBe(before - months.length);
    await waitHealthy('descargas', 3);
    expect(await inspect('{{.RestartCount}}', killed)).toBe('1');
  });
});
