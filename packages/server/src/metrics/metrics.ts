import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { type ServerConnectionCounts, watchConnections } from './connection-metrics.ts';
import { watchEventLoop } from './event-loop-metrics.ts';
import { createJobMetrics, type JobMetrics } from './job-metrics.ts';
import { createMailMetrics, type MailQueueMetrics } from './mail-metrics.ts';
import { watchPasswordWork } from './password-metrics.ts';
import { createRateLimitMetrics, type RateLimitStoreMetrics } from './rate-limit-metrics.ts';
import { createRequestMetrics, type RequestLabels } from './request-metrics.ts';

/** Counts events by one label. */
export interface LabelledCounter {
  /** Adds 1 to the count of `label`. */
  increment(label: string): void;
}

/** The metrics of one service. */
export interface Metrics {
  /** Counts a finished request, and its duration in milliseconds. */
  observeRequest(labels: RequestLabels, durationMs: number): void;
  /** License validations, by verdict code. */
  readonly validations: LabelledCounter;
  /** Webhook delivery attempts, by result. */
  readonly webhookAttempts: LabelledCounter;
  /** Rejected API keys, by reason. */
  readonly apiKeyAuthFailures: LabelledCounter;
  readonly jobs: JobMetrics;
  readonly mail: MailQueueMetrics;
  readonly rateLimits: RateLimitStoreMetrics;
  /** Calls `count` whenever metrics are read, to report the number of open tenant databases. */
  watchOpenTenants(count: () => number): void;
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
    watchEventLoop(processRegistry);
    watchPasswordWork([processRegistry]);
  }
  return processRegistry;
}

function labelledCounter(registry: Registry, name: string, help: string, labelName: string): LabelledCounter {
  const counter = new Counter({ name, help, labelNames: [labelName], registers: [registry] });
  return { increment: (label) => counter.inc({ [labelName]: label }) };
}

/** Creates the metrics of one service. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  // Created now, so that the first scrape has delays of the event loop to report.
  processMetrics();
  return {
    observeRequest: createRequestMetrics(registry),
    validations: labelledCounter(registry, 'validations_total', 'License validations by verdict code.', 'code'),
    webhookAttempts: labelledCounter(
      registry,
      'webhook_attempts_total',
      'Webhook delivery attempts by result (succeeded, status_5xx, timeout, ...).',
      'result',
    ),
    apiKeyAuthFailures: labelledCounter(
      registry,
      'api_key_auth_failures_total',
      'Rejected API keys by reason.',
      'reason',
    ),
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
    text: () => Registry.merge([processMetrics(), registry]).metrics(),
    contentType: registry.contentType,
  };
}
