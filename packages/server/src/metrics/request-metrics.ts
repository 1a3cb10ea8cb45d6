import { Counter, Histogram, type Registry } from 'prom-client';

/** What is counted of a finished request. `route` is the route's pattern, never a URL. */
export type RequestLabels = { readonly method: string; readonly route: string; readonly status: number };

/** Upper bounds of the duration histogram, in seconds. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Creates the counter and the duration histogram of requests. Returns the function that records one. */
export function createRequestMetrics(registry: Registry): (labels: RequestLabels, durationMs: number) => void {
  const labelNames = ['method', 'route', 'status'] as const;
  const registers = [registry];
  const requests = new Counter({ name: 'http_requests_total', help: 'Finished requests.', labelNames, registers });
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last byte of its response.',
    labelNames,
    registers,
    buckets,
  });
  return (labels, durationMs) => {
    requests.inc(labels);
    durations.observe(labels, durationMs / 1000);
  };
}
