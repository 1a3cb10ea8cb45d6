import type { FastifyReply, FastifyRequest } from 'fastify';
import { clientNetwork } from '../lib/cidr.ts';
import { applyThrottle } from './headers.ts';
import type { RateLimits } from './rate-limits.ts';

interface ThrottleOptions {
  /** The name of the throttle. Throttles with different names count separately. */
  readonly name: string;
  readonly attempts: number;
  readonly minutes: number;
}

const authenticatedId = Symbol('authenticated id');

declare module 'fastify' {
  interface FastifyRequest {
    [authenticatedId]?: string;
  }
}

/** Makes later throttles of this request count by subject. A guard calls it when it has authenticated the token. */
export function countAttemptsOf(request: FastifyRequest, subjectId: string): void {
  request[authenticatedId] = subjectId;
}

/**
 * Returns an `onRequest` hook that allows `attempts` requests in `minutes`, from the first request on, per user or
 * admin when a guard ran before it, else per client address (`clientNetwork`). It runs before the body is read, so that
 * malformed requests count too. The hook throws 429 `RATE_LIMIT.EXCEEDED`.
 */
export function throttle(rateLimits: RateLimits, { name, attempts, minutes }: ThrottleOptions) {
  const window = { limit: attempts, windowSeconds: minutes * 60 };
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const sender = request[authenticatedId] ?? clientNetwork(request.ip);
    applyThrottle(reply, await rateLimits.consume(name, sender, window));
  };
}
