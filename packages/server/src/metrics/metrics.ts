import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { type ServerConnectionCounts, watchConnections } from './connection-metrics.ts';
import { createJobMetrics, type JobMetrics } from './job-metrics.ts';
import { createMailMetrics, type MailQueueMetrics } from './mail-metrics.ts';
import { watchPasswordWork } from './password-metrics.ts';
import { createRateLimitMetrics, type RateLimitStoreMetrics } from './rate-limit-metrics.ts';
import { createRequestMetrics, type RequestObserver } from './request-metrics.ts';

/** Counts events by one label; cheap enough for the hot path, because prom-client only sees it when it is scraped. */
export interface LabelledCounter {
  increment(label: string): void;
}

export interface Metrics {
  /** Observes the finished requests of one route; `route` is its pattern, never a URL. */
  observerOf(method: string, route: string): RequestObserver;
  /** Verdicts, by their code. */
  readonly validations: LabelledCounter;
  /** Attempts to deliver to webhook endpoints, by result. */
  readonly webhookAttempts: LabelledCounter;
  /** API keys that were refused, by reason. */
  readonly apiKeyAuthFailures: LabelledCounter;
  readonly jobs: JobMetrics;
  readonly mail: MailQueueMetrics;
  readonly rateLimits: RateLimitStoreMetrics;
  /** Reports how many tenants are open whenever metrics are read. */
  watchOpenTenants(count: () => number): void;
  /** Reports the connections to each PostgreSQL server whenever metrics are read. */
  watchConnections(read: () => readonly ServerConnectionCounts[]): void;
  /** Everything in the Prometheus text format, which `contentType` names. */
  text(): Promise<string>;
  readonly contentType: string;
}

let processRegistry: Registry | undefined;

/** Memory, CPU and event loop belong to the process, however many services it runs (tests run many). */
function processMetrics(): Registry {
  if (processRegistry === undefined) {
    processRegistry = new Registry();
    collectDefaultMetrics({ register: processRegistry });
    watchPasswordWork([processRegistry]);
  }
  return processRegistry;
}

function labelledCounter(registry: Registry, name: string, help: string, labelName: string): LabelledCounter {
  const counts = new Map<string, number>();
  new Counter({
    name,
    help,
    labelNames: [labelName],
    registers: [registry],
    collect() {
      this.reset();
      for (const [label, count] of counts) this.inc({ [labelName]: label }, count);
    },
  });
  return { increment: (label) => void counts.set(label, (counts.get(label) ?? 0) + 1) };
}

/** Makes the metrics of one service. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const requests = createRequestMetrics(registry);
  return {
    observerOf: requests.observerOf,
    validations: labelledCounter(registry, 'validations_total', 'License validations by verdict code.', 'code'),
    webhookAttempts: labelledCounter(
      registry,
      'webhook_attempts_total',
      'Attempts to deliver to webhook endpoints by result (succeeded, status_5xx, timeout, ...).',
      'result',
    ),
    apiKeyAuthFailures: labelledCounter(
      registry,
      'api_key_auth_failures_total',
      'Refused API keys by reason.',
      'reason',
    ),
    jobs: createJobMetrics([registry]),
    mail: createMailMetrics([registry]),
    rateLimits: createRateLimitMetrics([registry]),
    watchOpenTenants(count) {
      new Gauge({
        name: 'open_tenants',
        help: 'Tenant databases that are open in this process.',
        registers: [registry],
        collect() {
          this.set(count());
        },
      });
    },
    watchConnections: (read) => watchConnections(registry, read),
    text: () => Registry.merge([processMetrics(), registry]).metrics(),
    contentType: registry.contentType,
  };
}
