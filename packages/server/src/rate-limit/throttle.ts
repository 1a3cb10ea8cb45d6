import type { FastifyReply, FastifyRequest } from 'fastify';
import { clientNetwork } from '../lib/cidr.ts';
import type { Services } from '../services.ts';
import { applyThrottle } from './headers.ts';

interface ThrottleOptions {
  /** Names the route: each counts for itself. */
  readonly name: string;
  readonly attempts: number;
  readonly minutes: number;
}

/**
 * An `onRequest` hook that lets a client address through `attempts` times in `minutes`, counted from the first.
 * It stands before the body is read, so that malformed attempts count too.
 */
export function throttle(services: Pick<Services, 'rateLimits'>, { name, attempts, minutes }: ThrottleOptions) {
  const window = { limit: attempts, windowSeconds: minutes * 60 };
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    applyThrottle(reply, await services.rateLimits.consume(name, clientNetwork(request.ip), window));
  };
}
