import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeConfig } from '@acuse/runtime';
import { ROLES } from '@acuse/settings/worker';
import { PROCESOS } from '@acuse/vault';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { SECTIONS } from '../architecture/env-example.ts';
import { moduleOf, strangeFields } from './fields.ts';
import { MATRIX, renderedBy } from './matrix.ts';
import { CHART, containersOf, HELM, type PodSpec, podsOf } from './render.ts';

const read = (path: string) => readFileSync(join(CHART, path), 'utf8');
const { version } = JSON.parse(readFileSync(join(CHART, '../../../apps/api/package.json'), 'utf8')) as {
  version: string;
};

const CASES = Object.entries(MATRIX);

const SETTINGS = new Map(
  SECTIONS.flatMap(([, schema]) => describeConfig(schema).map(({ name, secret }) => [name, secret])),
);
/** Of Node itself, and of the simulator. */
const OTHERS = /^(NODE_OPTIONS|NODE_EXTRA_CA_CERTS|SIMULADOR_(HOST|PORT|DATA_DIR))$/;
const PROCESSES = ['api', 'panel', 'descargas', 'coordinador', 'ensambles', 'webhooks'] as const;

const envOf = (pod: PodSpec) =>
  new Map(containersOf(pod).flatMap(({ env = [] }) => env.map(({ name, value }) => [name, value] as const)));
const podOf = async (name: string, component: string): Promise<PodSpec> => {
  const pod = podsOf(await renderedBy(name)).get(component);
  if (pod === undefined) throw new Error(`there is no ${component} ${name}`);
  return pod;
};
/** What PROCESOS has for the servers of compose, and for the owner, a chart does not start. */
const secretsOf = (pod: PodSpec) =>
  [...envOf(pod).keys()]
    .filter((name) => name.endsWith('_FILE'))
    .map((name) => name.replace(/_FILE$/, ''))
    .sort();

describe('the chart', () => {
  it('is of the version of the product', () => {
    expect(parse(read('Chart.yaml'))).toMatchObject({ version, appVersion: version });
  });

  it('gives every role of a worker to one process, and each process the secrets that it reads', () => {
    const [, text = ''] =
      /define "acuse\.procesos" -\}\}\n([\s\S]*?)\{\{- end \}\}/.exec(read('templates/_helpers.tpl')) ?? [];
    const fixed = parse(text) as Readonly<
      Record<string, { secretos: string[]; env: Readonly<Record<string, string>> }>
    >;
    const played = Object.values(fixed).flatMap(({ env }) => env['WORKER_ROLES']?.split(',') ?? []);
    expect(played.sort()).toEqual([...ROLES].sort());
    expect(
      Object.fromEntries(Object.entries(fixed).map(([name, { secretos }]) => [name, [...secretos].sort()])),
    ).toEqual(Object.fromEntries(PROCESSES.map((name) => [name, [...PROCESOS[name]].sort()])));
  });

  it('has values that its own schema takes, and no others', () => {
    const validate = new Ajv({ strict: false }).compile(JSON.parse(read('values.schema.json')));
    const values = parse(read('values.yaml'));
    expect([validate(values), validate.errors]).toEqual([true, null]);
    for (const wrong of [
      { ...values, panels: {} },
      { ...values, ajustes: { RATE_LIMITS: '5' } },
      { ...values, api: { ...values.api, ajustes: { KEYRING: 'k1:x' } } },
      { ...values, panel: { ...values.panel, ajustes: { DESCARGAS_CONCURRENCY: 5 } } },
      { ...values, descargas: { ...values.descargas, replicas: 0 } },
    ])
      expect(validate(wrong)).toBe(false);
  });

  it('has a line of docs/operators/kubernetes.md for each group of values', () => {
    const page = readFileSync(join(CHART, '../../../docs/operators/kubernetes.md'), 'utf8');
    expect(Object.keys(parse(read('values.yaml'))).filter((name) => !page.includes(`\`${name}`))).toEqual([]);
  });
});

describe.skipIf(HELM === null)('the chart, rendered by Helm', () => {
  it.each(CASES)('is what the API of Kubernetes takes, %s', async (name) => {
    for (const manifest of await renderedBy(name)) {
      const { apiVersion, kind } = manifest;
      const models = (await import(moduleOf(manifest))) as Record<string, new (data: object) => { validate(): void }>;
      const Model = models[kind];
      if (Model === undefined) throw new Error(`there is no schema of ${apiVersion} ${kind}`);
      expect(() => new Model(manifest).validate(), `${kind} ${manifest.metadata.name}`).not.toThrow();
      expect([kind, manifest.metadata.labels?.['app.kubernetes.io/instance']]).toEqual([kind, 'acuse']);
    }
  });

  it('has no field that the API of Kubernetes does not know, whatever the values', { tags: ['slow'] }, async () => {
    const all = (await Promise.all(CASES.map(([name]) => renderedBy(name)))).flat();
    const different = [...new Map(all.map((manifest) => [JSON.stringify(manifest), manifest])).values()];
    expect(strangeFields(different)).toEqual([]);
    const [api] = different.filter(({ kind }) => kind === 'Deployment');
    const wrong = JSON.parse(JSON.stringify(api).replaceAll('readOnlyRootFilesystem', 'readOnlyRootFileSystem'));
    expect(strangeFields([wrong]).join()).toContain('readOnlyRootFileSystem');
  });

  it.each(CASES)('runs no container as root, with a writable root, or without limits, %s', async (name) => {
    const pods = podsOf(await renderedBy(name));
    expect([...pods.keys()]).toEqual(expect.arrayContaining([...PROCESSES, 'migrar', 'operador']));
    for (const [component, pod] of pods) {
      expect([component, pod.securityContext]).toEqual([
        component,
        expect.objectContaining({ runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } }),
      ]);
      for (const { name: container, securityContext, resources } of containersOf(pod)) {
        expect([component, container, securityContext]).toEqual([
          ...[component, container],
          {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            runAsNonRoot: true,
            privileged: false,
            capabilities: { drop: ['ALL'] },
          },
        ]);
        for (const part of ['requests', 'limits'] as const)
          expect(Object.keys(resources[part]).sort()).toEqual(['cpu', 'memory']);
      }
      for (const { hostPath } of pod.volumes as readonly { readonly hostPath?: unknown }[])
        expect(hostPath).toBeUndefined();
      expect([pod['hostNetwork'], pod['hostPID'], pod['hostIPC']]).toEqual([undefined, undefined, undefined]);
    }
  });

  it.each(CASES)('runs the image of its version, or that of the values, %s', async (name) => {
    for (const [component, pod] of podsOf(await renderedBy(name)))
      for (const { image } of containersOf(pod)) {
        const own = component === 'simulador' ? 'acuse-simulador' : 'acuse';
        const given = (MATRIX[name]?.['imagen'] as { repositorio: string; huella: string } | undefined) ?? null;
        expect(image).toBe(given && own === 'acuse' ? `${given.repositorio}@${given.huella}` : `${own}:${version}`);
      }
  });

  it.each(CASES)('sets nothing that no process reads, and no secret but by its file, %s', async (name) => {
    for (const pod of podsOf(await renderedBy(name)).values())
      for (const { env = [] } of containersOf(pod))
        for (const { name: setting, value, valueFrom } of env.filter((each) => !OTHERS.test(each.name))) {
          const plain = setting.replace(/_FILE$/, '');
          expect([setting, SETTINGS.has(plain), valueFrom]).toEqual([setting, true, undefined]);
          if (SETTINGS.get(plain) === true || setting !== plain)
            expect([setting, value]).toEqual([`${plain}_FILE`, `/run/acuse/${plain}`]);
        }
  });

  it.each(CASES)('gives each process the secrets that it reads, from a Secret of its own, %s', async (name) => {
    const { nombre = 'acuse', secretos } = (MATRIX[name] ?? {}) as { nombre?: string; secretos?: { prefijo: string } };
    for (const proceso of [...PROCESSES, 'migrar'] as const) {
      const pod = await podOf(name, proceso);
      const mounted = pod.volumes.flatMap(({ secret }) => (secret ? [secret.secretName] : []));
      expect(mounted).toEqual([`${secretos?.prefijo ?? nombre}-${proceso}`]);
      const isQueue = (MATRIX[name] as { cola?: { enPostgres: boolean } }).cola?.enPostgres === true;
      const isAsked = name === 'with everything on' && ['api', 'descargas'].includes(proceso);
      const more = [
        ...(isAsked ? ['CAPTCHA_TOKEN'] : []),
        ...(name === 'with everything on' && proceso === 'webhooks' ? ['SMTP_URL'] : []),
        ...(proceso === 'migrar' && isQueue ? ['DATABASE_URL_COLA'] : []),
      ];
      const read = PROCESOS[proceso].filter((each) => !(isQueue && proceso === 'api' && each === 'QUEUE_URL'));
      expect([proceso, ...secretsOf(pod)]).toEqual([proceso, ...[...read, ...more].sort()]);
      for (const { volumeMounts } of containersOf(pod))
        for (const mount of volumeMounts.filter((each) => each.name === 'secretos'))
          expect(mount).toEqual({ name: 'secretos', mountPath: '/run/acuse', readOnly: true });
    }
  });

  it.each(CASES)('plays every role of a worker once, %s', async (name) => {
    const pods = [...podsOf(await renderedBy(name)).values()];
    const played = pods.flatMap((pod) => envOf(pod).get('WORKER_ROLES')?.split(',') ?? []);
    expect(played.sort()).toEqual([...ROLES].sort());
  });

  it.each(CASES)(
    'asks each process whether it began, lives and is ready, and lets it end what it does, %s',
    async (name) => {
      for (const proceso of PROCESSES) {
        const pod = await podOf(name, proceso);
        const [container] = pod.containers;
        const isCalled = proceso === 'api' || proceso === 'panel';
        expect(['startupProbe', 'livenessProbe', 'readinessProbe'].map((probe) => container?.[probe])).toEqual([
          expect.objectContaining({ httpGet: { path: '/readyz', port: 'http' } }),
          expect.objectContaining({ httpGet: { path: '/healthz', port: 'http' } }),
          // Callers of API and panel get their words of an outage, and not those of the Ingress.
          expect.objectContaining({
            httpGet: { path: isCalled ? '/readyz?exclude=database' : '/readyz', port: 'http' },
          }),
        ]);
        const env = envOf(pod);
        const [drain, shutdown] = [Number(env.get('DRAIN_SECONDS') ?? 0), Number(env.get('SHUTDOWN_SECONDS'))];
        expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(drain + shutdown + 10);
        // Twice as long as it takes to notice that it is ready no more.
        if (isCalled) expect(drain).toBeGreaterThanOrEqual(10);
        const ports = container?.['ports'] as { name: string; containerPort: number }[];
        const listens = env.get('API_PORT') ?? env.get('PANEL_PORT') ?? env.get('HEALTH_PORT');
        expect(ports).toEqual([
          { name: 'http', containerPort: Number(listens) },
          { name: 'metrics', containerPort: Number(env.get('METRICS_PORT')) },
        ]);
      }
    },
  );

  it.each(CASES)('gives a token of Kubernetes only to who writes Secrets, %s', async (name) => {
    const isMade = name !== 'with everything off';
    for (const [component, pod] of podsOf(await renderedBy(name)))
      expect([component, pod.automountServiceAccountToken]).toEqual([
        component,
        isMade && ['secretos', 'operador'].includes(component),
      ]);
    const rules = (await renderedBy(name))
      .filter(({ kind }) => kind === 'Role')
      .flatMap((role) => role['rules'] as object[]);
    expect(rules).toHaveLength(isMade ? 3 : 0);
    for (const rule of rules as { resources: string[]; verbs: string[]; resourceNames?: string[] }[]) {
      expect(rule.resources).toEqual(['secrets']);
      // Whatever is there already is named.
      if (!rule.verbs.includes('create'))
        expect([rule.verbs, rule.resourceNames]).toEqual([['get', 'update'], expect.any(Array)]);
    }
  });

  it.each(CASES)('makes the secrets first, then migrates, then begins, %s', async (name) => {
    const jobs = (await renderedBy(name)).filter(({ kind }) => kind === 'Job');
    const order = jobs.map(({ metadata: { name: job, annotations = {} } }) => {
      expect(annotations['helm.sh/hook']).toBe('pre-install,pre-upgrade');
      return [Number(annotations['helm.sh/hook-weight']), job.split('-').at(-1)] as const;
    });
    expect(order.sort(([a], [b]) => a - b).map(([, job]) => job)).toEqual(
      name === 'with everything off' ? ['migrar'] : ['secretos', 'migrar'],
    );
  });
});
