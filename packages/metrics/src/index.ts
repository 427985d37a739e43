export { CATALOGUE, type Collector, type MetricProcess, type Metrics, type Spec } from './catalogue.ts';
export { openMetrics, serveMetrics } from './listener.ts';
export { countCancelacion, createRouteObserver, observePool, observeSat } from './observers.ts';
export { createMetrics, type Exposition } from './prometheus.ts';
