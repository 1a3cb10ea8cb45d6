import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ApiKeyRecord } from '../features/accounts/api-keys/authentication.ts';
import { toAppError } from '../http/error-handler.ts';
import { newId } from '../lib/ids.ts';
import type { Services } from '../services.ts';

const knownCaller = Symbol('known caller');

declare module 'fastify' {
  interface FastifyRequest {
    /** The valid API key and its tenant; null before authentication. */
    [knownCaller]: ApiKeyRecord | null;
  }
}

/** Marks the request as its tenant's: if it fails later, it is recorded for the tenant's developers. */
export function noteCaller(request: FastifyRequest, record: ApiKeyRecord): void {
  request[knownCaller] = record;
}

/**
 * Records every failed request of this scope that has a valid API key. The general error handler sends the response.
 */
export function recordFailures(app: FastifyInstance, services: Services): void {
  app.decorateRequest(knownCaller, null);
  app.setErrorHandler((thrown, request) => {
    const caller = request[knownCaller];
    // Developers of a suspended tenant cannot read failures, and its traffic must not keep its database open.
    if (caller?.status === 'active') recordFailure(services, request, caller, thrown);
    throw thrown;
  });
}

function recordFailure(services: Services, request: FastifyRequest, caller: ApiKeyRecord, thrown: unknown): void {
  const { status, code } = toAppError(thrown);
  // The limit itself counts its rejections, on every surface that it protects.
  if (code !== 'RATE_LIMIT.EXCEEDED') services.activity.count(caller.id, 'errors');
  services.failedRequests.record(caller.id, {
    id: newId(),
    occurred_at: services.clock.now(),
    request_id: request.id,
    // The pattern instead of the URL, because URLs contain license keys.
    route: `${request.method} ${request.routeOptions.url}`,
    status,
    code,
    api_key_id: caller.key_id,
  });
}
