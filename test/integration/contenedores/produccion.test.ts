import { createHash, randomBytes, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { freePort } from '@acuse/embedded';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../../containers/shell.ts';
import { blocksOf, openShell, ROOT } from '../documentos/ordenes.ts';
import { waitFor } from '../fixtures/wait-for.ts';
import { readZip } from '../fixtures/zip.ts';

/** Given by `npm run test:containers`, which has built the images: `docker compose` or `docker-compose`. */
const COMPOSE = process.env['ACUSE_TEST_COMPOSE'];
const PAGE = 'docs/operators/operate.md';
const RFC = 'ACU200101DB1';
const HEALTHY_SECONDS = 240;
const SERVICES = ['caddy', 'postgres', 'redis', 's3', 'api', 'panel', 'descargas', 'ensambles', 'webhooks'];

/** The commands of the page, told by what stands in them; every one is carried out here but the two of the machine itself. */
const blocks = blocksOf(PAGE)
  .filter(({ language }) => language === 'bash')
  .map(({ text }) => text);
const blockWith = (part: string): string => {
  const found = blocks.filter((text) => text.includes(part));
  if (found.length !== 1) throw new Error(`${found.length} blocks of ${PAGE} have ${part}`);
  return found[0] ?? '';
};

describe.skipIf(!COMPOSE)(
  'docs/operators/operate.md, followed to the letter before a simulator',
  { timeout: 600_000 },
  () => {
    let folder = '';
    let port = 0;
    let simulador = '';
    let shell: ReturnType<typeof openShell>;
    /** The page's command for this machine: its folders, its ports, Caddy's own certificates, and the simulator beside it. */
    const here = (text: string) =>
      text
        .replaceAll('/etc/acuse', join(folder, 'etc'))
        .replaceAll('/var/lib/acuse', join(folder, 'var'))
        .replaceAll('autoridades/*', `${folder}/autoridades/*`)
        .replace('COMPOSE_PROJECT_NAME=acuse', `COMPOSE_PROJECT_NAME=acuse-prod-${process.pid}`)
        .replace('ACUSE_TLS=operacion@acuse.example', 'ACUSE_TLS=internal')
        .replace(
          'docker-compose --file ops/docker-compose.prod.yml',
          `${COMPOSE} --project-directory ${ROOT}/ops --file ops/docker-compose.prod.yml --file test/containers/simulador.yml`,
        )
        .replaceAll('enero.zip', join(folder, 'enero.zip'))
        .replace(/\b(mi\.(?:cer|key|password))\b/g, `${folder}/$1`);
    /** Carries a block out and gives what it printed. */
    const give = async (text: string): Promise<string> => {
      const { code, output } = await shell.run(here(text).trimEnd());
      expect([text, code, output]).toEqual([text, 0, output]);
      return output;
    };
    const idOf = async (service: string) => (await give(`acuse_compose ps -q ${service} < /dev/null`)).trim();
    const inspect = async (format: string, id: string) =>
      (await run('docker', ['inspect', '--format', format, id])).trim();

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'acuse-produccion-'));
      const [http, https, sat] = await Promise.all([freePort(), freePort(), freePort()]);
      port = https;
      simulador = `http://127.0.0.1:${sat}`;
      shell = openShell({
        ...process.env,
        ACUSE_PUERTO_HTTP: `${http}`,
        ACUSE_PUERTO_HTTPS: `${https}`,
        ACUSE_PORT_SIMULADOR: `${sat}`,
        ACUSE_RED_FRENTE: '10.83.96.0/28',
        // As the images are named that are made here.
        ACUSE_IMAGE: 'acuse',
      });
    });
    afterAll(async () => {
      await shell.run('acuse_compose down --volumes --timeout 5 --remove-orphans < /dev/null');
      shell.close();
      await rm(folder, { recursive: true, force: true });
    }, 120_000);

    it('makes folders, settings and secrets, which only their owner reads', async () => {
      await give(blockWith('acuse_compose() {'));
      await give(blockWith('install -d -o 1000'));
      await give(blockWith('cat > /etc/acuse/acuse.env'));
      await give(blockWith('run --rm secretos').replace('secretos\n', 'secretos < /dev/null\n'));
      const secret = await stat(join(folder, 'etc/secretos/api/KEYRING'));
      expect([(secret.mode & 0o777).toString(8), secret.uid]).toEqual(['600', 1000]);
    });

    it('makes one PEM of the authorities, whether they come as PEM or as DER', async () => {
      await give('acuse_compose up --detach --no-build simulador < /dev/null');
      const published = await waitFor(
        () =>
          fetch(`${simulador}/control/ca.pem`).then(
            (answer) => answer.text(),
            () => null,
          ),
        HEALTHY_SECONDS,
      );
      const [first = '', second = '', ...more] =
        published.match(/-----BEGIN[^-]+-----[^-]+-----END[^-]+-----\n/g) ?? [];
      expect([first.length > 0, second.length > 0, more]).toEqual([true, true, []]);
      await mkdir(join(folder, 'autoridades'));
      await writeFile(join(folder, 'autoridades', 'AC1.cer'), new X509Certificate(first).raw);
      await writeFile(join(folder, 'autoridades', 'AC2.crt'), second);
      await give(blockWith('for archivo in autoridades'));
      const names = [...(await give(blockWith('-fingerprint'))).matchAll(/^subject=(.*)$/gm)];
      expect(names).toHaveLength(2);
    });

    it('brings everything up until it is healthy, each without root and on what it cannot write', async () => {
      await give(blockWith('up --detach\n').replace('--detach', '--detach --no-build < /dev/null'));
      for (const service of SERVICES) {
        const id = await waitFor(async () => {
          const found = await idOf(service);
          return found !== '' && (await inspect('{{.State.Health.Status}}', found)) === 'healthy' ? found : null;
        }, HEALTHY_SECONDS);
        expect([service, await inspect('{{.RestartCount}} {{.HostConfig.ReadonlyRootfs}}', id)]).toEqual([
          service,
          '0 true',
        ]);
        const status = await run('docker', ['exec', id, 'cat', '/proc/1/status']);
        expect([service, /^Uid:\s+(\d+)/m.exec(status)?.[1]]).not.toEqual([service, '0']);
      }
    });

    it('finds nothing wrong but that it asks a simulator', async () => {
      const { code, output } = await shell.run(here('acuse_compose run --rm operador revisar --json < /dev/null'));
      const rows = [...output.matchAll(/^\{.*\}$/gm)].map(([line]) => JSON.parse(line) as Record<string, string>);
      const wrong = rows
        .filter(({ resultado }) => resultado === 'aviso' || resultado === 'falla')
        .map(({ revision, que }) => `${revision}: ${que}`);
      expect(wrong).toEqual([
        expect.stringContaining('habla con un simulador'),
        // Example domains without a server.
        expect.stringContaining('https://paquetes.acuse.example'),
      ]);
      expect(code).toBe(3);
    });

    it('keeps database, queue and object store unreachable for other containers', async () => {
      const reaches = async (service: string, target: string) => {
        const connect = `const s=require('net').connect({host:'${target.split(':')[0]}',port:${target.split(':')[1]}});s.on('connect',()=>process.exit(0));s.on('error',()=>process.exit(1));setTimeout(()=>process.exit(1),3000)`;
        const { code } = await shell.run(`acuse_compose exec -T ${service} node -e "${connect}" < /dev/null`);
        return code === 0;
      };
      expect(await reaches('descargas', 'simulador:8090')).toBe(true);
      expect(await reaches('api', 'simulador:8090')).toBe(true);
      expect(await reaches('panel', 'simulador:8090')).toBe(false);
      expect(await reaches('ensambles', 'simulador:8090')).toBe(false);
      expect(await reaches('panel', 's3:8333')).toBe(true);
    });

    it('makes the account, and carries a download by e.firma to a ZIP over https', async () => {
      const accounts = blockWith('operador cuenta crear').trimEnd().split('\n');
      let key = '';
      for (const order of accounts) {
        const output = await give(`${order} < /dev/null`);
        key = /acuse_test_[\w-]+/.exec(output)?.[0] ?? key;
      }
      const password = randomBytes(12).toString('hex');
      const issued = await fetch(`${simulador}/control/efirma`, {
        method: 'POST',
        body: JSON.stringify({ rfc: RFC, password }),
      });
      const efirma = (await issued.json()) as { cer: string; key: string };
      await writeFile(join(folder, 'mi.cer'), Buffer.from(efirma.cer, 'base64'));
      await writeFile(join(folder, 'mi.key'), Buffer.from(efirma.key, 'base64'));
      await writeFile(join(folder, 'mi.password'), password);
      // What a resolver of names and a trusted authority do for others.
      const root = join(folder, 'var/caddy/caddy/pki/authorities/local/root.crt');
      await give(`curl() { command curl --connect-to ::127.0.0.1:${port} --cacert ${root} "$@"; }`);
      const walk = blockWith('llamar tax/descarga-metadata')
        .replace('acuse_live_…', key)
        .replaceAll('2026-01', '2025-01');
      let last = '';
      for (const line of walk.trimEnd().split('\n')) {
        last = await give(line);
        if (line.startsWith('llamar '))
          expect([line, last]).toEqual([line, expect.stringContaining('"cfdi_codigo":1,')]);
      }
      const [, solicitud = ''] = /"solicitud_id":"([^"]+)"/.exec(last) ?? [];
      const [look = '', ask = '', get = ''] = blockWith('"$PAQUETE"').trimEnd().split('\n');
      await give(`SOLICITUD=${solicitud}`);
      await waitFor(async () => ((await give(look)).includes('"estado":"TERMINADA"') ? true : null), 240);
      const answer = JSON.parse(await give(ask)) as { data: { paquete_url: string; sha256: string; bytes: number } };
      expect(answer.data.paquete_url).toMatch(/^https:\/\/paquetes\.acuse\.example\//);
      await give(`PAQUETE='${answer.data.paquete_url}'`);
      await give(get);
      const zip = await readFile(join(folder, 'enero.zip'));
      expect([zip.length, createHash('sha256').update(zip).digest('hex')]).toEqual([
        answer.data.bytes,
        answer.data.sha256,
      ]);
      expect((await readZip(zip)).csv.length).toBeGreaterThan(0);
      // Without its signature the package is not there.
      const bare = await shell.run(`curl --silent --output /dev/null --write-out '%{http_code}' "\${PAQUETE%%\\?*}"`);
      expect(bare.output).toBe('404');
    });

    it('shows the panel over https, and sends who comes without TLS there', async () => {
      const page = await give('curl --silent --show-error --include https://panel.acuse.example/entrar');
      expect(page).toMatch(/^HTTP\/\S+ 200/);
      expect(page.toLowerCase()).toContain('strict-transport-security');
    });

    it('answers nothing but JSON while each process is replaced by step 11', async () => {
      const ask = async (): Promise<string> => {
        const asked = request({
          host: '127.0.0.1',
          port,
          servername: 'api.acuse.example',
          rejectUnauthorized: false,
          method: 'POST',
          path: '/api/v1/vault/estado',
          agent: false,
          headers: { host: 'api.acuse.example', 'user-agent': 'acuse-pruebas' },
        });
        asked.end('{}');
        const [answer] = await once(asked, 'response');
        return String(JSON.parse(await text(answer)).cfdi_codigo);
      };
      const answers: string[] = [];
      let isOver = false;
      const clients = Array.from({ length: 4 }, async () => {
        while (!isOver) answers.push(await ask().catch((error) => `no JSON: ${error}`));
      });
      for (const line of blockWith('--no-deps api\n').trimEnd().split('\n').slice(1))
        await give(`${line.replace('--detach', '--detach --no-build --force-recreate')} < /dev/null`);
      isOver = true;
      await Promise.all(clients);
      console.log(`${answers.length} answers through the update`);
      // Without a key, at the limit of a network, or from Caddy where a body cannot be sent once more.
      expect(answers.filter((answer) => !['1001', '9429', '5041'].includes(answer))).toEqual([]);
      expect(answers).toContain('1001');
      await waitFor(
        async () => ((await inspect('{{.State.Health.Status}}', await idOf('api'))) === 'healthy' ? true : null),
        HEALTHY_SECONDS,
      );
    });

    it('has each process log in to the database as a user of its own, and gives one another', async () => {
      const sessions = async () => {
        const query =
          "SELECT DISTINCT usename FROM pg_stat_activity WHERE application_name ~ '^acuse-(api|panel|worker)'";
        const look = `PGPASSWORD=$(cat /run/acuse/POSTGRES_PASSWORD) psql -h 127.0.0.1 -U acuse -A -t -c "${query}" acuse`;
        const rows = await run('docker', ['exec', await idOf('postgres'), 'sh', '-c', look]);
        return rows.trim().split('\n').sort();
      };
      // A process without work has no connection between two of its health checks.
      const expectUsers = (api: string) =>
        expect
          .poll(sessions, { timeout: 60_000, interval: 1_000 })
          .toEqual([api, 'acuse_entra_panel', 'acuse_entra_worker']);
      await expectUsers('acuse_entra_api');
      for (const line of blockWith('base usuario api').trimEnd().split('\n')) await give(`${line} < /dev/null`);
      await waitFor(
        async () => ((await inspect('{{.State.Health.Status}}', await idOf('api'))) === 'healthy' ? true : null),
        HEALTHY_SECONDS,
      );
      await expectUsers('acuse_entra_api_2');
    });

    it('goes on with a folder of secrets of before there were users, and gives them to it', async () => {
      const secretos = join(folder, 'etc/secretos');
      for (const name of ['DATABASE_URL_API', 'DATABASE_URL_PANEL', 'DATABASE_URL_WORKER'])
        for (const proceso of ['operador', 'migrar']) await rm(join(secretos, proceso, name));
      const owner = await readFile(join(secretos, 'operador', 'DATABASE_URL'), 'utf8');
      for (const proceso of ['api', 'panel', 'coordinador', 'descargas', 'ensambles', 'webhooks'])
        await writeFile(join(secretos, proceso, 'DATABASE_URL'), owner);
      await give('acuse_compose up --detach --no-build --force-recreate api panel < /dev/null');
      for (const service of ['api', 'panel'])
        await waitFor(async () => {
          const id = await idOf(service);
          return id !== '' && (await inspect('{{.State.Health.Status}}', id)) === 'healthy' ? true : null;
        }, HEALTHY_SECONDS);
      expect(new URL(await readFile(join(secretos, 'api', 'DATABASE_URL'), 'utf8')).username).toBe('acuse_entra_api');
    });

    it('writes a backup of the database by the order of the page, which only its owner reads', async () => {
      const [order = '', archivo = ''] = /respaldar "\/respaldos\/(.+)"/.exec(blockWith('operador respaldar')) ?? [];
      expect(order).not.toBe('');
      await give(blockWith('operador respaldar').replace('\n', ' < /dev/null\n'));
      const name = (await give(`echo "${archivo}"`)).trim();
      const path = join(folder, 'var/respaldos', name);
      expect((await readFile(path)).subarray(0, 5).toString()).toBe('PGDMP');
      const { mode, uid } = await stat(path);
      expect([(mode & 0o777).toString(8), uid]).toEqual(['600', 1000]);
    });
  },
);
