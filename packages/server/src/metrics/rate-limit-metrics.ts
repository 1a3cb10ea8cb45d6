import { Counter, Gauge, type Registry } from 'prom-client';

/** The metrics of the rate limits that all nodes share in Valkey. */
export interface RateLimitStoreMetrics {
  /** Counts a hit that this node counted alone, without Valkey. */
  countOwnHit(): void;
  /** Counts the start of an outage of Valkey. */
  countOutage(): void;
  /** Calls `read` whenever metrics are read. `nodes`: the number of live nodes known to this node. */
  watchStore(read: () => { readonly isUp: boolean; readonly nodes: number }): void;
}

/** Creates the metrics of shared rate limits. They are registered only when `watchStore` is called. */
export function createRateLimitMetrics(registers: Registry[]): RateLimitStoreMetrics {
  let ownHits = 0;
  let outages = 0;
  return {
    countOwnHit() {
      ownHits += 1;
    },
    countOutage() {
      outages += 1;
    },
    watchStore(read) {
      const gauge = (name: string, help: string, value: () => number) =>
        new Gauge({
          name,
          help,
          registers,
          collect() {
            this.set(value());
          },
        });
      const counter = (name: string, help: string, value: () => number) =>
        new Counter({
          name,
          help,
          registers,
          collect() {
            this.reset();
            this.inc(value());
          },
        });
      gauge('rate_limit_store_up', '1 while Valkey counts for all nodes, 0 while this node counts alone.', () =>
        read().isUp ? 1 : 0,
      );
      gauge('rate_limit_nodes', 'Live nodes that share rate limits, as this node knows them.', () => read().nodes);
      counter('rate_limit_store_outages_total', 'Outages of Valkey.', () => outages);
      counter(
        'rate_limit_own_hits_total',
        'Hits that this node counted alone, within its share of the limits.',
        () => ownHits,
      );
    },
  };
}
