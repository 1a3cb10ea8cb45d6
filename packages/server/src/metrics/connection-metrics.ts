import { Counter, Gauge, type Registry } from 'prom-client';

/** The metrics of the connections of clients. */
export interface ConnectionMetrics {
  /** Counts a connection that was closed because the maximum number is open: an idle one, or the new one. */
  countClosed(which: 'idle' | 'new'): void;
  /** Calls `count` whenever metrics are read, to report the number of open connections and its maximum. */
  watchOpen(count: () => number, max: number): void;
}

/** Creates the metrics of connections. */
export function createConnectionMetrics(registers: Registry[]): ConnectionMetrics {
  const closed = new Counter({
    name: 'http_connections_dropped_total',
    help: 'Connections closed because the maximum number is open: the one that waited longest for its client (idle) or the new one (new).',
    labelNames: ['connection'],
    registers,
  });
  for (const connection of ['idle', 'new']) closed.inc({ connection }, 0);
  return {
    countClosed: (connection) => closed.inc({ connection }),
    watchOpen(count, max) {
      const gauge = (name: string, help: string, read: () => number) =>
        new Gauge({
          name,
          help,
          registers,
          collect() {
            this.set(read());
          },
        });
      gauge('http_connections_open', 'Open connections of clients.', count);
      gauge('http_connections_max', 'Maximum number of open connections of clients.', () => max);
    },
  };
}
