import { type Static, Type } from 'typebox';
import { described, Nullable, PageQuery, strictObject, TimestampIn, TimestampOut, Uuid } from '../../../http/schema.ts';
import { EventTypeName } from '../../tenant-core/events/schemas.ts';
import { DeliveryStatus } from '../endpoints/schemas.ts';

export const RecoverWebhook = strictObject(
  {
    since: described(TimestampIn, 'The start of the range, inclusive.'),
    until: Type.Optional(
      Nullable(TimestampIn, {
        description: 'The end of the range, exclusive. Default, also for null: the present time.',
      }),
    ),
    dry_run: Type.Optional(Type.Boolean({ default: false, description: 'Counts the events without sending them.' })),
  },
  {
    title: 'RecoverWebhook',
    description: 'Delivers the failed events of a period again.',
    examples: [{ since: '2026-11-20T00:00:00Z', dry_run: true }],
  },
);
export type RecoverWebhook = Static<typeof RecoverWebhook>;

export const Recovered = Type.Object(
  { count: Type.Integer({ description: 'Number of events that are sent, or would be sent with `dry_run`.' }) },
  { title: 'RecoveredWebhook', description: 'How many deliveries are sent again.', examples: [{ count: 42 }] },
);

const Trigger = Type.Union([Type.Literal('schedule'), Type.Literal('manual')], {
  description: '`manual` for an attempt that a caller requested.',
});

const deliveryFields = {
  id: Uuid,
  webhook_id: described(Uuid, 'The webhook endpoint.'),
  event_id: described(Uuid, 'The id of the event, sent as `webhook-id`.'),
  event_type: Type.String({ description: 'The type of the event, such as `license.created`.' }),
  status: DeliveryStatus,
  failure_reason: Type.Union(
    [
      Type.Literal('attempts_exhausted'),
      Type.Literal('endpoint_disabled'),
      Type.Literal('endpoint_deleted'),
      Type.Null(),
    ],
    { description: 'Why no further attempt follows; `null` unless the delivery failed.' },
  ),
  next_attempt_at: Nullable(TimestampOut, { description: 'The time of the next attempt; null if none follows.' }),
  created_at: TimestampOut,
};

const outcomeFields = {
  response_status: Nullable(Type.Integer(), { description: 'The HTTP status; null without a response.' }),
  duration_ms: Type.Integer({ description: 'The duration in milliseconds.' }),
  error: Nullable(Type.String(), {
    description: 'Why the attempt failed, such as `timeout`, `dns_failed`, `tls_invalid` or `status_500`.',
  }),
};

const AttemptSummary = Type.Object(
  { at: described(TimestampOut, 'When the attempt began.'), ...outcomeFields },
  { title: 'WebhookAttemptSummary' },
);
export type AttemptSummary = Static<typeof AttemptSummary>;

const RequestHeaders = Type.Object(
  { 'content-type': Type.String(), 'webhook-id': Type.String(), 'webhook-timestamp': Type.String() },
  { title: 'WebhookRequestHeaders', description: 'The headers of the request. The signature is not stored.' },
);

const Attempt = Type.Object(
  {
    at: described(TimestampOut, 'When the attempt began.'),
    trigger: Trigger,
    request_headers: RequestHeaders,
    ...outcomeFields,
    response_body: Nullable(Type.String(), { description: 'The first 16 KiB of the response.' }),
  },
  { title: 'WebhookAttempt', description: 'One attempt to deliver an event.' },
);

const exampleDelivery = {
  id: '019a9b30-1a00-7c10-8d20-9e30a1b2c3d4',
  webhook_id: '019a9b2f-6600-7a41-9b52-0c63d7e8f9a0',
  event_id: '019a9b30-0f00-7b32-a143-b254c3d4e5f6',
  event_type: 'license.created',
  status: 'succeeded',
  failure_reason: null,
  next_attempt_at: null,
  created_at: '2026-11-20T17:42:00.123456Z',
};

/** A delivery in a list: only its last attempt. */
export const DeliverySummary = Type.Object(
  { ...deliveryFields, last_attempt: Nullable(AttemptSummary, { description: 'The last attempt so far.' }) },
  {
    title: 'WebhookDeliverySummary',
    description: 'A delivery of one event to one endpoint, with its last attempt.',
    examples: [
      {
        ...exampleDelivery,
        last_attempt: { at: '2026-11-20T17:42:00.523456Z', response_status: 204, duration_ms: 87, error: null },
      },
    ],
  },
);
export type DeliverySummary = Static<typeof DeliverySummary>;

export const Delivery = Type.Object(
  {
    ...deliveryFields,
    request_body: Type.String({ description: 'The body of every attempt, as it is sent.' }),
    attempts: Type.Array(Attempt, { description: 'The last 100 attempts, oldest first.' }),
  },
  {
    title: 'WebhookDelivery',
    description: 'A delivery of one event to one endpoint.',
    examples: [
      {
        ...exampleDelivery,
        request_body: '{"id":"019a9b30-0f00-7b32-a143-b254c3d4e5f6","type":"license.created"}',
        attempts: [
          {
            at: '2026-11-20T17:42:00.523456Z',
            trigger: 'schedule',
            request_headers: {
              'content-type': 'application/json',
              'webhook-id': '019a9b30-0f00-7b32-a143-b254c3d4e5f6',
              'webhook-timestamp': '1795196520',
            },
            response_status: 204,
            duration_ms: 87,
            error: null,
            response_body: '',
          },
        ],
      },
    ],
  },
);
export type Delivery = Static<typeof Delivery>;

export const DeliveriesQuery = PageQuery({
  webhook_id: Type.Optional(described(Uuid, 'Return only deliveries to this endpoint.')),
  status: Type.Optional(described(DeliveryStatus, 'Return only deliveries with this status.')),
  event_type: Type.Optional(EventTypeName),
  from: Type.Optional(described(TimestampIn, 'Return only deliveries created at this time or later.')),
  to: Type.Optional(described(TimestampIn, 'Return only deliveries created before this time.')),
});
export type DeliveriesQuery = Static<typeof DeliveriesQuery>;
