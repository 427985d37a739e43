import { AsyncLocalStorage } from 'node:async_hooks';
import type { SatMetrics } from '@acuse/core';
import type { Logger } from '@acuse/runtime';
import { formatTraceparent, parseTraceparent, type TraceParent } from './traceparent.ts';

/** Facts of a span, by the names of OpenTelemetry's conventions or under `acuse.`: never a credential, never an RFC. */
export type Attributes = Readonly<Record<string, string | number | boolean | readonly string[]>>;

export type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer';

export interface SpanSpec {
  /** One of few values: values that differ for each span go into the attributes. */
  readonly name: string;
  readonly kind: SpanKind;
  readonly attributes?: Attributes;
  /** The `traceparent` that it goes on from, as it came; without one, the span that is going on. */
  readonly parent?: string | null | undefined;
}

/** A span that is going on. */
export interface Span {
  set(attributes: Attributes): void;
  /** It failed: `type` says how, by a name of few values. */
  fail(type: string): void;
}

/** Span as the recorder receives it. */
interface RecordedSpan extends Span {
  readonly parent: TraceParent;
  /** `at`: milliseconds since 1970; now without it. */
  end(at?: number): void;
}

/** Who makes spans and sends them somewhere. */
export interface Recorder {
  /** `startedAt` in milliseconds since 1970; now without it. */
  start(spec: Omit<SpanSpec, 'parent'>, parent: TraceParent | null, startedAt?: number): RecordedSpan;
}

/** The tracing of one process. Without a recorder it only hands on the trace that a caller named. */
export interface Tracing {
  /** Runs `work` as a span. Lines of the log that are written meanwhile carry its trace. What `work` throws has failed. */
  span<T>(spec: SpanSpec, work: (span: Span) => Promise<T>): Promise<T>;
  /** Records a finished span: `from` and `to` are milliseconds since 1970. */
  note(spec: SpanSpec, from: number, to: number, failure?: string): void;
  /** `traceparent` of the current span, to store or send on; null outside of any trace. */
  current(): string | null;
  /** Records each request to the SAT under the span in which it was made. */
  readonly sat: SatMetrics;
}

const NO_SPAN: Span = { set() {}, fail() {} };

/** Results of the SAT that count as a failed span; a business answer of the SAT is not one. */
const FAILED = ['rechazo', 'fallo', 'evitada'];

/** Tracing over a recorder, or over none. */
export function createTracing(recorder: Recorder | null, log: Logger): Tracing {
  const going = new AsyncLocalStorage<TraceParent>();
  const parentOf = ({ parent }: SpanSpec) =>
    parent === undefined || parent === null ? (going.getStore() ?? null) : parseTraceparent(parent);

  const within = <T>(parent: TraceParent, work: () => T): T =>
    log.within({ trace_id: parent.traceId, span_id: parent.spanId }, () => going.run(parent, work));

  async function recorded<T>(by: Recorder, spec: SpanSpec, work: (span: Span) => Promise<T>): Promise<T> {
    const span = by.start(spec, parentOf(spec));
    try {
      return await within(span.parent, () => work(span));
    } catch (error) {
      span.fail(error instanceof Error ? error.name : 'Error');
      throw error;
    } finally {
      span.end();
    }
  }

  function note(spec: SpanSpec, from: number, to: number, failure?: string): void {
    const span = recorder?.start(spec, parentOf(spec), from);
    if (failure !== undefined) span?.fail(failure);
    span?.end(Math.max(from, to));
  }

  return {
    async span(spec, work) {
      if (recorder !== null) return recorded(recorder, spec, work);
      const parent = parentOf(spec);
      return parent === null ? work(NO_SPAN) : within(parent, () => work(NO_SPAN));
    },
    note,
    current() {
      const parent = going.getStore();
      return parent === undefined ? null : formatTraceparent(parent);
    },
    sat: {
      record({ host, canal, ms, resultado, codigo }) {
        if (recorder === null) return;
        const now = Date.now();
        const attributes = { 'server.address': host, 'acuse.sat.canal': canal, 'acuse.sat.resultado': resultado };
        const failure = FAILED.includes(resultado) ? (codigo ?? resultado) : undefined;
        note({ name: `SAT ${canal}`, kind: 'client', attributes }, now - ms, now, failure);
      },
    },
  };
}
