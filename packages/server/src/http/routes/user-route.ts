import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { TSchema } from 'typebox';
import type { UsersTable } from '../../db/tables/platform/identity.ts';
import { AppError } from '../../lib/error.ts';
import type { Actor } from '../../tenancy/tenant.ts';
import {
  type Method,
  type RequestSchemas,
  type RouteDeclaration,
  type Streamed,
  schemaOf,
  type TypedRequest,
  withErrorResponses,
} from './tenant-route.ts';

/** The tenant user whose token was verified for the request. */
export type AuthenticatedUser = Pick<UsersTable, 'id' | 'email' | 'name' | 'email_verified_at' | 'created_at'>;

/** The input of a handler on a user's own routes, independent of tenants. */
export interface UserContext<Schemas extends RequestSchemas> {
  readonly request: TypedRequest<Schemas>;
  readonly reply: FastifyReply;
  readonly user: AuthenticatedUser;
  readonly actor: Actor;
}

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
export function userRoute<
  const Params extends TSchema,
  const Query extends TSchema,
  const Body extends TSchema | Streamed,
>(
  method: Method,
  url: string,
  declaration: RouteDeclaration<RequestSchemas<Params, Query, Body>, UserContext<RequestSchemas<Params, Query, Body>>> &
    UserRouteOptions,
): UserRoute {
  const { handler, verifiedEmail, idempotent, onRequest } = declaration;
  const route = {
    method,
    url,
    schema: withErrorResponses(schemaOf(declaration)),
    config: { ...(verifiedEmail && { verifiedEmail }), ...(idempotent && { idempotent }) },
    ...(onRequest && { onRequest }),
    handler(request: FastifyRequest, reply: FastifyReply) {
      const { user } = request.caller;
      if (user === undefined) {
        throw new Error(`${request.method} ${request.routeOptions.url}: the surface does not authenticate users.`);
      }
      const actor: Actor = { type: 'user', id: user.id, requestId: request.id, ip: request.ip };
      return handler({ request: request as TypedRequest<RequestSchemas<Params, Query, Body>>, reply, user, actor });
    },
  };
  return route as unknown as UserRoute;
}
