import type { FastifyInstance } from 'fastify';
import { paymentWebhookRoutes } from '../features/commerce/payment-events/webhook-routes.ts';
import type { Services } from '../services.ts';

/** What payment providers reach. A signature is made over the bytes of a body, so nothing reads them before. */
export function paymentWebhookSurface(services: Services) {
  return (app: FastifyInstance, _options: object, done: () => void): void => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, parsed) => parsed(null, body));
    for (const route of paymentWebhookRoutes(services)) app.route(route);
    done();
  };
}
