import { type Static, Type } from 'typebox';
import { Nullable, PageQuery, strictObject, TimestampIn, TimestampOut, Uuid } from '../../../http/schema.ts';
import { EventSubscription, EventTypeName } from '../../tenant-core/events/schemas.ts';

const EndpointStatus = Type.Union([Type.Literal('enabled'), Type.Literal('disabled')]);
const DisabledReason = Type.Union(
  [Type.Literal('requested'), Type.Literal('gone'), Type.Literal('failing'), Type.Null()],
  {
    description:
      '`requested` by a caller, `gone`: it answered 410, `failing`: ten deliveries in a row failed over a day or more.',
  },
);
const Secret = Type.String({
  description: 'Signs deliveries (Standard Webhooks): `whsec_` and base64. It is shown in this response only.',
});

/** How long a URL may be. */
export const urlMaxLength = 2048;

const Url = Type.String({
  minLength: 1,
  maxLength: urlMaxLength,
  pattern: '^https?://[^\\s\\u0000]+$',
  description: 'Where events are sent: https, without credentials and fragment, on a public address.',
});
const Description = Nullable(Type.String({ maxLength: 500, pattern: '^[^\\u0000]*$' }));
const Events = EventSubscription(
  'Types of events, or `["*"]` for all. Absent or `null`: the `webhook_event_defaults`.',
);

const fields = {
  id: Uuid,
  url: Type.String(),
  description: Nullable(Type.String()),
  events: Type.Array(Type.String()),
  status: EndpointStatus,
  disabled_reason: DisabledReason,
  created_at: TimestampOut,
  updated_at: TimestampOut,
};

export const Webhook = Type.Object(fields);
export type Webhook = Static<typeof Webhook>;

declare module '../../tenant-core/events/event-data.ts' {
  interface EventDataTypes {
    'webhook.disabled': Webhook;
  }
}

export const CreatedWebhook = Type.Object({ ...fields, secret: Nullable(Secret) });
export const WebhookWithSecret = Type.Object({ ...fields, secret: Secret });

export const CreateWebhook = strictObject({
  url: Url,
  description: Type.Optional(Description),
  events: Type.Optional(Nullable(Events)),
});
export type CreateWebhook = Static<typeof CreateWebhook>;

export const UpdateWebhook = strictObject({
  url: Type.Optional(Url),
  description: Type.Optional(Description),
  events: Type.Optional(Nullable(Events)),
  status: Type.Optional(EndpointStatus),
});
export type UpdateWebhook = Static<typeof UpdateWebhook>;

export const WebhooksQuery = PageQuery({ status: Type.Optional(EndpointStatus) });
export type WebhooksQuery = Static<typeof WebhooksQuery>;

export const RecoverWebhook = strictObject({
  since: TimestampIn,
  until: Type.Optional(Nullable(TimestampIn)),
  dry_run: Type.Optional(Type.Boolean({ description: 'Only counts.' })),
});
export type RecoverWebhook = Static<typeof RecoverWebhook>;

export const Recovered = Type.Object({ count: Type.Integer({ description: 'Events that are sent again.' }) });

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
    { description: 'Why no further attempt follows.' },
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
    Type.String({ description: 'What went wrong, such as `timeout`, `dns_failed`, `tls_invalid` or `status_500`.' }),
  ),
  response_body: Nullable(Type.String({ description: 'The first 16 KiB of it.' })),
});

/** In a list, where attempts would be too much. */
export const DeliverySummary = Type.Object(deliveryFields);
export type DeliverySummary = Static<typeof DeliverySummary>;

export const Delivery = Type.Object({
  ...deliveryFields,
  attempts: Type.Array(Attempt, { description: 'The last 100.' }),
});
export type Delivery = Static<typeof Delivery>;

export const DeliveriesQuery = PageQuery({
  webhook_id: Type.Optional(Uuid),
  status: Type.Optional(DeliveryStatus),
  event_type: Type.Optional(EventTypeName),
});
export type DeliveriesQuery = Static<typeof DeliveriesQuery>;
