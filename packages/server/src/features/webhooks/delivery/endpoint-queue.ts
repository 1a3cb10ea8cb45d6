import type { WebhookDeliveriesTable, WebhookEndpointsTable } from '../../../db/tables/tenant/webhooks.ts';
import type { EndpointTraffic } from './traffic.ts';

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
