import { deadline } from '@acuse/runtime';
import * as prometheus from 'prom-client';
import {
  CATALOGUE,
  type Collector,
  type Counter,
  type Gauge,
  type Histogram,
  type MetricProcess,
  type Metrics,
  type Spec,
} from './catalogue.ts';

/** Largest number of series of one metric. Further ones are counted under {@link OTHER}. */
const MAX_SERIES = 2_000;
/** Value of every open label once a metric has its largest number of series. */
const OTHER = 'otro';
/** Milliseconds that one collector may take before it counts as failed. */
const COLLECT_MS = 2_500;

type Labels = Record<string, string>;
type Series = Counter & Histogram & Gauge;

/** Metrics of one process with their export to Prometheus. */
export interface Exposition<P extends MetricProcess> {
  /** Metrics of the process, and those of every process. */
  readonly metrics: Metrics<P> & Metrics;
  readonly contentType: string;
  /** All metrics in Prometheus' text format. Never rejects for a collector: a failed one is exported as down. */
  text(): Promise<string>;
  /** Tells of the process itself too (`process_…`, `nodejs_…`, event-loop lag included), until it ends. */
  watchProcess(): void;
}

/** The metrics of a process over prom-client, in a registry of their own. */
export function createMetrics<P extends MetricProcess>(
  process: P,
  options: { readonly maxSeries?: number; readonly collectMs?: number; readonly now?: () => number } = {},
): Exposition<P> {
  const { maxSeries = MAX_SERIES, collectMs = COLLECT_MS, now = performance.now.bind(performance) } = options;
  const registry = new prometheus.Registry();
  const own = Object.entries<Spec>(CATALOGUE).filter(([, { from }]) => from.includes(process));
  const families = new Map(own.map(([key, spec]) => [key, createFamily(spec, registry, maxSeries)]));
  const collectors: (() => Promise<void>)[] = [];

  function collect<T>({ name, sets, cacheMs, read, apply }: Collector<T>): void {
    const up = families.get('collectorUp')?.with({ collector: name });
    let readAt = Number.NEGATIVE_INFINITY;
    collectors.push(async () => {
      if (now() - readAt < cacheMs) return;
      const found = await deadline(collectMs, async () => ({ value: await read() })).catch(() => null);
      for (const key of sets) families.get(key)?.reset();
      if (found !== null) apply(found.value);
      up?.set(found === null ? 0 : 1);
      readAt = now();
    });
  }

  return {
    // Each family has what its entry in the catalogue says; the compiler cannot follow that through a map.
    metrics: { ...Object.fromEntries(families), collect } as unknown as Metrics<P> & Metrics,
    contentType: registry.contentType,
    async text() {
      await Promise.all(collectors.map((run) => run()));
      return registry.metrics();
    },
    watchProcess: () => prometheus.collectDefaultMetrics({ register: registry }),
  };
}

function createFamily(spec: Spec, registry: prometheus.Registry, maxSeries: number) {
  const names = Object.keys(spec.labels);
  const { seriesOf, reset } = openMetric(spec, names, registry);
  const series = new Map<string, Series>();

  function get(labels: Labels): Series {
    const key = names.map((name) => labels[name]).join('\n');
    const known = series.get(key);
    if (known !== undefined) return known;
    const isFull = series.size >= maxSeries;
    if (isFull && names.some((name) => spec.labels[name] === 'open' && labels[name] !== OTHER))
      return get(
        Object.fromEntries(names.map((name) => [name, spec.labels[name] === 'open' ? OTHER : labels[name]])) as Labels,
      );
    const made = seriesOf(labels);
    series.set(key, made);
    return made;
  }

  // What can be named ahead is there from the start: the first of a kind is then a rise, which `rate` sees.
  if (spec.kind !== 'gauge') for (const labels of closedCombinations(spec)) get(labels);
  return {
    with: get,
    reset() {
      series.clear();
      reset();
    },
  };
}

/** Every combination of the labels, or none when one of them is open. */
function closedCombinations({ labels }: Spec): Labels[] {
  return Object.entries(labels).reduce<Labels[]>(
    (all, [name, values]) =>
      values === 'open' ? [] : all.flatMap((some) => values.map((value) => ({ ...some, [name]: value }))),
    [{}],
  );
}

function openMetric(spec: Spec, labelNames: string[], registry: prometheus.Registry) {
  const { name, help } = spec;
  const common = { name, help, labelNames, registers: [registry] };
  const never = () => {
    throw new Error(`${name} is a ${spec.kind}`);
  };
  if (spec.kind === 'counter') {
    const metric = new prometheus.Counter(common);
    return {
      reset: () => metric.reset(),
      seriesOf(labels: Labels): Series {
        metric.inc(labels, 0);
        return { add: (value = 1) => metric.inc(labels, value), observe: never, set: never };
      },
    };
  }
  if (spec.kind === 'gauge') {
    const metric = new prometheus.Gauge(common);
    // The library exports 0 for a metric without labels that was never set, which would look healthy.
    const reset = () => (labelNames.length === 0 ? metric.remove() : metric.reset());
    reset();
    return {
      reset,
      seriesOf: (labels: Labels): Series => ({ add: never, observe: never, set: (value) => metric.set(labels, value) }),
    };
  }
  const metric = new prometheus.Histogram({ ...common, buckets: [...(spec.buckets ?? [])] });
  return {
    reset: () => metric.reset(),
    seriesOf(labels: Labels): Series {
      metric.zero(labels);
      return { add: never, observe: (value) => metric.observe(labels, value), set: never };
    },
  };
}
