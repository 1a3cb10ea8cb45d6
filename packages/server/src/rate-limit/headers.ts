import type { FastifyReply } from 'fastify';
import { AppError } from '../lib/error.ts';
import type { RateLimitWindow } from './rate-limits.ts';

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
  const wait = `Wait ${window.retryAfterSeconds} s and try again.`;
  throw new AppError('RATE_LIMIT.EXCEEDED', `Too many attempts. ${wait}`, {
    headers: { 'retry-after': String(window.retryAfterSeconds) },
  });
}

function setLimitAndRemaining(reply: FastifyReply, window: RateLimitWindow): void {
  reply.header('x-ratelimit-limit', window.limit);
  reply.header('x-ratelimit-remaining', window.remaining);
}

function setReset(reply: FastifyReply, window: RateLimitWindow): void {
  reply.header('x-ratelimit-reset', Math.ceil(window.resetAtMs / 1000));
}
