import type { FastifyInstance } from 'fastify';
import { billingRoutes } from '../features/commerce/billing/routes.ts';
import { ownerInvoiceRoutes } from '../features/commerce/invoices/owner-routes.ts';
import type { Services } from '../services.ts';
import { assertOwner, enterAsMember } from './tenant.ts';
import { guardHook, releaseTenantAfterResponse } from './tenant-context.ts';

/** Registers the surface of a tenant's billing. Only owners can use it, including for reads. */
export function billingSurface(services: Services) {
  return (app: FastifyInstance, _options: object, done: () => void): void => {
    releaseTenantAfterResponse(app, services);
    app.addHook(
      'onRequest',
      guardHook((request) => enterAsMember(services, request, assertOwner)),
    );
    for (const route of [...billingRoutes(services), ...ownerInvoiceRoutes(services)]) app.route(route);
    done();
  };
}
