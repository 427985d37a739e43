import { readFileSync } from 'node:fs';
import { CATALOGO } from '@acuse/contract';
import { FILL_FREED } from '@acuse/embedded';
import { ROLES } from '@acuse/settings/worker';
import { PROCESOS } from '@acuse/vault';
import { describe, expect, it } from 'vitest';
import { envExampleText } from './env-example.ts';
import { ROOT } from './sources.ts';

const read = (path: string) => readFileSync(`${ROOT}${path}`, 'utf8');
const compose = read('docker-compose.yml');
const dockerfile = read('apps/Dockerfile');
/** Settings of the processes, and those of the simulator, which has no part in .env.example. */
const known = new Set([
  ...[...envExampleText().matchAll(/^#?([A-Z][A-Z0-9_]+)=/gm)].map(([, name = '']) => name),
  ...[...read('apps/simulador/src/config.ts').matchAll(/\b(SIMULADOR_[A-Z_]+)\b/g)].map(([, name = '']) => name),
]);

describe('docker-compose.yml', () => {
  it('sets nothing that no process reads', () => {
    const names = [...compose.matchAll(/(?:^|[{,]) *([A-Z][A-Z0-9_]+): /gm)].map(([, name = '']) => name);
    expect(names.length).toBeGreaterThan(30);
    const ofOthers = ['POSTGRES_USER', 'POSTGRES_PASSWORD_FILE', 'POSTGRES_DB', 'NODE_OPTIONS'];
    const unknown = names.filter((name) => ![name, name.replace(/_FILE$/, '')].some((one) => known.has(one)));
    expect(unknown.filter((name) => !ofOthers.includes(name))).toEqual([]);
  });

  it('has every role of a worker played once', () => {
    const played = [...compose.matchAll(/WORKER_ROLES: "?([\w,]+)"?/g)].flatMap(([, roles = '']) => roles.split(','));
    expect(played.sort()).toEqual([...ROLES].sort());
  });

  it('mounts no volume over a folder that the image lacks: it would belong to root', () => {
    const mounted = [...compose.matchAll(/secretos-\w+:\/run\/acuse\/(\w+)/g)].map(([, name = '']) => name);
    const [, made = ''] = /^RUN for each in (.+); do mkdir -p "\/run\/acuse/m.exec(read('apps/Dockerfile')) ?? [];
    expect(mounted.sort()).toEqual(made.split(' ').sort());
  });

  it('lets a process end what it does before it would be killed', () => {
    const [shutdown, grace] = [
      /^#SHUTDOWN_SECONDS=(\d+)/m.exec(envExampleText()),
      /stop_grace_period: (\d+)s/.exec(compose),
    ];
    // A step that is aborted at the end has some seconds to give its claim back.
    expect(Number(grace?.[1])).toBeGreaterThanOrEqual(Number(shutdown?.[1]) + 10);
  });

  it('fills freed memory, in the image as in every other program of the service', () => {
    const [, service = ''] = dockerfile.split(' AS acuse\n');
    for (const [name, value] of Object.entries(FILL_FREED))
      expect(service).toMatch(new RegExp(`^ENV .*\\b${name}=${value}$`, 'm'));
  });

  it('has every server say whether it is healthy, and pins every image that is not ours', () => {
    const services = compose.slice(compose.indexOf('\nservices:')).split(/\n {2}(?=[a-z0-9]+:\n)/);
    const watched = services.filter((text) => /^ {4}healthcheck:/m.test(text)).map((text) => text.split(':')[0]);
    expect(watched.sort()).toEqual(
      ['api', 'coordinador', 'descargas', 'ensambles', 'panel', 'postgres', 'redis', 'simulador', 'webhooks'].sort(),
    );
    const images = [...compose.matchAll(/image: \$\{(?!ACUSE_)\w+:-([^}]+)\}/g)].map(([, image]) => image);
    expect(images).toHaveLength(3);
    for (const image of images) expect(image).toMatch(/:\d+\.\d+(\.\d+)?$/);
    expect(dockerfile).toMatch(/^ARG NODE_IMAGE=node:\d+\.\d+\.\d+-/m);
  });

  describe('secrets', () => {
    const blocks = compose
      .slice(compose.indexOf('\nservices:'), compose.indexOf('\nnetworks:'))
      .split(/\n {2}(?=[a-z0-9]+:\n)/)
      .slice(1);
    const services = new Map(blocks.map((text) => [text.split(':')[0] ?? '', text]));
    const anchors = new Map(
      [...compose.matchAll(/^x-[a-z-]+: &([a-z-]+)\n((?: {2}.*\n)+)/gm)].map(([, name = '', text = '']) => [
        name,
        text,
      ]),
    );
    /** The text of a service with that of every anchor that it merges, however deep. */
    const whole = (text: string): string =>
      [...text.matchAll(/\*([a-z-]+)/g)].reduce((all, [, name = '']) => all + whole(anchors.get(name) ?? ''), text);
    const read = (service: string) =>
      [
        ...new Set([...whole(services.get(service) ?? '').matchAll(/\/run\/acuse\/([\w.]+)/g)].map(([, name]) => name)),
      ].sort();
    const mounted = (service: string) =>
      [...(services.get(service) ?? '').matchAll(/(secretos-[a-z0-9]+):\/run\/acuse(\S*?)[\],\s]/g)].map(
        ([, volume, rest]) => `${volume}${rest}`,
      );
    const own = Object.keys(PROCESOS) as (keyof typeof PROCESOS)[];

    it.each(own)('of %s are on a volume of its own, read-only, and are those that it reads', (service) => {
      expect(mounted(service)).toEqual([`secretos-${service}:ro`]);
      expect(read(service)).toEqual([...PROCESOS[service]].sort());
    });

    it('of all processes are with the operator alone, and with what makes them', () => {
      const everybody = [...own, 'operador'].map((service) => `secretos-${service}/${service}`).sort();
      expect(mounted('secretos').sort()).toEqual(everybody);
      expect(services.get('operador')).toContain('volumes: *all-secrets');
      const others = [...services.keys()].filter((name) => ![...own, 'operador', 'secretos'].includes(name));
      expect(others.filter((name) => /secretos-|all-secrets/.test(services.get(name) ?? ''))).toEqual([]);
    });

    it('are made at the first start: none stands in the file, and credits are never free', () => {
      expect(compose).not.toMatch(/PASSWORD: |SECRET_ACCESS_KEY: |:\/\/[\w]*:[^@\s]+@/);
      expect(services.get('redis')).toContain('redis-server, /run/acuse/redis.conf');
      expect(compose).toMatch(/PAGOS_DEMOSTRACION: \$\{PAGOS_DEMOSTRACION:-false\}$/m);
    });
  });

  it('has the API believe the panel alone, on a network that only the two share', () => {
    const [, network] = /^x-panel-network: &panel-network (.+)$/m.exec(compose) ?? [];
    expect(network).toMatch(/:-10\.[\d.]+\/28\}$/);
    expect(compose.match(/\*panel-network/g)).toHaveLength(2);
    const services = compose.slice(compose.indexOf('\nservices:'), compose.indexOf('\nnetworks:'));
    const members = services.split(/\n {2}(?=[a-z]+:\n)/).filter((text) => /^ {4}networks: .*\bpanel\b/m.test(text));
    expect(members.map((text) => text.split(':')[0])).toEqual(['api', 'panel']);
    expect(members[0]).toContain('TRUSTED_PROXIES: *panel-network');
    expect(members[0]).toContain('aliases: [api-panel]');
    expect(members[1]).toContain('API_INTERNAL_URL: http://api-panel:8080');
  });
});

describe('the settings as they come', () => {
  it('have what a dead worker had in its hands go on elsewhere within 20 s', () => {
    const defaultOf = (name: string) => Number(new RegExp(`^#${name}=(\\d+)$`, 'm').exec(envExampleText())?.[1]);
    const loops = defaultOf('RECONCILER_INTERVAL_MS') + defaultOf('RELAY_INTERVAL_MS');
    expect(defaultOf('LEASE_SECONDS') + loops / 1_000).toBeLessThanOrEqual(20);
  });
});

describe.each(['docs/operators/containers.md', 'docs/developers/architecture.md'])('%s', (document) => {
  it('names every role of a worker', () => {
    const [line = ''] = /^.*`WORKER_ROLES`.*$/m.exec(read(document)) ?? [];
    expect(ROLES.filter((role) => !line.includes(`\`${role}\``))).toEqual([]);
  });
});

describe('docs/operators/containers.md', () => {
  it('names existing settings only', () => {
    const names = [...read('docs/operators/containers.md').matchAll(/`([A-Z]+_[A-Z0-9_]+)`/g)].map(
      ([, name = '']) => name,
    );
    expect(names.length).toBeGreaterThan(5);
    // What the SAT answers, and names of errors, are written in the same way.
    const isOther = (name: string) =>
      name === 'EN_PROCESO' || Object.hasOwn(CATALOGO, name) || compose.includes(`\${${name}:-`);
    expect(names.filter((name) => !known.has(name) && !isOther(name))).toEqual([]);
  });
});

describe('CONTRIBUTING.md', () => {
  it('names every npm script', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const own = Object.keys(scripts).filter((name) => scripts[name]?.includes('acuse.mjs'));
    const named = [...read('CONTRIBUTING.md').matchAll(/`npm (?:run )?([\w:]+)`/g)].map(([, name = '']) => name);
    expect(own.filter((name) => !named.includes(name))).toEqual([]);
    expect(named.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
  });
});
