import type { Timestamp } from '../../../lib/clock.ts';

/** The tables of events and their deliveries, in a tenant's database. */
export interface WebhookTables {
  webhook_endpoints: WebhookEndpointsTable;
  events: EventsTable;
  webhook_deliveries: WebhookDeliveriesTable;
  webhook_attempts: WebhookAttemptsTable;
}

/** An endpoint to which a tenant's events are sent. */
export interface WebhookEndpointsTable {
  id: string;
  url: string;
  description: string | null;
  /** Event types, or `["*"]`. */
  events_json: string;
  /** Only events of this product are delivered; null for all events. */
  product_id: string | null;
  /** The names of its own headers. */
  header_names_json: string;
  /** The own headers with their values, encrypted under the application key; empty without headers. */
  sealed_headers: string;
  status: 'enabled' | 'disabled';
  /** Null while it is enabled. */
  disabled_reason: 'requested' | 'gone' | 'failing' | null;
  /** The signing secrets, newest first, encrypted under the application key. */
  sealed_secrets: string;
  /** The number of deliveries that failed since the last successful one. */
  failed_deliveries: number;
  /** When the first of them failed; null without failures. */
  failing_since: Timestamp | null;
  created_at: Timestamp;
  updated_at: Timestamp;
  /** A deleted endpoint is kept without its secrets and headers for the history of its deliveries. */
  deleted_at: Timestamp | null;
}

/** An event in the outbox, written in the transaction of the change. */
export interface EventsTable {
  id: string;
  type: string;
  occurred_at: Timestamp;
  request_id: string | null;
  /** The product of the license, the device or the usage; null for other events. */
  product_id: string | null;
  /** The resource as the API presents it. */
  data_json: string;
}

/** The delivery of one event to one endpoint. */
export interface WebhookDeliveriesTable {
  id: string;
  webhook_id: string;
  event_id: string;
  /** The event's type, copied for the filters of lists. */
  event_type: string;
  status: 'pending' | 'succeeded' | 'failed';
  /** Why there are no further attempts; null unless `failed`. */
  failure_reason: 'attempts_exhausted' | 'endpoint_disabled' | 'endpoint_deleted' | null;
  /** The number of scheduled attempts so far; manual attempts do not count. */
  scheduled_attempts: number;
  next_trigger: 'schedule' | 'manual';
  /** The next attempt as the API shows it; null unless `pending`. */
  next_attempt_at: Timestamp | null;
  /** When the schedule continues after a manual attempt; null if the schedule had ended. */
  resume_at: Timestamp | null;
  /** When a worker may claim it: `next_attempt_at`, or the end of the current lease. Null unless `pending`. */
  claimable_at: Timestamp | null;
  /** The id of the run that sends it; null while no run sends it. */
  lease_id: string | null;
  created_at: Timestamp;
}

/** A request that was sent for a delivery. */
export interface WebhookAttemptsTable {
  id: string;
  delivery_id: string;
  at: Timestamp;
  trigger: 'schedule' | 'manual';
  /** The status code of the response; null without a response. */
  response_status: number | null;
  duration_ms: number;
  /** A class of error such as `timeout` or `status_500`; null if the attempt succeeded. */
  error: string | null;
  /** The response body, at most its first 16 KiB. */
  response_body: string | null;
}
