import { hostname } from 'node:os';
import { deadline, type Logger } from '@acuse/runtime';
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { TracingConfig } from './open-tracing.ts';
import type { TraceParent } from './traceparent.ts';
import type { Recorder } from './tracing.ts';

const KINDS = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const;

/** The caller's decision holds; for traces that begin here, the settings give the sampled share. */
function samplerOf({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: ratio }: TracingConfig): Sampler {
  const roots = {
    parentbased_always_on: () => new AlwaysOnSampler(),
    parentbased_always_off: () => new AlwaysOffSampler(),
    parentbased_traceidratio: () => new TraceIdRatioBasedSampler(ratio),
  };
  return new ParentBasedSampler({ root: roots[name]() });
}

/** `name=value,name=value`, the values percent-encoded, as OpenTelemetry writes headers and attributes of a resource. */
function pairsOf(text: string): Record<string, string> {
  return Object.fromEntries(
    text.split(',').flatMap((pair) => {
      const [name = '', ...value] = pair.split('=');
      return name.trim() === '' ? [] : [[name.trim(), decodeURIComponent(value.join('=').trim())]];
    }),
  );
}

/** Same exporter, which also logs the first failure of a row and the recovery. */
function telling(exporter: SpanExporter, log: Logger): SpanExporter {
  let isFailing = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        if (result.code !== 0 && !isFailing) log.warn({ spans: spans.length, err: result.error }, 'traces_not_sent');
        if (result.code === 0 && isFailing) log.info('traces_sent_again');
        isFailing = result.code !== 0;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}

/**
 * Records spans over OpenTelemetry and sends them in batches by OTLP over HTTP, as JSON. Registers nothing globally:
 * only the code that holds the recorder uses it.
 */
export function openRecorder({
  url,
  service,
  config,
  log,
}: {
  readonly url: string;
  readonly service: string;
  readonly config: TracingConfig;
  readonly log: Logger;
}): Recorder & { close(ms: number): Promise<void> } {
  const exporter = new OTLPTraceExporter({
    url,
    headers: pairsOf(config.OTEL_EXPORTER_OTLP_HEADERS),
    timeoutMillis: config.OTEL_EXPORTER_OTLP_TIMEOUT,
  });
  const batches = new BatchSpanProcessor({
    exporter: telling(exporter, log),
    scheduledDelayMillis: config.OTEL_BSP_SCHEDULE_DELAY,
    exportTimeoutMillis: config.OTEL_EXPORTER_OTLP_TIMEOUT,
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': service,
      'service.instance.id': `${hostname()}:${process.pid}`,
      ...pairsOf(config.OTEL_RESOURCE_ATTRIBUTES),
    }),
    sampler: samplerOf(config),
    spanProcessors: [batches],
  });
  const tracer = provider.getTracer('acuse');

  const contextOf = (parent: TraceParent | null) => {
    if (parent === null) return ROOT_CONTEXT;
    const { traceId, spanId, isSampled } = parent;
    const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
    return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
  };

  return {
    start({ name, kind, attributes = {} }, parent, startedAt) {
      const options = { kind: KINDS[kind], attributes: mutable(attributes) };
      const started = startedAt === undefined ? options : { ...options, startTime: startedAt };
      const span = tracer.startSpan(name, started, contextOf(parent));
      const { traceId, spanId, traceFlags } = span.spanContext();
      return {
        parent: { traceId, spanId, isSampled: (traceFlags & TraceFlags.SAMPLED) !== 0 },
        set: (more) => void span.setAttributes(mutable(more)),
        fail: (type) => void span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR }),
        end: (at) => span.end(at),
      };
    },
    async close(ms) {
      // A receiver that is away is not waited for: what it did not get is lost.
      await deadline(ms, () => provider.shutdown()).catch(() => log.warn('traces_lost_at_shutdown'));
    },
  };
}

/** Lists as the library takes them. */
const mutable = (attributes: Readonly<Record<string, string | number | boolean | readonly string[]>>) =>
  Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [name, typeof value === 'object' ? [...value] : value]),
  );
