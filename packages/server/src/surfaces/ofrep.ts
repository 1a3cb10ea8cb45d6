import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { assertAddressAllowed, authenticateApiKey } from '../features/accounts/api-keys/authentication.ts';
import { ofrepRoutes } from '../features/operations/feature-flags/ofrep-routes.ts';
import { allowAnyOrigin } from '../http/cross-origin.ts';
import { declareGuard } from '../http/declared-failures.ts';
import { guardUnknownPaths } from '../http/unknown-paths.ts';
import type { Services } from '../services.ts';
import { assertTenantActive } from '../tenancy/tenant-record.ts';
import { limitRequests } from './integration-guard.ts';
import { authenticateMember, noteUse } from './tenant.ts';

/**
 * Registers the surface of the OpenFeature Remote Evaluation Protocol, which evaluates feature flags for a tenant. A
 * bearer token or an API key identifies the tenant. It opens no tenant database, because flags belong to the platform.
 */
export function ofrepSurface(services: Services) {
  return (app: FastifyInstance, _options: object, done: () => void): void => {
    allowAnyOrigin(app);
    // Its routes list their own failures, in the format of the protocol.
    declareGuard(app, () => ({ credentials: ['apiKey', 'bearer'], codes: [] }));
    app.addHook('onRequest', (request, reply) => enterAsCaller(services, request, reply));
    guardUnknownPaths(app);
    for (const route of ofrepRoutes(services)) app.route(route);
    done();
  };
}

/** The API key takes precedence over a token. */
function enterAsCaller(services: Services, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  return request.headers['x-api-key'] === undefined
    ? enterByToken(services, request)
    : enterByKey(services, request, reply);
}

async function enterByToken(services: Services, request: FastifyRequest): Promise<void> {
  const member = await authenticateMember(services, request);
  request.caller.record = member.tenant;
  assertTenantActive(member.tenant);
  noteUse(services, member);
}

/** Authenticates as the Integration API does; these requests count towards its rate limit. */
async function enterByKey(services: Services, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const record = await authenticateApiKey(services, request, reply);
  assertAddressAllowed(record, request.ip);
  assertTenantActive(record);
  services.apiKeyUsage.record(record.key_id, services.clock.nowMs());
  await limitRequests(services, reply, record, request.ip);
}
