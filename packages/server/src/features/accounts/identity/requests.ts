import type { FastifyRequest, RouteOptions } from 'fastify';
import type { Guard } from '../../../http/declared-failures.ts';
import type { Services } from '../../../services.ts';
import type { Origin } from './service.ts';
import type { LiveSession } from './session-queries.ts';
import { authenticateSession, type Bearer, verifyBearer } from './session-service.ts';

/** The key under which the token of a request is stored. */
const live = Symbol('live token');
const bearer = Symbol('bearer');

declare module 'fastify' {
  interface FastifyRequest {
    [live]?: LiveSession;
    [bearer]?: Bearer;
  }
}

/** What `requireSession` checks. Access tokens are refused by role. */
export const sessionGuard: Guard = { credentials: ['bearer'], codes: ['AUTH.INVALID_TOKEN', 'AUTH.ROLE_REQUIRED'] };

/**
 * Returns the guard of a route that users and admins share. It runs before the query string and the body are checked,
 * so that a client without a token gets 401 `AUTH.INVALID_TOKEN` for any of them. An access token of a tenant gets 403.
 */
export function requireSession(services: Services): (request: FastifyRequest) => Promise<void> {
  return async (request) => {
    request[live] = await authenticateSession(services, request);
  };
}

/** Returns the token that `requireSession` verified; throws for a route without that guard. */
export function sessionOf(request: FastifyRequest): LiveSession {
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

const versioned = '/api/v1/auth/';
const unversioned = '/api/auth/';

/**
 * Returns a route of `/api/v1/auth/` twice: there, and below `/api/auth/`, the path of existing clients. Both share the
 * handler and the throttle, so that the second path grants no further attempts.
 */
export function atBothPaths(route: RouteOptions): RouteOptions[] {
  const { url, schema } = route;
  if (!url.startsWith(versioned)) throw new Error(`${url} must begin with ${versioned}.`);
  const description = `The same as \`${schema?.operationId}\`, at the path of earlier versions, which stays.`;
  const second = { ...schema, operationId: `${schema?.operationId}Unversioned`, description };
  return [route, { ...route, url: url.replace(versioned, unversioned), schema: second }];
}

/** Returns the request id and the client address, which the audit log records for unauthenticated requests too. */
export function originOf(request: FastifyRequest): Origin {
  return { requestId: request.id, ip: request.ip };
}
