import type { FastifyReply, FastifyRequest } from 'fastify';
import { clientNetwork } from '../lib/cidr.ts';
import { AppError } from '../lib/error.ts';
import type { RateLimits, RateLimitWindow } from './rate-limits.ts';

interface ThrottleOptions {
  /** The name of the throttle. Throttles with different names count separately. */
  readonly name: string;
  readonly attempts: number;
  readonly minutes: number;
}

/**
 * Returns an `onRequest` hook that allows `attempts` requests in `minutes`, from the first request on, per user or
 * admin when a guard ran before it, else per client address (`clientNetwork`). It runs before the body is read, so that
 * malformed requests count too. The hook throws 429 `RATE_LIMIT.EXCEEDED`.
 */
export function throttle(rateLimits: RateLimits, { name, attempts, minutes }: ThrottleOptions) {
  const window = { limit: attempts, windowSeconds: minutes * 60 };
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const sender = request.caller.subjectId ?? clientNetwork(request.ip);
    applyThrottle(reply, await rateLimits.consume(name, sender, window));
  };
}

/** Sets the headers of the Integration rate limit on every response: limit, remaining, and reset in Unix seconds. */
export function setRateLimitHeaders(reply: FastifyReply, window: RateLimitWindow): void {
  setLimitAndRemaining(reply, window);
  setReset(reply, window);
}

/**
 * Sets the headers of a throttled route: limit and remaining on every response. Throws 429 `RATE_LIMIT.EXCEEDED`
 * with `X-RateLimit-Reset` (Unix seconds) and `Retry-After` (seconds) when the attempt exceeds the limit.
 */
export function applyThrottle(reply: FastifyReply, window: RateLimitWindow): void {
  setLimitAndRemaining(reply, window);
  if (window.allowed) return;
  setReset(reply, window);
  throw tooManyAttempts(window);
}

/** Returns 429 `RATE_LIMIT.EXCEEDED` with `Retry-After` (seconds), for callers without a reply. */
export function tooManyAttempts({ retryAfterSeconds }: RateLimitWindow): AppError {
  return new AppError('RATE_LIMIT.EXCEEDED', `Too many attempts. Wait ${retryAfterSeconds} s and try again.`, {
    headers: { 'retry-after': String(retryAfterSeconds) },
  });
}

function setLimitAndRemaining(reply: FastifyReply, window: RateLimitWindow): void {
  reply.header('x-ratelimit-limit', window.limit);
  reply.header('x-ratelimit-remaining', window.remaining);
}

function setReset(reply: FastifyReply, window: RateLimitWindow): void {
  reply.header('x-ratelimit-reset', Math.ceil(window.resetAtMs / 1000));
}
