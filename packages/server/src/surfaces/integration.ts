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
import { unknownKeyLike } from '../features/licensing/licenses/license-key.ts';
import { findProductOfKey } from '../features/licensing/licenses/product-of-key.ts';
import { integrationUsageRoutes } from '../features/licensing/usage/routes.ts';
import { validationRoutes } from '../features/licensing/validation/routes.ts';
import { andThen, type MaybePromise } from '../lib/maybe-promise.ts';
import type { Services } from '../services.ts';
import type { Actor, Tenant } from '../tenancy/tenant.ts';
import { limitRequests, noteCaller, recordFailures } from './integration-guard.ts';
import { enterTenant, guardHook, releaseTenantAfterResponse } from './tenant-context.ts';

/** Registers the surface of vendors' applications. The API key alone determines the tenant. */
export function integrationSurface(services: Services) {
  return (app: FastifyInstance, _options: object, done: () => void): void => {
    releaseTenantAfterResponse(app, services);
    recordFailures(app, services);
    app.addHook(
      'onRequest',
      guardHook((request, reply) => enterIntegration(services, request, reply)),
    );
    const routes = [
      ...validationRoutes(services),
      ...integrationActivationRoutes(services),
      ...entitlementCheckRoutes(services),
      ...integrationUsageRoutes(services),
      ...certificateRoutes(services),
      ...trialRoutes(services),
    ];
    for (const route of routes) app.route(route);
    done();
  };
}

/**
 * Checks in the order of the API contract: key, tenant, its status, its database, `last_used_at`, rate limit, scope.
 */
function enterIntegration(services: Services, request: FastifyRequest, reply: FastifyReply): MaybePromise<void> {
  return andThen(authenticateApiKey(services, request, reply), (record) => {
    noteCaller(request, record);
    if (record.status === 'active') services.activity.countRequest(record.id, record.key_id);
    assertAddressAllowed(record, request.ip);
    const actor = actorOf(request, record);
    return andThen(enterTenant(services, request, record, actor), (tenant) => {
      services.apiKeyUsage.record(record.key_id, services.clock.nowMs());
      return andThen(limitRequests(services, reply, record, request.ip), () => {
        assertScope(record, request.routeOptions.config.scope);
        if (record.product_id !== null) return hideOtherProducts(request, tenant, record.product_id);
      });
    });
  });
}

function actorOf(request: FastifyRequest, { key_id, product_id }: ApiKeyRecord): Actor {
  const actor = { type: 'api_key', id: key_id, requestId: request.id, ip: request.ip } as const;
  return product_id === null ? actor : { ...actor, productId: product_id };
}

/**
 * Makes a license of another product unknown to a key that is bound to a product: the route then answers as it does for
 * a key of no license. It happens here, once for every route, so that no route can forget it.
 */
function hideOtherProducts(request: FastifyRequest, { db }: Tenant, productId: string): MaybePromise<void> {
  // Each path of the Integration API that names a license has this parameter.
  const params = request.params as { key?: string };
  const { key } = params;
  if (key === undefined) return;
  return andThen(findProductOfKey(db, key), (found) => {
    if (found !== undefined && found !== productId) params.key = unknownKeyLike(key);
  });
}
