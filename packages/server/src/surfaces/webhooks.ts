import type { FastifyInstance } from 'fastify';
import { paymentWebhookRoutes } from '../features/commerce/payment-events/webhook-routes.ts';
import { createMessageReceiver } from '../features/sales/messages/receive-service.ts';
import { salesWebhookRoutes } from '../features/sales/messages/webhook-routes.ts';
import type { Services } from '../services.ts';

/**
 * Registers the surface of payment providers and of the tenants' shops. Signatures cover the raw bytes of the body, so bodies
 * are not parsed.
 */
export function webhookSurface(services: Services) {
  return (app: FastifyInstance, _options: object, done: () => void): void => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, parsed) => parsed(null, body));
    // Only the signature of the raw bytes is checked. The schema of the body documents the route.
    app.setValidatorCompiler(() => () => true);
    for (const route of paymentWebhookRoutes(services)) app.route(route);
    for (const route of salesWebhookRoutes(services, createMessageReceiver(services))) app.route(route);
    done();
  };
}
