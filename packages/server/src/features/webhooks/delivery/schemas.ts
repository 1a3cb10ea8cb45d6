import { type Static, Type } from 'typebox';
import { Nullable, PageQuery, strictObject, TimestampIn, TimestampOut, Uuid } from '../../../http/schema.ts';
import { EventTypeName } from '../../tenant-core/events/schemas.ts';

export const RecoverWebhook = strictObject({
  since: TimestampIn,
  until: Type.Optional(Nullable(TimestampIn)),
  dry_run: Type.Optional(Type.Boolean({ description: 'Counts the events without sending them.' })),
});
export type RecoverWebhook = Static<typeof RecoverWebhook>;

export const Recovered = Type.Object({
  count: Type.Integer({ description: 'Number of events that are sent, or would be sent with `dry_run`.' }),
});

const DeliveryStatus = Type.Union([Type.Literal('pending'), Type.Literal('succeeded'), Type.Literal('failed')]);
const Trigger = Type.Union([Type.Literal('schedule'), Type.Literal('manual')]);

const deliveryFields = {
  id: Uuid,
  webhook_id: Uuid,
  event_id: Uuid,
  event_type: Type.String(),
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
  next_attempt_at: Nullable(TimestampOut),
  created_at: TimestampOut,
};

const Attempt = Type.Object({
  at: TimestampOut,
  trigger: Trigger,
  response_status: Nullable(Type.Integer()),
  duration_ms: Type.Integer(),
  error: Nullable(
    Type.String({
      description: 'Why the attempt failed, such as `timeout`, `dns_failed`, `tls_invalid` or `status_500`.',
    }),
  ),
  response_body: Nullable(Type.String({ description: 'The first 16 KiB of the response.' })),
});

/** A delivery in a list, without its attempts. */
export const DeliverySummary = Type.Object(deliveryFields);
export type DeliverySummary = Static<typeof DeliverySummary>;

export const Delivery = Type.Object({
  ...deliveryFields,
  attempts: Type.Array(Attempt, { description: 'The last 100 attempts, oldest first.' }),
});
export type Delivery = Static<typeof Delivery>;

export const DeliveriesQuery = PageQuery({
  webhook_id: Type.Optional(Uuid),
  status: Type.Optional(DeliveryStatus),
  event_type: Type.Optional(EventTypeName),
});
export type DeliveriesQuery = Static<typeof DeliveriesQuery>;
