import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { UsersTable } from '../../db/tables/platform/identity.ts';
import { AppError } from '../../lib/error.ts';
import type { Actor } from '../../tenancy/tenant.ts';
import { type Method, type RouteSchema, type TypedRequest, withErrorResponses } from './tenant-route.ts';

/** A tenant user whose token was verified for this very request. */
export type AuthenticatedUser = Pick<UsersTable, 'id' | 'email' | 'name' | 'email_verified_at' | 'created_at'>;

/** The handler's whole world on a user's own routes: a request and the user who sent it, of whichever tenants. */
export interface UserContext<Schema extends RouteSchema> {
  readonly request: TypedRequest<Schema>;
  readonly reply: FastifyReply;
  readonly user: AuthenticatedUser;
  readonly actor: Actor;
}

interface UserRouteOptions<Schema extends RouteSchema> {
  readonly method: Method;
  /** Relative to `/api/v1`. */
  readonly url: string;
  readonly schema: Schema;
  /** Only for users whose address is verified. */
  readonly verifiedEmail?: true;
  /** Runs after the user is known and before the body is read: a throttle. */
  readonly onRequest?: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
  readonly handler: (context: UserContext<Schema>) => unknown;
}

declare const userRouteBrand: unique symbol;

/** A route that only a surface which authenticates users can register. */
export type UserRoute = RouteOptions & { readonly [userRouteBrand]: true };

const authenticatedUser = Symbol('user');

declare module 'fastify' {
  interface FastifyContextConfig {
    readonly verifiedEmail?: true;
  }
  interface FastifyRequest {
    [authenticatedUser]?: AuthenticatedUser;
  }
}

/** What the user surface calls once it has authenticated a request. Throws 403 `AUTH.EMAIL_UNVERIFIED`. */
export function provideUser(request: FastifyRequest, user: AuthenticatedUser): void {
  if (request.routeOptions.config.verifiedEmail && user.email_verified_at === null) {
    throw new AppError(
      'AUTH.EMAIL_UNVERIFIED',
      'Verify your e-mail address first: open the link in the mail, or ask for another one.',
    );
  }
  request[authenticatedUser] = user;
}

/** Makes a route whose handler is given the user that the surface authenticated. */
export function userRoute<const Schema extends RouteSchema>(options: UserRouteOptions<Schema>): UserRoute {
  const { handler, verifiedEmail, schema, ...rest } = options;
  const route = {
    ...rest,
    schema: withErrorResponses(schema),
    config: verifiedEmail ? { verifiedEmail } : {},
    handler(request: FastifyRequest, reply: FastifyReply) {
      const user = request[authenticatedUser];
      if (user === undefined) {
        throw new Error(`${request.method} ${request.routeOptions.url} runs on a surface that authenticates no user`);
      }
      const actor: Actor = { type: 'user', id: user.id, requestId: request.id, ip: request.ip };
      return handler({ request: request as TypedRequest<Schema>, reply, user, actor });
    },
  };
  return route as unknown as UserRoute;
}
