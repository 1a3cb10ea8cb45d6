import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  type ApiKeyRecord,
  assertAddressAllowed,
  assertScope,
  authenticateApiKey,
} from '../features/accounts/api-keys/authentication.ts';
import { trialRoutes } from '../features/holders/trials/routes.ts';
import { integrationActivationRoutes } from '../features/licensing/activations/routes.ts';
import { certificateRoutes } from '../features/licensing/certificates/routes.ts';
import { entitlementCheckRoutes } from '../features/licensing/entitlement-checks/routes.ts';
import { integrationUsageRoutes } from '../features/licensing/usage/routes.ts';
import { validationRoutes } from '../features/licensing/validation/routes.ts';
import { integrationReleaseRoutes } from '../features/releases/downloads/integration-routes.ts';
import { feedRoutes } from '../features/releases/feeds/integration-routes.ts';
import { enterTogether } from '../http/arrivals.ts';
import { allowAnyOrigin } from '../http/cross-origin.ts';
import { declareGuard, openTenantCodes } from '../http/declared-failures.ts';
import { refuseUnknownFields } from '../http/strict-requests.ts';
import { sendNotFound } from '../http/unknown-paths.ts';
import type { Services } from '../services.ts';
import type { Actor } from '../tenancy/tenant.ts';
import { limitRequests, recordFailures } from './integration-guard.ts';
import { enterTenant, releaseTenantAfterResponse } from './tenant-context.ts';

const keyCodes = [
  ...openTenantCodes,
  'AUTH.INVALID_API_KEY',
  'AUTH.IP_NOT_ALLOWED',
  'AUTH.SCOPE_REQUIRED',
  'RATE_LIMIT.EXCEEDED',
] as const;

/** Registers the surface of vendors' applications. The API key alone determines the tenant. */
export function integrationSurface(services: Services) {
  return (app: FastifyInstance, _options: object, done: () => void): void => {
    allowAnyOrigin(app);
    // Outside of the guard, as on other surfaces, but readable by scripts.
    app.setNotFoundHandler(sendNotFound);
    app.register(guardedRoutes(services));
    done();
  };
}

function guardedRoutes(services: Services) {
  return (app: FastifyInstance, _options: object, done: () => void): void => {
    refuseUnknownFields(app);
    declareGuard(app, () => ({ credentials: ['apiKey'], codes: keyCodes }));
    releaseTenantAfterResponse(app, services);
    recordFailures(app, services);
    enterTogether(app);
    app.addHook('onRequest', (request, reply) => enterIntegration(services, request, reply));
    const routes = [
      ...validationRoutes(services),
      ...integrationActivationRoutes(services),
      ...entitlementCheckRoutes(services),
      ...integrationUsageRoutes(services),
      ...certificateRoutes(services),
      ...trialRoutes(services),
      ...integrationReleaseRoutes(services),
      ...feedRoutes(services),
    ];
    for (const route of routes) app.route(route);
    done();
  };
}

/**
 * Checks in the order of the API contract: key, tenant, its status, its database, `last_used_at`, rate limit, scope.
 */
async function enterIntegration(services: Services, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const record = await authenticateApiKey(services, request, reply);
  const { ip } = request;
  if (record.status === 'active') services.activity.countRequest(record.id, record.key_id);
  assertAddressAllowed(record, ip);
  await enterTenant(services, request, record, actorOf(record, request.id, ip));
  services.apiKeyUsage.record(record.key_id, services.clock.nowMs());
  await limitRequests(services, reply, record, ip);
  assertScope(record, request.routeOptions.config.scope);
}

function actorOf({ key_id, product_id }: ApiKeyRecord, requestId: string, ip: string): Actor {
  const actor = { type: 'api_key', id: key_id, requestId, ip } as const;
  return product_id === null ? actor : { ...actor, productId: product_id };
}
