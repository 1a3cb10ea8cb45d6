import type { FastifyRequest } from 'fastify';
import type { Services } from '../../../services.ts';
import type { LiveToken } from './queries.ts';
import { authenticateToken, type Bearer, verifyBearer } from './tokens.ts';

/** The key under which the token of a request is stored. */
const live = Symbol('live token');
const bearer = Symbol('bearer');

declare module 'fastify' {
  interface FastifyRequest {
    [live]?: LiveToken;
    [bearer]?: Bearer;
  }
}

/**
 * Returns the guard of a route that users and admins share. It runs before the query string and the body are checked, so
 * that a client without a token gets 401 `AUTH.INVALID_TOKEN` for any of them. An access token of a tenant gets 403.
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

/** Returns the guard of a route that access tokens of tenants share with users and admins. */
export function requireBearer(services: Services): (request: FastifyRequest) => Promise<void> {
  return async (request) => {
    request[bearer] = await verifyBearer(services, request);
  };
}

/** Returns what `requireBearer` verified; throws for a route without that guard. */
export function bearerOf(request: FastifyRequest): Bearer {
  const verified = request[bearer];
  if (verified === undefined) throw new Error(`${request.routeOptions.url} does not authenticate its requests`);
  return verified;
}
