import type { FastifyReply, FastifyRequest } from 'fastify';
import { clientNetwork } from '../lib/cidr.ts';
import { applyThrottle } from './headers.ts';
import type { RateLimits } from './rate-limits.ts';

interface ThrottleOptions {
  /** Names the route: each counts for itself. */
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

/** What a guard calls once it knows whose token a request has: throttles behind it count that person's attempts. */
export function countAttemptsOf(request: FastifyRequest, subjectId: string): void {
  request[authenticatedId] = subjectId;
}

/**
 * An `onRequest` hook that lets whoever sends a request through `attempts` times in `minutes`, counted from the first:
 * the user or admin where a guard stands before it, else the client address.
 * It stands before the body is read, so that malformed attempts count too.
 */
export function throttle(rateLimits: RateLimits, { name, attempts, minutes }: ThrottleOptions) {
  const window = { limit: attempts, windowSeconds: minutes * 60 };
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const sender = request[authenticatedId] ?? clientNetwork(request.ip);
    applyThrottle(reply, await rateLimits.consume(name, sender, window));
  };
}
