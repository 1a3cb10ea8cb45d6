import { Envelope, PageEnvelope, success, successPage } from '../../../http/envelope.ts';
import { type AdminRoute, adminRoute } from '../../../http/routes/admin-route.ts';
import { IdParams } from '../../../http/schema.ts';
import type { Services } from '../../../services.ts';
import { listPaymentEvents } from './queries.ts';
import { PaymentEvent, PaymentEventsQuery } from './schemas.ts';
import { replayPaymentEvent } from './service.ts';

const tags = ['Billing administration'] as const;

/** What payment providers told, for operators. */
export function paymentEventsRoutes(services: Services): AdminRoute[] {
  return [
    adminRoute({
      method: 'GET',
      url: '/events',
      schema: {
        summary: 'List the events of the payment provider',
        tags,
        querystring: PaymentEventsQuery,
        response: { 200: PageEnvelope(PaymentEvent) },
      },
      async handler({ request }) {
        return successPage(request, await listPaymentEvents(services.platform, request.query));
      },
    }),
    adminRoute({
      method: 'POST',
      url: '/events/:id/replay',
      schema: {
        summary: 'Replay an event of the payment provider',
        tags,
        description: 'Has what the event is about read from the provider again. It may be repeated without harm.',
        params: IdParams,
        response: { 200: Envelope(PaymentEvent) },
      },
      async handler({ request, actor }) {
        return success(request, await replayPaymentEvent(services, actor, request.params.id));
      },
    }),
  ];
}
