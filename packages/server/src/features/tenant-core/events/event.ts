import type { EventsTable, WebhookDeliveriesTable, WebhookEndpointsTable } from '../../../db/tables/tenant/webhooks.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { newId } from '../../../lib/ids.ts';
import { memoizeText } from '../../../lib/memoize.ts';
import type { EventType } from './schemas.ts';

/** The kind of the job that sends pending deliveries. */
export const deliveryJobKind = 'deliveries';

/** The kind of the job that finds pending deliveries whose wake-up a crash lost. */
export const deliveryRepairJobKind = 'delivery-repair';

const parseSubscription = memoizeText((json): readonly string[] => JSON.parse(json));

/** Returns true if an endpoint receives an event: it is enabled, subscribes to the type, and has no other product. */
export function receives(
  endpoint: Pick<WebhookEndpointsTable, 'status' | 'events_json' | 'product_id'>,
  event: Pick<EventsTable, 'type' | 'product_id'>,
): boolean {
  if (endpoint.status !== 'enabled') return false;
  if (endpoint.product_id !== null && endpoint.product_id !== event.product_id) return false;
  const types = parseSubscription(endpoint.events_json);
  return types[0] === '*' || types.includes(event.type);
}

/** Builds a delivery of an event to an endpoint, due at `at`. */
export function newDelivery(
  event: Pick<EventsTable, 'id' | 'type'>,
  webhookId: string,
  at: Timestamp,
): WebhookDeliveriesTable {
  return {
    id: newId(),
    webhook_id: webhookId,
    event_id: event.id,
    event_type: event.type,
    status: 'pending',
    failure_reason: null,
    scheduled_attempts: 0,
    next_trigger: 'schedule',
    next_attempt_at: at,
    resume_at: null,
    claimable_at: at,
    lease_id: null,
    created_at: at,
  };
}

/**
 * The shape of `data` for each event type: the resource as the API presents it, without secrets. The feature that
 * records an event declares its shape here by declaration merging, so that this feature needs none of their types:
 *
 *     declare module '../../tenant-core/events/event.ts' {
 *       interface EventDataTypes {
 *         'license.created': License;
 *       }
 *     }
 *
 * `EventData` does not compile while an event type has no declaration.
 */
export interface EventDataTypes {
  'webhook.test': { readonly webhook_id: string };
}

/** The type of `data` in an event of this type. */
export type EventData<Type extends EventType> = EventDataTypes[Type];
