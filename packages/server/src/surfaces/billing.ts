import type { FastifyInstance } from 'fastify';
import { billingRoutes } from '../features/commerce/billing/routes.ts';
import { ownerInvoiceRoutes } from '../features/commerce/invoices/owner-routes.ts';
import type { Services } from '../services.ts';
import { assertOwner, enterAsMember } from './tenant.ts';
import { guardHook, releaseTenantAfterResponse } from './tenant-context.ts';

/** What the owners of a tenant see and decide of what it pays. Nobody else reads it, whatever the method. */
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
