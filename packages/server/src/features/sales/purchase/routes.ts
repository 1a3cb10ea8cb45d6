import { Envelope, success } from '../../../http/envelope.ts';
import { type PortalRoute, portalRoute } from '../../../http/routes/holder-route.ts';
import { throttle } from '../../../rate-limit/throttle.ts';
import type { Services } from '../../../services.ts';
import { PortalParams } from '../../holders/portal/schemas.ts';
import { Purchase, PurchaseQuery } from './schemas.ts';
import { readPurchase } from './service.ts';

/** The page asks about 25 times in its first minute, and several buyers may share an address. */
const attempts = { attempts: 60, minutes: 1 } as const;

/** The routes of the page to which a shop sends a buyer after the payment, relative to the address of a portal. */
export function purchaseRoutes(services: Services): PortalRoute[] {
  return [
    portalRoute('GET', '/purchase', {
      onRequest: throttle(services.rateLimits, { name: 'portal-purchase', ...attempts }),
      operationId: 'getPortalPurchase',
      summary: 'Read what became of a purchase',
      tags: ['Portal'],
      errors: ['RATE_LIMIT.EXCEEDED'],
      description:
        'For the page to which a shop sends a buyer after the payment, with the id of the checkout in its address. The ' +
        'response contains whole keys for an hour after the checkout, and masked keys afterwards. Ask again after a ' +
        'second if the payment has not been reported yet; an unknown id gets the same response.',
      params: PortalParams,
      querystring: PurchaseQuery,
      response: { 200: Envelope(Purchase) },
      async handler({ request, reply, tenant }) {
        reply.header('cache-control', 'no-store');
        return success(request, await readPurchase(services, tenant, request.query));
      },
    }),
  ];
}
