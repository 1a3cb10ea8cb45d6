import { Gauge, type Registry } from 'prom-client';

/** The number of connections of this process to one PostgreSQL server, by state. */
export interface ServerConnectionCounts {
  /** `host:port`. */
  readonly server: string;
  readonly open: number;
  readonly idle: number;
  readonly waiting: number;
}

/** Registers the gauges of connections; `read` is called whenever metrics are read. */
export function watchConnections(registry: Registry, read: () => readonly ServerConnectionCounts[]): void {
  const watch = (name: string, help: string, readValue: (counts: ServerConnectionCounts) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['server'],
      registers: [registry],
      collect() {
        this.reset();
        for (const counts of read()) this.set({ server: counts.server }, readValue(counts));
      },
    });
  watch('tenant_connections_open', 'Connections to a PostgreSQL server for its tenants.', ({ open }) => open);
  watch('tenant_connections_idle', 'Idle connections to a PostgreSQL server for its tenants.', ({ idle }) => idle);
  watch(
    'tenant_connections_waiting',
    'Callers that wait for a connection to a PostgreSQL server.',
    ({ waiting }) => waiting,
  );
}
