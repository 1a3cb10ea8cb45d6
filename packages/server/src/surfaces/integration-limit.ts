import type { FastifyReply } from 'fastify';
import type { ApiKeyRecord } from '../features/accounts/api-keys/authentication.ts';
import { AppError } from '../lib/error.ts';
import { andThen, type MaybePromise } from '../lib/maybe-promise.ts';
import { setRateLimitHeaders } from '../rate-limit/headers.ts';
import type { RateLimits, RateLimitWindow } from '../rate-limit/rate-limits.ts';
import { integrationKeyWindow, integrationTenantWindow } from '../rate-limit/window-names.ts';
import { limitsOf } from '../tenancy/tenant-record.ts';

const windowSeconds = 60;

/**
 * Counts a request against the API key's own limit, if it has one, and then against the tenant's limit, and sets the
 * rate limit headers from the window with fewer requests remaining. A request that the key's limit refuses does not
 * count against the tenant's. Throws 429 `RATE_LIMIT.EXCEEDED`.
 */
export function limitRequests(rateLimits: RateLimits, reply: FastifyReply, key: ApiKeyRecord): MaybePromise<void> {
  const ofTenant = { limit: limitsOf(key).integration_requests_per_minute, windowSeconds };
  const keyLimit = key.rate_limit_per_minute;
  if (keyLimit === null) {
    const counted = rateLimits.consume(integrationTenantWindow, key.id, ofTenant);
    return andThen(counted, (window) => admit(reply, window));
  }
  const counted = rateLimits.consumeInTurn([
    { name: integrationKeyWindow, key: key.key_id, window: { limit: keyLimit, windowSeconds } },
    { name: integrationTenantWindow, key: key.id, window: ofTenant },
  ]);
  return andThen(counted, (windows) => admit(reply, windows.reduce(tighter)));
}

function tighter(keyWindow: RateLimitWindow, tenantWindow: RateLimitWindow): RateLimitWindow {
  if (!tenantWindow.allowed) return tenantWindow;
  return keyWindow.remaining < tenantWindow.remaining ? keyWindow : tenantWindow;
}

function admit(reply: FastifyReply, window: RateLimitWindow): void {
  setRateLimitHeaders(reply, window);
  if (window.allowed) return;
  const wait = `Try again in ${window.retryAfterSeconds} s.`;
  throw new AppError('RATE_LIMIT.EXCEEDED', `The limit of ${window.limit} requests per minute is reached. ${wait}`, {
    headers: { 'retry-after': String(window.retryAfterSeconds) },
  });
}
