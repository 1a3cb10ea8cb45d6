import { type Static, Type } from 'typebox';
import { Nullable, PageQuery, strictObject, TimestampOut, Uuid } from '../../../http/schema.ts';
import { EventSubscription } from '../../tenant-core/events/schemas.ts';

const EndpointStatus = Type.Union([Type.Literal('enabled'), Type.Literal('disabled')]);
const DisabledReason = Type.Union(
  [Type.Literal('requested'), Type.Literal('gone'), Type.Literal('failing'), Type.Null()],
  {
    description:
      '`requested`: a caller disabled it. `gone`: it responded with 410. `failing`: at least ten deliveries in a row failed over a day or more. `null`: it is enabled.',
  },
);
const Secret = Type.String({
  description: 'Signs deliveries (Standard Webhooks): `whsec_` followed by base64. Only this response contains it.',
});

/** Maximum length of an endpoint's URL. */
export const urlMaxLength = 2048;

const Url = Type.String({
  minLength: 1,
  maxLength: urlMaxLength,
  pattern: '^https?://[^\\s\\u0000]+$',
  description: 'The URL that receives events: https, a public address, without credentials and without a fragment.',
});
const Description = Nullable(Type.String({ maxLength: 500, pattern: '^[^\\u0000]*$' }));
const Events = EventSubscription(
  'Types of events, or `["*"]` for all. If absent or `null`, the setting `webhook_event_defaults` applies.',
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
