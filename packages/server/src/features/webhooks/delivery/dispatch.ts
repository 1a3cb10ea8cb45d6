import type { TenantDb } from '../../../db/database.ts';
import type { WebhookDeliveriesTable, WebhookEndpointsTable } from '../../../db/tables/tenant/webhooks.ts';
import type { EndpointTraffic } from './traffic.ts';

/** The tenant of a run. Its database is opened for each read and each transaction separately. */
export interface DispatchTenant {
  readonly id: string;
  withDb<Result>(work: (db: TenantDb) => Promise<Result>): Promise<Result>;
}

/** Limits of one run. */
export interface DispatchOptions {
  /** Slots of the run: the most deliveries that it holds in memory at the same time. Default 800. */
  readonly limit?: number;
  /** Maximum concurrent requests to one endpoint. Default 16. */
  readonly concurrency?: number;
  /** How long the run claims deliveries, in milliseconds; it then finishes the claimed ones. Default 5000. */
  readonly maxRunMs?: number;
  /** When aborted, the run claims no more, and `stopAfterMs` later it cancels the active requests and releases their deliveries. */
  readonly signal?: AbortSignal;
  /** How long active requests may continue after `signal` was aborted, in milliseconds. Default 5000. */
  readonly stopAfterMs?: number;
  /**
   * If true, requests that take longer than a second are detached: the run ends without them. Their results are
   * recorded later, and the next run of the tenant is then scheduled.
   */
  readonly detachesOverdue?: boolean;
  /** Called after each batch of results that is recorded during the run. */
  readonly onProgress?: () => void;
  /** Returns a number in 0..1 that spreads retries. Default `Math.random`. */
  readonly random?: () => number;
}

/** A delivery that a run has claimed. */
export interface ClaimedDelivery {
  readonly delivery: WebhookDeliveriesTable;
  /** The event's body, which is the same text for all of its endpoints. */
  readonly body: string;
  /** An attempt that starts later could outlive the lease (milliseconds of `performance.now()`). */
  readonly startBeforeMs: number;
}

/** The deliveries that a run has claimed for one endpoint. */
export interface EndpointQueue {
  endpoint: WebhookEndpointsTable;
  /** Deliveries that wait to be sent, in the order of sending. */
  readonly waiting: ClaimedDelivery[];
  /** Number of active requests that hold a slot of the run. */
  slots: number;
  readonly traffic: EndpointTraffic;
}
