import { Type } from 'typebox';
import { described, FilterText, Nullable, PageQuery, TimestampOut, Uuid } from '../../../http/schema.ts';

export const PaymentEvent = Type.Object(
  {
    id: Uuid,
    provider: Type.Union([Type.Literal('stripe'), Type.Literal('sandbox')], {
      title: 'PaymentProvider',
      description: 'The payment provider that sent the event.',
    }),
    provider_event_id: Type.String({ description: 'The id at the payment provider.' }),
    type: Type.String({ description: 'The event type of the provider, such as `invoice.paid`.' }),
    provider_subscription_id: Nullable(Type.String(), { description: 'The id of the subscription at the provider.' }),
    provider_invoice_id: Nullable(Type.String(), { description: 'The id of the invoice at the provider.' }),
    checkout_reference: Nullable(Type.String(), { description: "The id of the service's own checkout." }),
    created_at: described(TimestampOut, "When the event happened, by the provider's clock."),
    received_at: described(TimestampOut, 'When the service received it.'),
    replayed_at: Nullable(TimestampOut, { description: 'When an admin replayed it; null before.' }),
  },
  { title: 'PaymentEvent', description: 'An event of the payment provider.' },
);

export const PaymentEventsQuery = PageQuery({
  type: Type.Optional(FilterText(255, 'The full event type, such as `invoice.paid`.')),
  provider_subscription_id: Type.Optional(FilterText(255, 'The id of a subscription at the provider.')),
});
