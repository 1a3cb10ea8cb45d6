import { Type } from 'typebox';
import { FilterText, Nullable, PageQuery, TimestampOut, Uuid } from '../../../http/schema.ts';

export const PaymentEvent = Type.Object({
  id: Uuid,
  provider: Type.Union([Type.Literal('stripe'), Type.Literal('sandbox')]),
  provider_event_id: Type.String(),
  type: Type.String({ description: 'The event type of the provider, such as `invoice.paid`.' }),
  provider_subscription_id: Nullable(Type.String()),
  checkout_reference: Nullable(Type.String({ description: "The id of the service's own checkout." })),
  created_at: Type.Unsafe<string>({
    ...TimestampOut,
    description: "When the event happened, by the provider's clock.",
  }),
  received_at: TimestampOut,
  replayed_at: Nullable(TimestampOut),
});

export const PaymentEventsQuery = PageQuery({
  type: Type.Optional(FilterText(255, 'The full event type, such as `invoice.paid`.')),
  provider_subscription_id: Type.Optional(FilterText(255, 'The id of a subscription at the provider.')),
});
