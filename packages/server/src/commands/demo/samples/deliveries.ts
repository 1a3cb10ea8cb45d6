import type { ActivationsTable } from '../../../db/tables/tenant/licenses.ts';
import type { EventsTable, WebhookAttemptsTable, WebhookDeliveriesTable } from '../../../db/tables/tenant/webhooks.ts';
import { presentActivation } from '../../../features/licensing/activations/activation.ts';
import { presentLicense } from '../../../features/licensing/licenses/license.ts';
import { newDelivery } from '../../../features/tenant-core/events/event.ts';
import type { EventType } from '../../../features/tenant-core/events/schemas.ts';
import type { PastEndpoint } from '../../../features/webhooks/endpoints/service.ts';
import { type Timestamp, toEpochMs, toTimestamp } from '../../../lib/clock.ts';
import { addSeconds } from '../../../lib/duration.ts';
import { newId } from '../../../lib/ids.ts';
import type { DemoLicense } from './licenses.ts';
import { dayMs, type Present } from './past.ts';
import type { Random } from './random.ts';

/** How an endpoint answers. */
interface EndpointPlan {
  readonly endpoint: PastEndpoint;
  /** From this many days before now, every attempt fails. */
  readonly failsSinceDays: number | null;
  /** Deliveries end this many days before now, because the endpoint was disabled. */
  readonly endsDaysAgo: number;
  readonly failure: { readonly status: number | null; readonly error: string; readonly body: string | null };
}

/**
 * Returns the endpoints of the demo: a healthy one, and two that were disabled for their failures. All are disabled, because
 * nobody answers at their addresses: nothing is sent until somebody enters another address.
 */
export function planEndpoints(present: Present): EndpointPlan[] {
  const endpoint = (
    createdDaysAgo: number,
    fields: Partial<PastEndpoint> & Pick<PastEndpoint, 'url'>,
  ): PastEndpoint => ({
    description: null,
    events_json: '["*"]',
    status: 'disabled',
    disabled_reason: 'requested',
    failed_deliveries: 0,
    failing_since: null,
    created_at: present.ago(createdDaysAgo),
    updated_at: present.ago(createdDaysAgo),
    ...fields,
  });
  const unavailable = { status: 503, error: 'status_503', body: '{"message":"Service Unavailable"}' };
  return [
    {
      endpoint: endpoint(200, {
        url: 'https://crm.demo.example/webhooks/licensing',
        description: 'Demo: customer records. Enter an address of yours and enable it.',
      }),
      failsSinceDays: null,
      endsDaysAgo: 0,
      failure: unavailable,
    },
    {
      endpoint: endpoint(120, {
        url: 'https://chat.demo.example/hooks/licenses',
        description: 'Demo: chat messages, which failed.',
        disabled_reason: 'failing',
        events_json: '["license.created","license.expired","license.revoked","license.suspended","activation.created"]',
        failed_deliveries: 6,
        failing_since: present.ago(1.6),
      }),
      failsSinceDays: 2.5,
      endsDaysAgo: 0,
      failure: unavailable,
    },
    {
      endpoint: endpoint(310, {
        url: 'https://erp.demo.example/legacy/licensing',
        description: 'Demo: the old ERP, which is switched off',
        events_json: '["license.created","license.revoked"]',
        status: 'disabled',
        disabled_reason: 'failing',
        failed_deliveries: 10,
        failing_since: present.ago(9),
        updated_at: present.ago(6),
      }),
      failsSinceDays: 10,
      endsDaysAgo: 6,
      failure: { status: null, error: 'connection_refused', body: null },
    },
  ];
}

/** The deliveries of an endpoint and their attempts. */
export interface DeliveryHistory {
  readonly deliveries: WebhookDeliveriesTable[];
  readonly attempts: WebhookAttemptsTable[];
}

/** The seconds from the creation of a delivery to each attempt, without jitter. */
const attemptsAfterSeconds = [1, 6, 306, 2106, 9306, 27_306, 63_306, 99_306];

/** Returns the deliveries of the events to an endpoint. */
export function planDeliveries(
  random: Random,
  present: Present,
  webhookId: string,
  plan: EndpointPlan,
  events: readonly EventsTable[],
): DeliveryHistory {
  const types: string[] = JSON.parse(plan.endpoint.events_json);
  const until = present.ago(plan.endsDaysAgo);
  const subscribed = events.filter(
    ({ type, occurred_at }) => (types[0] === '*' || types.includes(type)) && occurred_at < until,
  );
  const history: DeliveryHistory = { deliveries: [], attempts: [] };
  for (const event of subscribed) {
    const isFailing =
      plan.failsSinceDays !== null && toEpochMs(event.occurred_at) > present.nowMs - plan.failsSinceDays * dayMs;
    const failures = isFailing ? attemptsAfterSeconds.length : random.chance(0.06) ? random.integer(1, 2) : 0;
    addDelivery(random, present, history, { webhookId, event, failures, plan });
  }
  return history;
}

interface Outcome {
  readonly webhookId: string;
  readonly event: EventsTable;
  /** How many attempts fail before one succeeds. With the schedule's length, every attempt fails. */
  readonly failures: number;
  readonly plan: EndpointPlan;
}

function addDelivery(random: Random, present: Present, history: DeliveryHistory, outcome: Outcome): void {
  const { webhookId, event, failures, plan } = outcome;
  const delivery = newDelivery(event, webhookId, event.occurred_at);
  const planned = attemptsAfterSeconds.slice(0, failures + 1).map((seconds) => addSeconds(event.occurred_at, seconds));
  const made = planned.filter((at) => toEpochMs(at) < present.nowMs - 1000);
  for (const [index, at] of made.entries()) {
    history.attempts.push(attemptOf(random, delivery.id, at, index === failures ? null : plan.failure));
  }
  const hasSucceeded = made.length > failures;
  const state = hasSucceeded ? ended('succeeded', null) : unfinished(present, plan, planned[made.length]);
  history.deliveries.push({ ...delivery, scheduled_attempts: made.length, ...state });
}

function ended(status: 'succeeded' | 'failed', failure_reason: WebhookDeliveriesTable['failure_reason']) {
  return { status, failure_reason, next_attempt_at: null, claimable_at: null };
}

/** The state of a delivery without success: waiting for its next attempt, or failed. */
function unfinished({ nowMs }: Present, { endpoint }: EndpointPlan, next: Timestamp | undefined) {
  if (next === undefined) return ended('failed', 'attempts_exhausted');
  if (endpoint.status === 'disabled') return ended('failed', 'endpoint_disabled');
  // An attempt that is due at once would be made during the start.
  const nextAt = toTimestamp(Math.max(toEpochMs(next), nowMs + 1_800_000));
  return { status: 'pending', failure_reason: null, next_attempt_at: nextAt, claimable_at: nextAt } as const;
}

function attemptOf(
  random: Random,
  deliveryId: string,
  at: Timestamp,
  failure: EndpointPlan['failure'] | null,
): WebhookAttemptsTable {
  return {
    id: newId(),
    delivery_id: deliveryId,
    at,
    trigger: 'schedule',
    response_status: failure === null ? 200 : failure.status,
    duration_ms: random.integer(60, 420),
    error: failure?.error ?? null,
    response_body: failure === null ? '{"ok":true}' : failure.body,
  };
}

/** Events are kept for thirty days. */
const eventDays = 28;

const noValidations = { newest: (_id: string, at: Timestamp | null) => at };

/** Returns the events of the last weeks that the licenses and activations caused, the oldest first. */
export function planEvents(
  present: Present,
  licenses: readonly DemoLicense[],
  activations: readonly ActivationsTable[],
): EventsTable[] {
  const seats = Map.groupBy(activations, ({ license_id }) => license_id);
  const ofLicense = (type: EventType, { row }: DemoLicense, at: Timestamp) => {
    const used = (seats.get(row.id) ?? []).filter(({ created_at }) => created_at <= at);
    return newEvent(
      type,
      at,
      presentLicense({ ...row, activations_count: used.length }, at, noValidations),
      row.product_id,
    );
  };
  const events = licenses.flatMap((license) => {
    const { row, changedAt } = license;
    const isSuspended = row.status === 'suspended';
    return [
      ofLicense('license.created', license, row.created_at),
      ...(changedAt === null
        ? []
        : [ofLicense(isSuspended ? 'license.suspended' : 'license.revoked', license, changedAt)]),
      ...(row.expired_noted_for === null ? [] : [ofLicense('license.expired', license, row.expired_noted_for)]),
    ];
  });
  const products = new Map(licenses.map(({ row }) => [row.id, row.product_id]));
  const productOf = (id: string) => products.get(id) ?? null;
  const ofActivations = activations.flatMap((row) => [
    newEvent('activation.created', row.created_at, presentActivation(row, row.created_at), productOf(row.license_id)),
    ...(row.released_at === null
      ? []
      : [
          newEvent(
            row.release_reason === 'lease_expired' ? 'activation.expired' : 'activation.deactivated',
            row.released_at,
            presentActivation(row, row.released_at),
            productOf(row.license_id),
          ),
        ]),
  ]);
  const since = present.ago(eventDays);
  return [...events, ...ofActivations]
    .filter(({ occurred_at: at }) => at >= since && at < present.ago(0))
    .sort((one, other) => (one.occurred_at < other.occurred_at ? -1 : 1));
}

function newEvent(type: EventType, at: Timestamp, data: object, product_id: string | null): EventsTable {
  return { id: newId(), type, occurred_at: at, request_id: null, product_id, data_json: JSON.stringify(data) };
}
