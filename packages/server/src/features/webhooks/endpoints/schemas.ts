import { type Static, Type } from 'typebox';
import {
  described,
  includeDetails,
  Nullable,
  PageQuery,
  strictObject,
  TimestampOut,
  Uuid,
  withDefaults,
} from '../../../http/schema.ts';
import { urlMaxLength } from '../../../lib/public-url.ts';
import { EventSubscription } from '../../tenant-core/events/schemas.ts';

const EndpointStatus = Type.Union([Type.Literal('enabled'), Type.Literal('disabled')], {
  title: 'WebhookStatus',
  description: 'A disabled endpoint receives nothing.',
});
const DisabledReason = Type.Union(
  [Type.Literal('requested'), Type.Literal('gone'), Type.Literal('failing'), Type.Null()],
  {
    description:
      '`requested`: a caller disabled it. `gone`: it responded with 410. `failing`: at least ten deliveries in a row failed over a day or more. `null`: it is enabled.',
  },
);
const secretText = 'Signs deliveries (Standard Webhooks): `whsec_` followed by base64. Only this response contains it.';

const Url = Type.String({
  minLength: 1,
  maxLength: urlMaxLength,
  pattern: '^https?://[^\\s\\u0000]+$',
  description: 'The URL that receives events: https, a public address, without credentials and without a fragment.',
  examples: ['https://example.com/hooks/licensing'],
});
const descriptionText = 'A note for the users of the tenant.';
const Description = Nullable(Type.String({ maxLength: 500, pattern: '^[^\\u0000]*$' }), {
  description: descriptionText,
});
const productText =
  'Deliver only events about licenses, devices and usage of this product, and test events. Null: all.';

/** Headers that the delivery sets itself, and that say how the connection or the body is to be read. */
const reservedHeader =
  /^(?:host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|user-agent|(?:content|proxy|webhook)-.*)$/i;
const HeaderName = Type.Refine(
  Type.String({ pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$", description: 'The name of the header.' }),
  (name) => !reservedHeader.test(name),
  () => 'Choose another name. The service sets this header itself.',
);
const HeaderValue = Type.String({
  maxLength: 1000,
  pattern: '^[!-~]([ -~]*[!-~])?$',
  description: 'Never returned. If absent in a change, the stored value stays, unless the URL names another server.',
});
const Header = strictObject(
  { name: HeaderName, value: Type.Optional(HeaderValue) },
  { title: 'WebhookHeader', description: 'A header that is sent with each delivery.' },
);
const Headers = Type.Refine(
  Type.Array(Header, {
    maxItems: 10,
    description: 'All headers of your own, such as an authorization for your gateway.',
  }),
  (headers) => new Set(headers.map(({ name }) => name.toLowerCase())).size === headers.length,
  () => 'Name each header once.',
);

const Events = EventSubscription('Types of events, or `["*"]` for all types, including types added later.');

const fields = {
  id: Uuid,
  url: Type.String({ description: 'The URL that receives events.' }),
  description: Nullable(Type.String(), { description: descriptionText }),
  events: Type.Array(Type.String(), { description: 'The subscribed types of events, or `["*"]` for all.' }),
  product_id: Nullable(Uuid, { description: productText }),
  headers: Type.Array(Header, { description: 'The own headers, without their values.' }),
  status: EndpointStatus,
  disabled_reason: DisabledReason,
  created_at: TimestampOut,
  updated_at: TimestampOut,
};

const exampleWebhook = {
  id: '019a9b2f-6600-7a41-9b52-0c63d7e8f9a0',
  url: 'https://example.com/hooks/licensing',
  description: null,
  events: ['license.created', 'license.revoked'],
  product_id: null,
  headers: [{ name: 'Authorization' }],
  status: 'enabled',
  disabled_reason: null,
  created_at: '2026-11-20T17:42:00.123456Z',
  updated_at: '2026-11-20T17:42:00.123456Z',
};
const exampleSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

/** The settings and the status of an endpoint, as events contain them. */
export const WebhookState = Type.Object(fields, {
  title: 'WebhookEndpointState',
  description: 'An endpoint, without its secret and its health.',
  examples: [exampleWebhook],
});
export type WebhookState = Static<typeof WebhookState>;

declare module '../../tenant-core/events/event.ts' {
  interface EventDataTypes {
    'webhook.disabled': WebhookState;
    'webhook.secret_rotated': WebhookState;
  }
}

/** The status of a delivery. */
export const DeliveryStatus = Type.Union([Type.Literal('pending'), Type.Literal('succeeded'), Type.Literal('failed')], {
  title: 'WebhookDeliveryStatus',
  description: '`pending` while attempts follow.',
});
const LastDelivery = Type.Object(
  {
    id: Uuid,
    event_type: Type.String({ description: 'The type of its event.' }),
    status: DeliveryStatus,
    created_at: TimestampOut,
  },
  { title: 'LastWebhookDelivery' },
);
const Counted = Type.Integer({ description: 'At most 1,000.' });
const DeliveryCounts = Type.Object(
  { pending: Counted, succeeded: Counted, failed: Counted },
  { title: 'WebhookDeliveryCounts', description: 'Deliveries created in the last 24 hours.' },
);
const Health = Type.Object(
  {
    is_failing: Type.Boolean({
      description:
        'True while an enabled endpoint has failed deliveries since the last success, or deliveries to retry.',
    }),
    retrying_deliveries: Type.Integer({
      description:
        'Deliveries that failed at least once and wait for the next attempt, among the 100 oldest that wait.',
    }),
    failed_deliveries: Type.Integer({ description: 'Deliveries that failed since the last success.' }),
    failing_since: Nullable(TimestampOut, { description: 'When the first of them failed.' }),
    disabled_from: Nullable(TimestampOut, {
      description: 'From then on a failed delivery disables the endpoint if ten in a row have failed.',
    }),
    last_delivery: Nullable(LastDelivery, { description: 'The newest delivery that is still stored.' }),
    last_24_hours: DeliveryCounts,
  },
  { title: 'WebhookEndpointHealth', description: 'The recent deliveries of an endpoint.' },
);

export const Webhook = Type.Object(
  {
    ...fields,
    previous_secret_expires_at: Type.Optional(
      Nullable(TimestampOut, {
        description:
          'Until then deliveries are also signed with the secret before the rotation. Only with `include=details`.',
      }),
    ),
    health: Type.Optional(Health),
  },
  {
    title: 'WebhookEndpoint',
    description: 'An endpoint that receives events, without its secret.',
    examples: [
      {
        ...exampleWebhook,
        previous_secret_expires_at: null,
        health: {
          is_failing: false,
          retrying_deliveries: 0,
          failed_deliveries: 0,
          failing_since: null,
          disabled_from: null,
          last_delivery: {
            id: '019a9b30-1a00-7c10-8d20-9e30a1b2c3d4',
            event_type: 'license.created',
            status: 'succeeded',
            created_at: '2026-11-20T17:42:00.123456Z',
          },
          last_24_hours: { pending: 0, succeeded: 12, failed: 0 },
        },
      },
    ],
  },
);
export type Webhook = Static<typeof Webhook>;

export const WebhookWithSecret = Type.Object(
  {
    ...fields,
    secret: Nullable(Type.String(), {
      description: `${secretText} Null in a replayed response of an idempotent request.`,
    }),
  },
  {
    title: 'WebhookEndpointWithSecret',
    description: 'An endpoint with its new secret.',
    examples: [{ ...exampleWebhook, secret: exampleSecret }],
  },
);

export const CreateWebhook = strictObject(
  withDefaults(
    {
      url: Url,
      description: Type.Optional(Description),
      events: Type.Optional(
        Nullable(Events, {
          description:
            'Types of events, or `["*"]` for all. If absent or `null`, the setting `webhook_event_defaults` applies.',
        }),
      ),
      product_id: Type.Optional(Nullable(Uuid, { description: productText })),
      headers: Type.Optional(Headers),
    },
    { description: null, product_id: null, headers: [] },
  ),
  {
    title: 'CreateWebhookEndpoint',
    description: 'A new endpoint that receives events.',
    examples: [
      {
        url: exampleWebhook.url,
        events: exampleWebhook.events,
        headers: [{ name: 'Authorization', value: 'Bearer 4f1c' }],
      },
    ],
  },
);
export type CreateWebhook = Static<typeof CreateWebhook>;

export const UpdateWebhook = strictObject(
  {
    url: Type.Optional(Url),
    description: Type.Optional(Description),
    events: Type.Optional(
      Nullable(Events, {
        description: 'Types of events, or `["*"]` for all. `null` applies the setting `webhook_event_defaults`.',
      }),
    ),
    product_id: Type.Optional(Nullable(Uuid, { description: productText })),
    headers: Type.Optional(Headers),
    status: Type.Optional(
      described(EndpointStatus, '`enabled` resets the failures; `disabled` fails the pending deliveries.'),
    ),
  },
  {
    title: 'UpdateWebhookEndpoint',
    description: 'The fields of a webhook endpoint to change.',
    examples: [{ events: ['*'], status: 'enabled' }],
  },
);
export type UpdateWebhook = Static<typeof UpdateWebhook>;

const include = includeDetails('Adds the health of the endpoint and the end of its previous secret.');

/** The query of one endpoint. */
export const WebhookQuery = strictObject(include);

export const WebhooksQuery = PageQuery({
  ...include,
  status: Type.Optional(described(EndpointStatus, 'Return only endpoints with this status.')),
});
export type WebhooksQuery = Static<typeof WebhooksQuery>;
