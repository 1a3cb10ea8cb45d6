import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { UsersTable } from '../../db/tables/platform/identity.ts';
import { AppError } from '../../lib/error.ts';
import type { Actor } from '../../tenancy/tenant.ts';
import { type RequestContext, type RequestSchemas, routeKind } from './tenant-route.ts';

/** The tenant user whose token was verified for the request. */
export type AuthenticatedUser = Pick<UsersTable, 'id' | 'email' | 'name' | 'email_verified_at' | 'created_at'>;

interface UserOfRequest {
  readonly user: AuthenticatedUser;
  readonly actor: Actor;
}

/** The input of a handler on a user's own routes, independent of tenants. */
export type UserContext<Schemas extends RequestSchemas> = RequestContext<Schemas> & UserOfRequest;

export interface UserRouteOptions {
  /** Requires a verified email address. */
  readonly verifiedEmail?: true;
  /** Documents that the handler supports `Idempotency-Key`. */
  readonly idempotent?: true;
  /** A throttle that runs after authentication and before the body is read. */
  readonly onRequest?: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
}

declare const userRouteBrand: unique symbol;

/** A route that requires a surface that authenticates users. */
export type UserRoute = RouteOptions & { readonly [userRouteBrand]: true };

declare module 'fastify' {
  interface FastifyContextConfig {
    readonly verifiedEmail?: true;
  }
}

/** Binds a request to its user. The user surface calls it after authentication. Throws 403 `AUTH.EMAIL_UNVERIFIED`. */
export function provideUser(request: FastifyRequest, user: AuthenticatedUser): void {
  if (request.routeOptions.config.verifiedEmail && user.email_verified_at === null) {
    throw new AppError(
      'AUTH.EMAIL_UNVERIFIED',
      'Verify your email address first: open the link in the mail, or request a new one.',
    );
  }
  request.caller.user = user;
}

/** Defines a route whose handler receives the authenticated user. `url` is relative to `/api/v1`. */
export const userRoute = routeKind<UserOfRequest, UserRouteOptions, UserRoute>(
  ({ caller: { user }, id: requestId, ip, method, routeOptions }) => {
    if (user === undefined) throw new Error(`${method} ${routeOptions.url}: the surface does not authenticate users.`);
    return { user, actor: { type: 'user', id: user.id, requestId, ip } };
  },
  ({ verifiedEmail, idempotent, onRequest }) => ({
    config: { ...(verifiedEmail && { verifiedEmail }), ...(idempotent && { idempotent }) },
    ...(onRequest && { onRequest }),
  }),
);
