import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CATALOGUE } from '@acuse/metrics';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { LEAST, MATRIX, renderedBy } from './matrix.ts';
import { CHART, HELM, type Manifest, podsOf, render } from './render.ts';

const CASES = Object.keys(MATRIX);
const LOCKED = CASES.filter((name) => name !== 'with everything off');

interface Peer {
  readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] };
  readonly podSelector?: { readonly matchLabels?: Readonly<Record<string, string>> };
  readonly namespaceSelector?: object;
}
interface Rule {
  readonly from?: readonly Peer[];
  readonly to?: readonly Peer[];
  readonly ports: readonly { readonly port: number }[];
}
interface Policy {
  readonly podSelector: { readonly matchLabels: Readonly<Record<string, string>> };
  readonly policyTypes: readonly string[];
  readonly ingress?: readonly Rule[];
  readonly egress?: readonly Rule[];
}

const COMPONENT = 'app.kubernetes.io/component';
const policiesOf = (manifests: readonly Manifest[]) =>
  manifests.filter(({ kind }) => kind === 'NetworkPolicy').map(({ spec }) => spec as unknown as Policy);
const whoOf = ({ podSelector }: Policy) => podSelector.matchLabels[COMPONENT] ?? 'everybody';

/** Those who may open a connection that fits. */
const whoMay = (policies: readonly Policy[], fits: (rule: Rule) => boolean) =>
  policies
    .filter(({ egress = [] }) => egress.some(fits))
    .map(whoOf)
    .sort();
const reaches = (component: string) => (rule: Rule) =>
  (rule.to ?? []).some(({ podSelector }) => podSelector?.matchLabels?.[COMPONENT] === component);

const bytesOf = (address: string) => address.split('.').reduce((all, byte) => all * 256 + Number(byte), 0);
/** Whether an address of IPv4 is of a block in CIDR. */
function isIn(address: string, cidr: string): boolean {
  const [base = '', bits = '32'] = cidr.split('/');
  const size = 2 ** (32 - Number(bits));
  return Math.floor(bytesOf(address) / size) === Math.floor(bytesOf(base) / size);
}
const isAllowed = (address: string) => (rule: Rule) =>
  rule.to === undefined ||
  rule.to.some(
    ({ ipBlock }) =>
      ipBlock !== undefined &&
      isIn(address, ipBlock.cidr) &&
      !(ipBlock.except ?? []).some((except) => isIn(address, except)),
  );

/** An address of the internet, as the SAT's are: one for examples (RFC 5737). */
const SAT = '203.0.113.9';
const METADATA_OF_CLOUDS = '169.254.169.254';

describe.skipIf(HELM === null)('who talks to whom, in the chart', () => {
  it.each(LOCKED)('comes from named pods only, %s', async (name) => {
    const manifests = await renderedBy(name);
    const policies = policiesOf(manifests);
    const everybody = policies.filter((policy) => whoOf(policy) === 'everybody');
    expect(everybody).toEqual([expect.objectContaining({ policyTypes: ['Ingress', 'Egress'] })]);
    expect(everybody.map(({ ingress, egress }) => [ingress, egress])).toEqual([[undefined, undefined]]);
    const named = new Set(policies.map(whoOf));
    expect([...podsOf(manifests).keys()].filter((component) => !named.has(component))).toEqual([]);
    for (const { policyTypes } of policies) expect(policyTypes).toEqual(['Ingress', 'Egress']);
    for (const { ingress = [], egress = [] } of policies)
      for (const rule of [...ingress, ...egress]) {
        expect(rule.ports.length).toBeGreaterThan(0);
        expect((rule.from ?? rule.to ?? []).length).toBeGreaterThan(0);
      }
  });

  it.each(LOCKED)(
    'is the SAT for the API, the workers with business outside and the operator alone, %s',
    async (name) => {
      const policies = policiesOf(await renderedBy(name));
      expect(whoMay(policies, isAllowed(SAT))).toEqual(['api', 'coordinador', 'descargas', 'operador', 'webhooks']);
      expect(whoMay(policies, isAllowed(METADATA_OF_CLOUDS))).toEqual([]);
      // Traffic to the outside uses TLS, and never reaches the own network on that way.
      for (const { egress = [] } of policies)
        for (const rule of egress.filter(isAllowed(SAT))) {
          // A server of mails may be anywhere, and is no way to the SAT.
          if (name === 'with everything on' && rule.ports.every(({ port }) => port === 465 || port === 587)) continue;
          expect(rule.ports.map(({ port }) => port)).toEqual([443]);
          for (const own of ['10.1.2.3', '172.20.0.1', '192.168.1.1', '127.0.0.1', '100.64.0.1'])
            expect([own, isAllowed(own)(rule)]).toEqual([own, false]);
        }
    },
  );

  it.each(LOCKED)('is each server for who uses it, %s', async (name) => {
    const policies = policiesOf(await renderedBy(name));
    const onPort = (port: number) => (rule: Rule) =>
      rule.ports.some((each) => each.port === port) && isAllowed('10.1.2.3')(rule);
    const all = ['api', 'coordinador', 'descargas', 'ensambles', 'migrar', 'operador', 'panel', 'webhooks'];
    expect(whoMay(policies, onPort(5432))).toEqual(all);
    const stored = ['api', 'coordinador', 'descargas', 'ensambles', 'operador', 'panel'];
    for (const port of [6379, 9000]) expect(whoMay(policies, onPort(port))).toEqual(stored);
    expect(whoMay(policies, onPort(6443))).toEqual(name === 'with everything off' ? [] : ['operador', 'secretos']);
    expect(whoMay(policies, reaches('api'))).toEqual(['operador', 'panel']);
    const asked =
      name === 'before a simulator' ? ['api', 'coordinador', 'descargas', 'operador', 'panel', 'webhooks'] : [];
    expect(whoMay(policies, reaches('simulador'))).toEqual(asked);
    const traced =
      name === 'with everything on' ? ['api', 'coordinador', 'descargas', 'ensambles', 'panel', 'webhooks'] : [];
    expect(whoMay(policies, ({ ports }) => ports.some(({ port }) => port === 4318))).toEqual(traced);
    // Names are asked for by everybody but the simulated tax authority.
    const dns = (rule: Rule) => rule.ports.some(({ port }) => port === 53);
    expect(whoMay(policies, dns)).toEqual([...all, 'secretos'].sort());
  });

  it.each(LOCKED)(
    'are callers for the API and the panel alone, and whoever measures for every process, %s',
    async (name) => {
      const policies = policiesOf(await renderedBy(name)).filter((policy) => whoOf(policy) !== 'simulador');
      const reached = (port: number) =>
        policies
          .filter(({ ingress = [] }) => ingress.some(({ ports }) => ports.some((each) => each.port === port)))
          .map(whoOf)
          .sort();
      expect(reached(9464)).toEqual(['api', 'coordinador', 'descargas', 'ensambles', 'panel', 'webhooks']);
      expect([reached(8080), reached(8081)]).toEqual([['api'], ['panel']]);
    },
  );

  it('is everybody with everybody only where the operator of the cluster says so', async () => {
    expect(policiesOf(await renderedBy('with everything off'))).toEqual([]);
  });
});

describe.skipIf(HELM === null)('how many there are, in the chart', () => {
  const kinds = async (name: string, kind: string) =>
    (await renderedBy(name))
      .filter((each) => each.kind === kind)
      .map(({ metadata }) => metadata.name.split('-').at(-1))
      .sort();
  const fixed = async (name: string) =>
    (await renderedBy(name))
      .filter(({ kind, spec }) => kind === 'Deployment' && spec?.['replicas'] !== undefined)
      .map(({ metadata }) => metadata.name.split('-').at(-1))
      .sort();
  const ALL = ['api', 'coordinador', 'descargas', 'ensambles', 'panel', 'webhooks'];

  it('scales by due work with KEDA, by processor with Kubernetes, or by the values, and never by two of them', async () => {
    expect(await fixed('as it comes')).toEqual([...ALL, 'operador'].sort());
    expect(await kinds('scaled by processors', 'HorizontalPodAutoscaler')).toEqual(
      ALL.filter((name) => name !== 'coordinador'),
    );
    expect(await fixed('scaled by processors')).toEqual(['coordinador', 'operador']);
    expect(await kinds('scaled by KEDA', 'ScaledObject')).toEqual(['descargas', 'ensambles']);
    expect(await kinds('scaled by KEDA', 'HorizontalPodAutoscaler')).toEqual([]);
    expect(await fixed('scaled by KEDA')).toEqual(['api', 'coordinador', 'operador', 'panel', 'webhooks']);
    expect(await kinds('with everything on', 'ScaledObject')).toEqual(['descargas', 'ensambles']);
    expect(await kinds('with everything on', 'HorizontalPodAutoscaler')).toEqual(['api', 'panel', 'webhooks']);
  });

  it('asks Prometheus for existing metrics, of the scaled queue', async () => {
    const scaled = (await renderedBy('scaled by KEDA')).filter(({ kind }) => kind === 'ScaledObject');
    const known = new Set(Object.values(CATALOGUE).map(({ name }) => name as string));
    for (const { metadata, spec } of scaled) {
      const queue = metadata.name.split('-').at(-1);
      const { triggers } = spec as { triggers: { metadata: { query: string; threshold: string } }[] };
      expect(triggers).toHaveLength(1);
      const { query = '', threshold } = triggers[0]?.metadata ?? {};
      const metrics = [...query.matchAll(/acuse_\w+/g)].map(([metric]) => metric);
      expect([metrics, metrics.filter((metric) => !known.has(metric))]).toEqual([expect.any(Array), []]);
      expect(query).toBe(metrics.map((metric) => `max(${metric}{queue="${queue}",namespace="fiscal"})`).join(' + '));
      expect(Number(threshold)).toBeGreaterThan(0);
    }
  });

  it('brings the alerts and the dashboard of ops, and asks by the names that they ask for', async () => {
    const all = await renderedBy('with everything on');
    const of = (kind: string) => all.filter((manifest) => manifest.kind === kind);
    const file = (path: string) => readFileSync(join(CHART, '../..', path), 'utf8');
    expect(of('PrometheusRule').map(({ spec }) => spec)).toEqual([parse(file('prometheus/alertas.yml'))]);
    const dashboards = of('ConfigMap').filter(({ metadata }) => metadata.labels?.['grafana_dashboard'] === '1');
    expect(dashboards.map((each) => each['data'])).toEqual([{ 'acuse.json': file('grafana/acuse.json') }]);
    const [monitor = ''] = of('PodMonitor').map((each) => JSON.stringify(each));
    expect(monitor).toContain('{"targetLabel":"job","replacement":"acuse"}');
    expect(monitor).toContain(
      '{"sourceLabels":["__meta_kubernetes_pod_label_app_kubernetes_io_component"],"targetLabel":"service"}',
    );
    expect(await kinds('as it comes', 'PrometheusRule')).toEqual([]);
  });

  it('lets a node be emptied one process at a time', async () => {
    expect(await kinds('as it comes', 'PodDisruptionBudget')).toEqual(ALL);
    for (const { kind, spec } of await renderedBy('as it comes'))
      if (kind === 'PodDisruptionBudget') expect(spec?.['maxUnavailable']).toBe(1);
    expect(await kinds('with everything off', 'PodDisruptionBudget')).toEqual([]);
  });
});

describe.skipIf(HELM === null)('what the chart refuses', () => {
  it.each([
    ['values without addresses', { autoridades: { pem: 'x' } }, /direcciones\.api: falta la dirección https/],
    ['values without authorities', { direcciones: LEAST.direcciones }, /autoridades: faltan las que emiten e\.firmas/],
    ['a setting that no process reads', { ...LEAST, api: { ajustes: { RATE_LIMITS: '1' } } }, /RATE_LIMITS/],
    ['a secret among the values', { ...LEAST, ajustes: { KEYRING: 'k1:x' } }, /KEYRING/],
    ['a value that there is not', { ...LEAST, replicas: 3 }, /replicas/],
    ['KEDA without Prometheus', { ...LEAST, escala: { keda: { enabled: true } } }, /escala\.keda\.prometheus: falta/],
    ['an Ingress without TLS', { ...LEAST, ingress: { enabled: true } }, /ingress\.tls: falta/],
  ])('are %s', async (_, values, said) => {
    await expect(render(values)).rejects.toThrow(said);
  });

  it('is no word of YAML in what others wrote', async () => {
    const strange = 'no: {[ "comillas\' #y\n---\nkind: Secret';
    const manifests = await render({ ...LEAST, proxies: strange, ajustes: { LOG_LEVEL: strange } });
    expect(manifests.map(({ kind }) => kind)).toEqual((await renderedBy('as it comes')).map(({ kind }) => kind));
    expect(parseAllDocuments(JSON.stringify(manifests)).length).toBe(1);
  });
});
