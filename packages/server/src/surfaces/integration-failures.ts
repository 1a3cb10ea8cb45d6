import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ApiKeyRecord } from '../features/accounts/api-keys/authentication.ts';
import { toAppError } from '../http/error-handler.ts';
import { newId } from '../lib/ids.ts';
import type { Services } from '../services.ts';

const knownCaller = Symbol('known caller');

declare module 'fastify' {
  interface FastifyRequest {
    /** The key, and with it the tenant, once it was found to be valid. */
    [knownCaller]: ApiKeyRecord | null;
  }
}

/** From here on the request is its tenant's matter: when it fails, the tenant's developers are told. */
export function noteCaller(request: FastifyRequest, record: ApiKeyRecord): void {
  request[knownCaller] = record;
}

/** Notes every request of this scope that fails although its key is valid. The answer is left to the service. */
export function recordFailures(app: FastifyInstance, services: Services): void {
  app.decorateRequest(knownCaller, null);
  app.setErrorHandler((thrown, request) => {
    const caller = request[knownCaller];
    // A suspended tenant's developers can read nothing, and its traffic must not keep its database open.
    if (caller?.status === 'active') recordFailure(services, request, caller, thrown);
    throw thrown;
  });
}

function recordFailure(services: Services, request: FastifyRequest, caller: ApiKeyRecord, thrown: unknown): void {
  const { status, code } = toAppError(thrown);
  services.activity.count(caller.id, code === 'RATE_LIMIT.EXCEEDED' ? 'rate_limit_rejections' : 'errors');
  services.failedRequests.record(caller.id, {
    id: newId(),
    occurred_at: services.clock.now(),
    request_id: request.id,
    // The pattern: license keys stand in URLs.
    route: `${request.method} ${request.routeOptions.url}`,
    status,
    code,
    api_key_id: caller.key_id,
  });
}
