export { openTracing, type TracingConfig } from './open-tracing.ts';
export { formatTraceparent, parseTraceparent } from './traceparent.ts';
export { type Attributes, createTracing, type Recorder, type Span, type SpanSpec, type Tracing } from './tracing.ts';
