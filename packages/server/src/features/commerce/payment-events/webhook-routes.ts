import type { FastifyRequest, RouteOptions } from 'fastify';
import { Type } from 'typebox';
import { Envelope, success } from '../../../http/envelope.ts';
import { publicRoute } from '../../../http/routes/public-route.ts';
import { AppError } from '../../../lib/error.ts';
import type { PaymentProvider } from '../../../payments/provider.ts';
import type { Services } from '../../../services.ts';
import { acceptPaymentEvent } from './service.ts';

const Received = Type.Object({ received: Type.Literal(true) });

const signatureHeaders = { stripe: 'stripe-signature', sandbox: 'sandbox-signature' } as const;

function rejected(): AppError {
  return new AppError(
    'PAYMENT.EVENT_REJECTED',
    'The event is unsigned, wrongly signed, too old or no event. Check the signing secret and the clocks.',
  );
}

/** Where payment providers tell what happened. The surface hands over the body as it came. */
export function paymentWebhookRoutes(services: Services): RouteOptions[] {
  return [webhookRoute(services, 'stripe'), webhookRoute(services, 'sandbox')];
}

function webhookRoute(services: Services, name: PaymentProvider['name']): RouteOptions {
  const { payments } = services;
  const provider = payments?.name === name ? payments : undefined;

  /** Before the body is read: what cannot be an event is not worth reading. */
  async function refuse(request: FastifyRequest): Promise<void> {
    if (provider === undefined) {
      throw new AppError('ROUTE.NOT_FOUND', `This service takes no payments by ${name}. Set PAYMENT_PROVIDER.`);
    }
    if (request.headers[signatureHeaders[name]] === undefined) throw rejected();
  }

  return publicRoute({
    method: 'POST',
    url: `/webhooks/${name}`,
    onRequest: refuse,
    schema: {
      summary: `Take an event of the payment provider ${name}`,
      tags: ['Payment webhooks'],
      description:
        `Signed in the header \`${signatureHeaders[name]}\` over the body as it is sent. Answers 200 once the event is ` +
        'stored, also for one that is known already or that the service does nothing about.',
      response: { 200: Envelope(Received) },
    },
    async handler({ request }) {
      const { body, headers } = request as FastifyRequest;
      const event = Buffer.isBuffer(body) ? provider?.verifyEvent(body, headers) : undefined;
      if (event === undefined) throw rejected();
      await acceptPaymentEvent(services, name, event);
      return success(request, { received: true } as const);
    },
  });
}
