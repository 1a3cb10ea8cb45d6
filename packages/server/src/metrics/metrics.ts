import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { passwordWork } from '../lib/password.ts';
import { createJobMetrics, createMailMetrics, type JobMetrics, type MailQueueMetrics } from './backlog-metrics.ts';
import { type ConnectionMetrics, createConnectionMetrics } from './connection-metrics.ts';
import { watchEventLoop } from './event-loop-metrics.ts';
import { type InstallationState, registerBuild, watchInstallation } from './installation-metrics.ts';

/** Counts events by one label. */
export interface LabelledCounter {
  /** Adds 1 to the count of `label`. */
  increment(label: string): void;
}

/** The recorded facts of a finished request. `route` is the route's pattern, never a URL. */
export type RequestLabels = { readonly method: string; readonly route: string; readonly status: number };

/** Upper bounds of the duration histogram, in seconds. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The number of connections of this process to one PostgreSQL server, by state. */
export interface ServerConnectionCounts {
  /** `host:port`. */
  readonly server: string;
  readonly open: number;
  readonly idle: number;
  readonly waiting: number;
}

/** The metrics of the rate limits that all nodes share in Valkey. */
export interface RateLimitStoreMetrics {
  /** Counts a hit that this node counted alone, without Valkey. */
  countOwnHit(): void;
  /** Counts the start of an outage of Valkey. */
  countOutage(): void;
  /** Calls `read` whenever metrics are read. `nodes`: the number of live nodes known to this node. */
  watchStore(read: () => { readonly isUp: boolean; readonly nodes: number }): void;
}

/** The result of a login with a password. `locked`: refused without a check, after too many failures. */
export type LoginResult = 'succeeded' | 'failed' | 'locked';

/** Counts logins with a password. */
export interface LoginMetrics {
  /** Counts one login of a user (`tenant`) or an administrator (`admin`). */
  countLogin(ability: 'tenant' | 'admin', result: LoginResult): void;
}

/** The metrics of one service. */
export interface Metrics {
  /** Records a finished request with its duration in milliseconds. */
  observeRequest(labels: RequestLabels, durationMs: number): void;
  /** Times for which one piece of work held the event loop, by the route of its request. */
  readonly eventLoopHolds: LabelledCounter;
  /** License validations, by verdict code. */
  readonly validations: LabelledCounter;
  /** Webhook delivery attempts, by result. */
  readonly webhookAttempts: LabelledCounter;
  /** Messages to the addresses of connections to shops, by result. */
  readonly salesMessages: LabelledCounter;
  /** Rejected API keys, by reason. */
  readonly apiKeyAuthFailures: LabelledCounter;
  /** Logins with a password, by result. */
  readonly logins: LoginMetrics;
  /** Counts a failed migration of a tenant's database. */
  countFailedMigration(): void;
  readonly connections: ConnectionMetrics;
  readonly jobs: JobMetrics;
  readonly mail: MailQueueMetrics;
  readonly rateLimits: RateLimitStoreMetrics;
  /** Calls `count` whenever metrics are read, to report the number of open tenant databases. */
  watchOpenTenants(count: () => number): void;
  /** Calls `read` whenever metrics are read, to report the state of the installation. */
  watchInstallation(
    read: () => Promise<InstallationState>,
    options: { readonly hasPostgres: boolean; readonly onError: (error: unknown) => void },
  ): void;
  /** Calls `read` whenever metrics are read, to report the connections to each PostgreSQL server. */
  watchConnections(read: () => readonly ServerConnectionCounts[]): void;
  /** Returns all metrics in the Prometheus text format, whose media type is `contentType`. */
  text(): Promise<string>;
  readonly contentType: string;
}

let processRegistry: Registry | undefined;

/** Memory, CPU and event loop metrics exist once per process, which may run many services in tests. */
function processMetrics(): Registry {
  if (processRegistry === undefined) {
    processRegistry = new Registry();
    collectDefaultMetrics({ register: processRegistry });
    // Gauges with the names of counters. The sums of the metrics without `_total`, by type, are the same.
    for (const kind of ['handles', 'requests', 'resources']) {
      processRegistry.removeSingleMetric(`nodejs_active_${kind}_total`);
    }
    registerBuild([processRegistry]);
    watchEventLoop(processRegistry);
    watchPasswordWork([processRegistry]);
  }
  return processRegistry;
}

function labelledCounter(registry: Registry, name: string, help: string, labelName: string): LabelledCounter {
  const counter = new Counter({ name, help, labelNames: [labelName], registers: [registry] });
  return { increment: (label) => counter.inc({ [labelName]: label }) };
}

/** Registers the metrics of password hashing. They exist once per process, because all services share its threads. */
function watchPasswordWork(registers: Registry[]): void {
  new Counter({
    name: 'password_hashes_total',
    help: 'Passwords that were hashed or verified.',
    registers,
    collect() {
      this.reset();
      this.inc(passwordWork.begun);
    },
  });
  new Gauge({
    name: 'password_hashes_waiting',
    help: 'Passwords that wait to be hashed or verified; more than a few mean that logins wait for CPU time.',
    registers,
    collect() {
      this.set(passwordWork.waiting);
    },
  });
}

function createLoginMetrics(registers: Registry[]): LoginMetrics {
  const logins = new Counter({
    name: 'logins_total',
    help: 'Logins with a password by the kind of account (tenant, admin) and result (succeeded, failed, locked).',
    labelNames: ['ability', 'result'],
    registers,
  });
  return { countLogin: (ability, result) => logins.inc({ ability, result }) };
}

function createMigrationCounter(registers: Registry[]): () => void {
  const name = 'tenant_migration_failures_total';
  const failures = new Counter({ name, help: "Failed attempts to migrate a tenant's database.", registers });
  return () => failures.inc();
}

/** Creates the histogram of the requests' durations. Returns the function that records one. */
function createRequestMetrics(registry: Registry): (labels: RequestLabels, durationMs: number) => void {
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last byte of its response.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
    buckets,
  });
  return (labels, durationMs) => durations.observe(labels, durationMs / 1000);
}

/** Registers the gauges of connections; `read` is called whenever metrics are read. */
function watchConnections(registry: Registry, read: () => readonly ServerConnectionCounts[]): void {
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

/** Creates the metrics of shared rate limits. They are registered only when `watchStore` is called. */
function createRateLimitMetrics(registers: Registry[]): RateLimitStoreMetrics {
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

/** Creates the metrics of one service. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  // Created now, so that the first scrape has delays of the event loop to report.
  processMetrics();
  return {
    observeRequest: createRequestMetrics(registry),
    eventLoopHolds: labelledCounter(
      registry,
      'event_loop_holds_total',
      'Times for which this node executed nothing but one piece of work for a second, by the route of its request.',
      'route',
    ),
    validations: labelledCounter(registry, 'validations_total', 'License validations by verdict code.', 'code'),
    webhookAttempts: labelledCounter(
      registry,
      'webhook_attempts_total',
      'Webhook delivery attempts by result (succeeded, status_5xx, timeout, ...).',
      'result',
    ),
    salesMessages: labelledCounter(
      registry,
      'sales_messages_total',
      'Messages of shops to existing connections by result (accepted, refused).',
      'result',
    ),
    apiKeyAuthFailures: labelledCounter(
      registry,
      'api_key_auth_failures_total',
      'Rejected API keys by reason.',
      'reason',
    ),
    logins: createLoginMetrics([registry]),
    countFailedMigration: createMigrationCounter([registry]),
    connections: createConnectionMetrics([registry]),
    jobs: createJobMetrics([registry]),
    mail: createMailMetrics([registry]),
    rateLimits: createRateLimitMetrics([registry]),
    watchOpenTenants(count) {
      new Gauge({
        name: 'open_tenants',
        help: 'Open tenant databases in this process.',
        registers: [registry],
        collect() {
          this.set(count());
        },
      });
    },
    watchConnections: (read) => watchConnections(registry, read),
    watchInstallation: (read, options) => watchInstallation([registry], read, options),
    text: () => Registry.merge([processMetrics(), registry]).metrics(),
    contentType: registry.contentType,
  };
}
