import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ApiKeyRecord } from '../features/accounts/api-keys/authentication.ts';
import { toAppError } from '../http/error-handler.ts';
import { clientNetwork } from '../lib/cidr.ts';
import { AppError } from '../lib/error.ts';
import { newId } from '../lib/ids.ts';
import {
  type Hit,
  integrationAddressWindow,
  integrationKeyWindow,
  integrationTenantWindow,
  type RateLimitWindow,
} from '../rate-limit/rate-limits.ts';
import { setRateLimitHeaders } from '../rate-limit/throttle.ts';
import type { Services } from '../services.ts';
import { limitsOf } from '../tenancy/tenant-record.ts';

/**
 * Records every failed request of this scope that has a valid API key. The general error handler sends the response.
 */
export function recordFailures(app: FastifyInstance, services: Services): void {
  app.setErrorHandler((thrown, request) => {
    recordFailure(services, request, thrown);
    throw thrown;
  });
}

function recordFailure(services: Services, request: FastifyRequest, thrown: unknown): void {
  const { record, credentialId } = request.caller;
  // Developers of a suspended tenant cannot read failures, and its traffic must not keep its database open.
  if (record?.status !== 'active' || credentialId === undefined) return;
  const { status, code } = toAppError(thrown);
  // A refused request is the application's own mistake, or a license that is used up. Only failures of the service count.
  if (status >= 500) services.activity.count(record.id, 'errors');
  services.failedRequests.record(record.id, {
    id: newId(),
    occurred_at: services.clock.now(),
    request_id: request.id,
    // The pattern instead of the URL, because URLs contain license keys.
    route: `${request.method} ${request.routeOptions.url}`,
    status,
    code,
    api_key_id: credentialId,
  });
}

const windowSeconds = 60;

/**
 * Counts a request against the limit of the key per client address and against the key's own limit, if it has them,
 * and then against the tenant's limit. A request that one of them refuses does not count against the later ones, so
 * that one copy of an application cannot use up the limit of all. Sets the rate limit headers from the window with the
 * fewest requests remaining. Throws 429 `RATE_LIMIT.EXCEEDED`, and counts it as a rejection of the tenant.
 */
export async function limitRequests(
  services: Services,
  reply: FastifyReply,
  key: ApiKeyRecord,
  address: string,
): Promise<void> {
  const { rateLimits } = services;
  const ofTenant = { limit: limitsOf(key).integration_requests_per_minute, windowSeconds };
  if (key.rate_limit_per_minute === null && key.rate_limit_per_address_per_minute === null) {
    admit(services, reply, key, await rateLimits.consume(integrationTenantWindow, key.id, ofTenant));
    return;
  }
  const hits = [...hitsOf(key, address), { name: integrationTenantWindow, key: key.id, window: ofTenant }];
  const windows = await rateLimits.consumeInTurn(hits);
  admit(services, reply, key, windows.reduce(tighter));
}

/** Returns the hits on the key's own windows, the narrowest first. */
function hitsOf(key: ApiKeyRecord, address: string): Hit[] {
  const { key_id, rate_limit_per_address_per_minute: ofAddress, rate_limit_per_minute: ofKey } = key;
  const hits: Hit[] = [];
  if (ofAddress !== null) {
    const client = `${key_id} ${clientNetwork(address)}`;
    hits.push({ name: integrationAddressWindow, key: client, window: { limit: ofAddress, windowSeconds } });
  }
  if (ofKey !== null) hits.push({ name: integrationKeyWindow, key: key_id, window: { limit: ofKey, windowSeconds } });
  return hits;
}

/** Only the last window can have refused its hit. */
function tighter(tightest: RateLimitWindow, next: RateLimitWindow): RateLimitWindow {
  if (!next.allowed) return next;
  return tightest.remaining < next.remaining ? tightest : next;
}

function admit(services: Services, reply: FastifyReply, key: ApiKeyRecord, window: RateLimitWindow): void {
  setRateLimitHeaders(reply, window);
  if (window.allowed) return;
  services.activity.count(key.id, 'rate_limit_rejections');
  const { limit, retryAfterSeconds } = window;
  const message = `The limit of ${limit} requests per minute is reached. Try again in ${retryAfterSeconds} s.`;
  throw new AppError('RATE_LIMIT.EXCEEDED', message, {
    headers: { 'retry-after': String(window.retryAfterSeconds) },
  });
}
