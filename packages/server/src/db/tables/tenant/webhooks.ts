import type { Timestamp } from '../../../lib/clock.ts';

/** The tables of events and of their delivery, in a tenant's database. */
export interface WebhookTables {
  webhook_endpoints: WebhookEndpointsTable;
  events: EventsTable;
  webhook_deliveries: WebhookDeliveriesTable;
  webhook_attempts: WebhookAttemptsTable;
}

/** Where a tenant wants its events sent. */
export interface WebhookEndpointsTable {
  id: string;
  url: string;
  description: string | null;
  /** Event types, or `["*"]`. */
  events_json: string;
  status: 'enabled' | 'disabled';
  /** Null while it is enabled. */
  disabled_reason: 'requested' | 'gone' | 'failing' | null;
  /** The secrets that sign, newest first, encrypted under the application key (features/webhooks/secrets.ts). */
  sealed_secrets: string;
  /** Deliveries that ended as failed since one succeeded. */
  failed_deliveries: number;
  /** When the first of them ended; null when there is none. */
  failing_since: Timestamp | null;
  created_at: Timestamp;
  updated_at: Timestamp;
  /** A deleted endpoint stays for the history of its deliveries, without its secrets. */
  deleted_at: Timestamp | null;
}

/** The outbox: what happened, written in the transaction of the change. */
export interface EventsTable {
  id: string;
  type: string;
  occurred_at: Timestamp;
  request_id: string | null;
  /** The resource as the API presents it. */
  data_json: string;
}

/** One event for one endpoint. */
export interface WebhookDeliveriesTable {
  id: string;
  webhook_id: string;
  event_id: string;
  /** The event's, so that lists filter by it. */
  event_type: string;
  status: 'pending' | 'succeeded' | 'failed';
  /** Why no further attempt follows; null unless it failed. */
  failure_reason: 'attempts_exhausted' | 'endpoint_disabled' | 'endpoint_deleted' | null;
  /** Attempts of the schedule that were made; those by hand do not count. */
  scheduled_attempts: number;
  next_trigger: 'schedule' | 'manual';
  /** What callers see; null unless it is pending. */
  next_attempt_at: Timestamp | null;
  /** When the schedule goes on after an attempt by hand; null when it had ended. */
  resume_at: Timestamp | null;
  /** When a worker may take it: `next_attempt_at`, or the end of the lease of who has it. Null unless it is pending. */
  claimable_at: Timestamp | null;
  /** Of the run that sends it; null when none does. */
  lease_id: string | null;
  created_at: Timestamp;
}

/** One request that was sent for a delivery. */
export interface WebhookAttemptsTable {
  id: string;
  delivery_id: string;
  at: Timestamp;
  trigger: 'schedule' | 'manual';
  /** Null without an answer. */
  response_status: number | null;
  duration_ms: number;
  /** A named class such as `timeout` or `status_500`; null when it succeeded. */
  error: string | null;
  /** At most 16 KiB. */
  response_body: string | null;
}
