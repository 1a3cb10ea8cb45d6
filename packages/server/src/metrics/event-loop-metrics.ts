import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Gauge, type Registry } from 'prom-client';

const resolutionMs = 10;
const nanoseconds = 1e9;

/** The statistics of the delays, by the part of the metric's name that differs. */
const statistics = {
  min: 'The minimum recorded event loop delay.',
  max: 'The maximum recorded event loop delay.',
  mean: 'The mean of the recorded event loop delays.',
  stddev: 'The standard deviation of the recorded event loop delays.',
  p50: 'The 50th percentile of the recorded event loop delays.',
  p90: 'The 90th percentile of the recorded event loop delays.',
  p99: 'The 99th percentile of the recorded event loop delays.',
} as const;

type Statistic = keyof typeof statistics;

/**
 * Replaces prom-client's metrics of the event loop by ones with the same names. prom-client reports NaN and 292 years
 * when no delay was recorded since the last scrape; these keep the values of the last scrape, at first 0.
 */
export function watchEventLoop(registry: Registry): void {
  const delays = monitorEventLoopDelay({ resolution: resolutionMs });
  delays.enable();
  const gauges = new Map<Statistic, Gauge>();
  const lagName = 'nodejs_eventloop_lag_seconds';
  const nameOf = (statistic: Statistic) => `nodejs_eventloop_lag_${statistic}_seconds`;
  const names = Object.keys(statistics) as Statistic[];
  for (const name of [lagName, ...names.map(nameOf)]) registry.removeSingleMetric(name);

  function readDelays(): void {
    if (delays.count === 0) return;
    const { min, max, mean, stddev } = delays;
    const [p50, p90, p99] = [50, 90, 99].map((percentile) => delays.percentile(percentile));
    const values: Record<Statistic, number | undefined> = { min, max, mean, stddev, p50, p90, p99 };
    for (const [statistic, gauge] of gauges) gauge.set((values[statistic] ?? 0) / nanoseconds);
    delays.reset();
  }

  // The registry reads its metrics in order, so this one's `collect` sets the values of the others first.
  new Gauge({
    name: lagName,
    help: 'Lag of event loop in seconds.',
    registers: [registry],
    async collect() {
      readDelays();
      const startedAtMs = performance.now();
      await nextTurn();
      this.set((performance.now() - startedAtMs) / 1000);
    },
  });
  for (const statistic of names) {
    gauges.set(statistic, new Gauge({ name: nameOf(statistic), help: statistics[statistic], registers: [registry] }));
  }
}
