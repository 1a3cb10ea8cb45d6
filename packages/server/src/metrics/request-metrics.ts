import { Counter, type Metric, type Registry } from 'prom-client';

/** Records one finished request of a route: its status and its duration in milliseconds. */
export type RequestObserver = (status: number, durationMs: number) => void;

/** Upper bounds of the duration histogram, in milliseconds. The last bucket (+Inf) is the count. */
const bucketBoundsMs = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000];

interface Series {
  readonly labels: { readonly method: string; readonly route: string; readonly status: string };
  readonly buckets: number[];
  count: number;
  sumMs: number;
}

const durationName = 'http_request_duration_seconds';

function histogramValues({ labels, buckets, count, sumMs }: Series) {
  let cumulative = 0;
  const bucketValues = bucketBoundsMs.map((boundMs, index) => {
    cumulative += buckets[index] ?? 0;
    return { metricName: `${durationName}_bucket`, labels: { ...labels, le: boundMs / 1000 }, value: cumulative };
  });
  return [
    ...bucketValues,
    { metricName: `${durationName}_bucket`, labels: { ...labels, le: '+Inf' }, value: count },
    { metricName: `${durationName}_sum`, labels, value: sumMs / 1000 },
    { metricName: `${durationName}_count`, labels, value: count },
  ];
}

function registerHistogram(registry: Registry, values: () => object[]): void {
  const histogram = {
    name: durationName,
    get: async () => ({
      name: durationName,
      help: 'Time from the first byte of a request to the last byte of its response.',
      type: 'histogram',
      values: values(),
    }),
  };
  // The registry needs only `name` and `get()`, but its type requires the whole class.
  registry.registerMetric(histogram as unknown as Metric);
}

/**
 * Creates the counter and the duration histogram of requests, as plain numbers per route and status. prom-client would
 * hash the labels on each observation, which costs more than the observation itself; here it reads the sums on a
 * scrape.
 */
export function createRequestMetrics(registry: Registry) {
  const series: Series[] = [];

  function addSeries(method: string, route: string, status: number): Series {
    const labels = { method, route, status: String(status) };
    const added = { labels, buckets: bucketBoundsMs.map(() => 0), count: 0, sumMs: 0 };
    series.push(added);
    return added;
  }

  new Counter({
    name: 'http_requests_total',
    help: 'Finished requests.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { labels, count } of series) this.inc(labels, count);
    },
  });
  registerHistogram(registry, () => series.flatMap(histogramValues));

  return {
    observerOf(method: string, route: string): RequestObserver {
      const byStatus = new Map<number, Series>();
      return (status, durationMs) => {
        let current = byStatus.get(status);
        if (current === undefined) {
          current = addSeries(method, route, status);
          byStatus.set(status, current);
        }
        current.count += 1;
        current.sumMs += durationMs;
        const bucket = bucketBoundsMs.findIndex((boundMs) => durationMs <= boundMs);
        if (bucket !== -1) current.buckets[bucket] = (current.buckets[bucket] ?? 0) + 1;
      };
    },
  };
}
