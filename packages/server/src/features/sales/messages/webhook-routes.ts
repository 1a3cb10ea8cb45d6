import type { FastifyRequest, RouteOptions } from 'fastify';
import { Type } from 'typebox';
import { Envelope, success } from '../../../http/envelope.ts';
import { publicRoute } from '../../../http/routes/public-route.ts';
import { clientNetwork } from '../../../lib/cidr.ts';
import type { Services } from '../../../services.ts';
import type { MessageReceiver } from './receive-service.ts';

const Received = Type.Object(
  { received: Type.Literal(true) },
  { title: 'SaleMessageReceived', description: 'The message was stored.', examples: [{ received: true }] },
);

/** The body of a shop's message, for the document only: the signature decides whether a body is accepted. */
const ShopMessage = Type.Object(
  {},
  {
    title: 'ShopMessage',
    additionalProperties: true,
    description: 'A message as the shop defines it; that of a `custom` shop is described in the guide.',
    examples: [
      {
        type: 'sale.completed',
        at: '2026-11-20T17:42:00Z',
        sale: {
          id: 'order-1042',
          kind: 'one_time',
          buyer: { id: 'customer-7', name: 'Ada Lovelace', email: 'ada@example.com' },
          items: [{ id: 'pro', quantity: 1 }],
        },
      },
    ],
  },
);

/** The largest message of the shops is some 100 KiB. */
const messageLimitBytes = 1024 * 1024;

/** Registers the address of connections. The surface passes the raw body, which the signature covers. */
export function salesWebhookRoutes({ clock }: Services, receiver: MessageReceiver): RouteOptions[] {
  return [
    publicRoute('POST', '/webhooks/sales/:connectionId', {
      bodyLimit: messageLimitBytes,
      operationId: 'receiveSaleMessage',
      summary: 'Receive a message of a shop',
      tags: ['Sales webhooks'],
      errors: ['SALES.SIGNATURE_INVALID', 'RESOURCE.NOT_FOUND', 'TENANT.MOVING', 'RATE_LIMIT.EXCEEDED'],
      description:
        'The shop signs the raw body. 200 means that the message is stored, now or before. A job applies it, usually ' +
        'within a second.',
      params: Type.Object({ connectionId: Type.String({ description: 'The id of the connection.' }) }),
      body: ShopMessage,
      response: { 200: Envelope(Received) },
      async onRequest(_request, reply) {
        reply.header('cache-control', 'no-store');
      },
      async handler({ request }) {
        const { body, headers } = request as FastifyRequest;
        const message = {
          headers: singleHeaders(headers),
          body: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
          receivedAt: clock.now(),
        };
        await receiver.receive(request.params.connectionId, message, clientNetwork(request.ip));
        return success(request, { received: true } as const);
      },
    }),
  ];
}

/** A header that was sent twice does not count: no shop does that, and the copies could disagree. */
function singleHeaders(headers: FastifyRequest['headers']): Record<string, string | undefined> {
  const single = Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : undefined]);
  return Object.fromEntries(single);
}
