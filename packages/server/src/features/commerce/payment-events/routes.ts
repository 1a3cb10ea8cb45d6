import { Envelope, PageEnvelope, success, successPage } from '../../../http/envelope.ts';
import { type AdminRoute, adminRoute } from '../../../http/routes/admin-route.ts';
import { IdParams } from '../../../http/schema.ts';
import type { Services } from '../../../services.ts';
import { listPaymentEvents } from './queries.ts';
import { PaymentEvent, PaymentEventsQuery } from './schemas.ts';
import { replayPaymentEvent } from './service.ts';

const tags = ['Billing administration'] as const;

/** Registers the routes on which admins read and replay the events of the payment provider. */
export function paymentEventsRoutes(services: Services): AdminRoute[] {
  return [
    adminRoute({
      method: 'GET',
      url: '/events',
      schema: {
        operationId: 'adminListPaymentEvents',
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
        operationId: 'adminReplayPaymentEvent',
        summary: 'Replay an event of the payment provider',
        tags,
        description:
          'Enqueues the work of the event again: the service reads its subscription, invoice or checkout from the ' +
          'provider. Idempotent.',
        params: IdParams,
        response: { 200: Envelope(PaymentEvent) },
      },
      async handler({ request, actor }) {
        return success(request, await replayPaymentEvent(services, actor, request.params.id));
      },
    }),
  ];
}
