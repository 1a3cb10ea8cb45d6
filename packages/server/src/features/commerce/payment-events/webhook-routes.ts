import type { FastifyRequest, RouteOptions } from 'fastify';
import { Type } from 'typebox';
import { Envelope, success } from '../../../http/envelope.ts';
import { publicRoute } from '../../../http/routes/public-route.ts';
import { AppError, orThrow } from '../../../lib/error.ts';
import type { PaymentProvider } from '../../../payments/provider.ts';
import type { Services } from '../../../services.ts';
import { acceptPaymentEvent } from './service.ts';

const Received = Type.Object(
  { received: Type.Literal(true) },
  { title: 'PaymentEventReceived', description: 'The event was stored.' },
);

/** The body of a provider's event, for the document only: the signature decides whether a body is accepted. */
const ProviderEvent = Type.Object(
  {
    id: Type.String({ description: 'The id of the event: an event is stored once.' }),
    type: Type.String({ description: 'The type of the event. Events of other types are acknowledged and ignored.' }),
    created: Type.Optional(Type.Integer({ description: 'Seconds since 1970.' })),
    data: Type.Object(
      {
        object: Type.Record(Type.String(), Type.Unknown(), {
          description: 'The resource, as the provider defines it.',
        }),
      },
      { description: 'What the event is about.' },
    ),
  },
  {
    title: 'ProviderEvent',
    additionalProperties: true,
    description:
      'An event as the payment provider defines it. The service reads subscriptions, invoices and checkouts.',
    examples: [
      {
        id: 'evt_1PZ',
        type: 'invoice.paid',
        created: 1_795_334_400,
        data: { object: { id: 'in_1PZ', object: 'invoice', status: 'paid' } },
      },
    ],
  },
);

/** The provider decides how long its events are. */
const eventLimitBytes = 1024 * 1024;

const signatureHeaders = { stripe: 'stripe-signature', sandbox: 'sandbox-signature' } as const;

function rejected(): AppError {
  return new AppError(
    'PAYMENT.EVENT_REJECTED',
    'The event is unsigned, too old, malformed, or its signature is wrong. Check the signing secret and the clocks.',
  );
}

/** Registers the webhooks of the payment providers. The surface passes the raw body, which the signature covers. */
export function paymentWebhookRoutes(services: Services): RouteOptions[] {
  return [webhookRoute(services, 'stripe'), webhookRoute(services, 'sandbox')];
}

function webhookRoute(services: Services, name: PaymentProvider['name']): RouteOptions {
  const { payments } = services;
  const provider = payments?.name === name ? payments : undefined;

  /** Refuses requests that cannot be events before their body is read. */
  async function refuse(request: FastifyRequest): Promise<void> {
    if (provider === undefined) {
      throw new AppError(
        'ROUTE.NOT_FOUND',
        `This service does not use the payment provider ${name}. Set PAYMENT_PROVIDER to ${name} to receive its ` +
          `events.`,
      );
    }
    if (request.headers[signatureHeaders[name]] === undefined) throw rejected();
  }

  return publicRoute('POST', `/webhooks/${name}`, {
    onRequest: refuse,
    bodyLimit: eventLimitBytes,
    operationId: `receive${name === 'stripe' ? 'Stripe' : 'Sandbox'}Event`,
    summary: `Receive an event of the payment provider ${name}`,
    tags: ['Payment webhooks'],
    errors: ['ROUTE.NOT_FOUND', 'PAYMENT.EVENT_REJECTED'],
    description:
      `The header \`${signatureHeaders[name]}\` signs the raw body. The response is 200 once the event is stored, ` +
      'and also for an event that is stored already or that the service ignores.',
    body: ProviderEvent,
    response: { 200: Envelope(Received) },
    async handler({ request }) {
      const { body, headers } = request as FastifyRequest;
      const event = orThrow(Buffer.isBuffer(body) ? provider?.verifyEvent(body, headers) : undefined, rejected);
      await acceptPaymentEvent(services, name, event);
      return success(request, { received: true } as const);
    },
  });
}
