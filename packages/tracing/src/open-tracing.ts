import type { Logger, Shutdown } from '@acuse/runtime';
import { createTracing, type Tracing } from './tracing.ts';

/** Settings of tracing, under the names that OpenTelemetry gives them. */
export interface TracingConfig {
  readonly OTEL_SDK_DISABLED: boolean;
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
  readonly OTEL_EXPORTER_OTLP_TRACES_ENDPOINT?: string | undefined;
  readonly OTEL_EXPORTER_OTLP_HEADERS: string;
  readonly OTEL_EXPORTER_OTLP_TIMEOUT: number;
  readonly OTEL_SERVICE_NAME?: string | undefined;
  readonly OTEL_RESOURCE_ATTRIBUTES: string;
  readonly OTEL_TRACES_SAMPLER: 'parentbased_always_on' | 'parentbased_always_off' | 'parentbased_traceidratio';
  readonly OTEL_TRACES_SAMPLER_ARG: number;
  readonly OTEL_BSP_SCHEDULE_DELAY: number;
}

/** Milliseconds that the end of a process waits for the last spans; a receiver that is away gets none of them. */
const LAST_MS = 2_000;

/** Where spans are sent, or null: nothing of OpenTelemetry is loaded then. */
function endpointOf(config: TracingConfig | null): string | null {
  if (config === null || config.OTEL_SDK_DISABLED) return null;
  if (config.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT !== undefined) return config.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT;
  const base = config.OTEL_EXPORTER_OTLP_ENDPOINT;
  return base === undefined ? null : `${base.replace(/\/+$/, '')}/v1/traces`;
}

/**
 * Opens the tracing of a process; the service is `acuse-` and its name unless the settings name it. Spans are
 * sent in the background, in batches. Spans without room in the buffer are dropped, and a slow or absent receiver
 * delays no work. The remaining spans are sent at the end of the process, after everything opened later has closed.
 */
export async function openTracing(
  process: string,
  config: TracingConfig | null,
  {
    log,
    shutdown,
    lastMs = LAST_MS,
  }: { readonly log: Logger; readonly shutdown: Pick<Shutdown, 'phase'>; readonly lastMs?: number },
): Promise<Tracing> {
  const url = endpointOf(config);
  if (config === null || url === null) return createTracing(null, log);
  const { openRecorder } = await import('./otlp.ts');
  const recorder = openRecorder({ url, service: config.OTEL_SERVICE_NAME ?? `acuse-${process}`, config, log });
  shutdown.phase('tracing', () => recorder.close(lastMs), { timeoutMs: lastMs + 1_000 });
  log.info({ endpoint: new URL(url).origin }, 'tracing_begun');
  return createTracing(recorder, log);
}
