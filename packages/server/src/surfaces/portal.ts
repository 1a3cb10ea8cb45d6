import type { FastifyContextConfig, FastifyInstance, FastifyRequest } from 'fastify';
import { portalRoutes } from '../features/holders/portal/routes.ts';
import { authenticateHolder } from '../features/holders/portal/session-service.ts';
import { portalNotFound, reachPortal } from '../features/holders/portal/settings-service.ts';
import { purchaseRoutes } from '../features/sales/purchase/routes.ts';
import { declareGuard, type Guard } from '../http/declared-failures.ts';
import { startOnePerTurn } from '../http/paced-requests.ts';
import { refuseUnknownFields } from '../http/strict-requests.ts';
import { orThrow } from '../lib/error.ts';
import type { Services } from '../services.ts';
import { enterTenant, releaseTenantAfterResponse } from './tenant-context.ts';

/**
 * Registers the surface of the holders of licenses: one portal per tenant, at its handle. Its tokens are valid here only,
 * and no other credential is accepted.
 */
export function portalSurface(services: Services) {
  return (app: FastifyInstance, _options: object, done: () => void): void => {
    refuseUnknownFields(app);
    declareGuard(app, guardOf);
    releaseTenantAfterResponse(app, services);
    // Anyone may send requests to some of these routes, and many may do so at once.
    app.addHook('onRequest', startOnePerTurn());
    app.addHook('onRequest', (request) => enterPortal(services, request));
    for (const route of [...portalRoutes(services), ...purchaseRoutes(services)]) app.route(route);
    done();
  };
}

function guardOf({ needsHolder }: FastifyContextConfig): Guard {
  const codes = ['PORTAL.NOT_FOUND', 'TENANT.MOVING'] as const;
  if (!needsHolder) return { credentials: [], codes };
  return { credentials: ['holder'], codes: [...codes, 'AUTH.INVALID_TOKEN'] };
}

/**
 * Finds the tenant of the handle or of the portal's own domain, then the holder of the session if the route needs one.
 * Throws 404 `PORTAL.NOT_FOUND`, also for the portal of a tenant that is suspended or closed, and 401 `AUTH.INVALID_TOKEN`.
 */
async function enterPortal(services: Services, request: FastifyRequest): Promise<void> {
  // The hook runs before validation, so the parameter is unchecked.
  const { handle } = request.params as { handle: string };
  const portal = orThrow(await reachPortal(services, handle, request.headers.host), portalNotFound);
  request.caller.portal = portal;
  const actor = { type: 'holder', id: null, requestId: request.id, ip: request.ip } as const;
  const tenant = await enterTenant(services, request, portal.record, actor);
  if (!request.routeOptions.config.needsHolder) return;
  request.caller.holder = await authenticateHolder(services, tenant.db, request);
}
