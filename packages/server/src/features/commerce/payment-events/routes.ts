import { Type } from 'typebox';
import { Envelope, PageEnvelope, success, successPage } from '../../../http/envelope.ts';
import { type AdminRoute, adminRoute } from '../../../http/routes/admin-route.ts';
import { described, FilterText, IdParams, Nullable, PageQuery, TimestampOut, Uuid } from '../../../http/schema.ts';
import type { Services } from '../../../services.ts';
import { listPaymentEvents } from './queries.ts';
import { replayPaymentEvent } from './service.ts';

const PaymentEvent = Type.Object(
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

const PaymentEventsQuery = PageQuery({
  type: Type.Optional(FilterText(255, 'The full event type, such as `invoice.paid`.')),
  provider_subscription_id: Type.Optional(FilterText(255, 'The id of a subscription at the provider.')),
});

const tags = ['Billing administration'] as const;

/** Registers the routes on which admins read and replay the events of the payment provider. */
export function paymentEventsRoutes(services: Services): AdminRoute[] {
  return [
    adminRoute('GET', '/events', {
      operationId: 'adminListPaymentEvents',
      summary: 'List the events of the payment provider',
      tags,
      querystring: PaymentEventsQuery,
      response: { 200: PageEnvelope(PaymentEvent) },
      async handler({ request }) {
        return successPage(request, await listPaymentEvents(services.platform, request.query));
      },
    }),
    adminRoute('POST', '/events/:id/replay', {
      operationId: 'adminReplayPaymentEvent',
      summary: 'Replay an event of the payment provider',
      tags,
      description:
        'Enqueues the work of the event again: the service reads its subscription, invoice or checkout from the ' +
        'provider. Idempotent.',
      params: IdParams,
      response: { 200: Envelope(PaymentEvent) },
      async handler({ request, actor }) {
        return success(request, await replayPaymentEvent(services, actor, request.params.id));
      },
    }),
  ];
}
