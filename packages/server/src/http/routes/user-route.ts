import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { UsersTable } from '../../db/tables/platform/identity.ts';
import { AppError } from '../../lib/error.ts';
import type { Actor } from '../../tenancy/tenant.ts';
import { type Method, type RouteSchema, type TypedRequest, withErrorResponses } from './tenant-route.ts';

/** The tenant user whose token was verified for the request. */
export type AuthenticatedUser = Pick<UsersTable, 'id' | 'email' | 'name' | 'email_verified_at' | 'created_at'>;

/** The input of a handler on a user's own routes, independent of tenants. */
export interface UserContext<Schema extends RouteSchema> {
  readonly request: TypedRequest<Schema>;
  readonly reply: FastifyReply;
  readonly user: AuthenticatedUser;
  readonly actor: Actor;
}

/** The declaration of a user's route. */
export interface UserRouteOptions<Schema extends RouteSchema> {
  readonly method: Method;
  /** Relative to `/api/v1`. */
  readonly url: string;
  readonly schema: Schema;
  /** Requires a verified email address. */
  readonly verifiedEmail?: true;
  /** Documents that the handler supports `Idempotency-Key`. */
  readonly idempotent?: true;
  /** A throttle that runs after authentication and before the body is read. */
  readonly onRequest?: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
  readonly handler: (context: UserContext<Schema>) => unknown;
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

/** Defines a route whose handler receives the authenticated user. */
export function userRoute<const Schema extends RouteSchema>(options: UserRouteOptions<Schema>): UserRoute {
  const { handler, verifiedEmail, idempotent, schema, ...rest } = options;
  const route = {
    ...rest,
    schema: withErrorResponses(schema),
    config: { ...(verifiedEmail && { verifiedEmail }), ...(idempotent && { idempotent }) },
    handler(request: FastifyRequest, reply: FastifyReply) {
      const { user } = request.caller;
      if (user === undefined) {
        throw new Error(`${request.method} ${request.routeOptions.url}: the surface does not authenticate users.`);
      }
      const actor: Actor = { type: 'user', id: user.id, requestId: request.id, ip: request.ip };
      return handler({ request: request as TypedRequest<Schema>, reply, user, actor });
    },
  };
  return route as unknown as UserRoute;
}
