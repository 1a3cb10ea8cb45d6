import type { FastifyInstance, FastifyRequest } from 'fastify';
import { billingAdminRoutes } from '../features/commerce/billing-admin/routes.ts';
import { billingAuthorizationRoutes } from '../features/commerce/billing-authorization/routes.ts';
import { authorizeBilling } from '../features/commerce/billing-authorization/service.ts';
import { paymentEventsRoutes } from '../features/commerce/payment-events/routes.ts';
import { paymentSandboxRoutes } from '../features/commerce/payment-sandbox/routes.ts';
import { type AdminRoute, authenticatedAdminOf } from '../http/routes/admin-route.ts';
import { guardUnknownPaths } from '../http/unknown-paths.ts';
import type { Services } from '../services.ts';
import { guardHook } from './tenant-context.ts';

/** Registers the routes below `/api/v1/admin/billing`; their URLs are relative to it. */
function billingRoutes(services: Services): AdminRoute[] {
  return [
    ...billingAuthorizationRoutes(services),
    ...billingAdminRoutes(services),
    ...paymentEventsRoutes(services),
    ...paymentSandboxRoutes(services),
  ];
}

/** Applies the billing guard to a request whose admin is authenticated. Throws 403 `BILLING.ROLE_REQUIRED`. */
export async function enterBilling(services: Services, request: FastifyRequest): Promise<void> {
  const { id: requestId, method, ip } = request;
  const billingRequest = { method, url: request.raw.url ?? '', requestId, ip };
  await authorizeBilling(services, authenticatedAdminOf(request), billingRequest);
}

/** The scope of billing administration. Its guard runs before routing, so that unknown paths are guarded too. */
export function billingScope(services: Services) {
  return (app: FastifyInstance, _options: object, done: () => void): void => {
    app.addHook(
      'onRequest',
      guardHook((request) => enterBilling(services, request)),
    );
    guardUnknownPaths(app);
    for (const route of billingRoutes(services)) app.route(route);
    done();
  };
}
