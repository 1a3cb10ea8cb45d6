import type { FastifyRequest } from 'fastify';
import type { Services } from '../../../services.ts';
import type { LiveToken } from './queries.ts';
import { authenticateToken } from './tokens.ts';

/** The key under which the token of a request is stored. */
const live = Symbol('live token');

declare module 'fastify' {
  interface FastifyRequest {
    [live]?: LiveToken;
  }
}

/**
 * Returns the guard of a route that users and admins share. It runs before the query string and the body are checked, so
 * that a client without a token gets 401 `AUTH.INVALID_TOKEN` for any of them.
 */
export function requireToken(services: Services): (request: FastifyRequest) => Promise<void> {
  return async (request) => {
    request[live] = await authenticateToken(services, request);
  };
}

/** Returns the token that `requireToken` verified; throws for a route without that guard. */
export function tokenOf(request: FastifyRequest): LiveToken {
  const token = request[live];
  if (token === undefined) throw new Error(`${request.routeOptions.url} does not authenticate its requests`);
  return token;
}
