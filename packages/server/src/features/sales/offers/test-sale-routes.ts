import { Envelope } from '../../../http/envelope.ts';
import type { TenantRoute } from '../../../http/routes/tenant-route.ts';
import { IdParams } from '../../../http/schema.ts';
import type { Services } from '../../../services.ts';
import { creatingRoute } from '../../tenant-core/idempotency/creating-route.ts';
import { createMessageReceiver } from '../messages/receive-service.ts';
import { SendTestSale, TestSale } from '../messages/schemas.ts';
import { sendTestSale } from '../messages/service.ts';
import { firstItem } from './service.ts';

/** The route that sends a test sale, below `/connections`. */
export function testSaleRoute(services: Services): TenantRoute {
  const receiver = createMessageReceiver(services);
  return creatingRoute(services, '/:id/test-sale', {
    operationId: 'sendTestSale',
    summary: 'Send a test sale',
    tags: ['Connections'],
    errors: ['SALES.SIGNATURE_INVALID'],
    description:
      'Signs a message about an imagined sale and sends it to the address of a `custom` connection. Everything that ' +
      'follows is real: the license, the mail to the buyer, the events.',
    params: IdParams,
    body: SendTestSale,
    response: { 201: Envelope(TestSale) },
    async create({ request, tenant, actor }) {
      const { id } = request.params;
      // The body may be absent.
      const { email, external_id }: SendTestSale = request.body ?? {};
      const item = external_id ?? (await firstItem(tenant, id));
      return await sendTestSale(services, { tenant, actor, receiver }, id, { item, email });
    },
    answer: (data) => ({ status: 201, data }),
  });
}
