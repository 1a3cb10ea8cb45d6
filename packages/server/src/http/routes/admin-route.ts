import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { AdminRole } from '../../db/tables/platform/identity.ts';
import { AppError } from '../../lib/error.ts';
import type { Actor } from '../../tenancy/tenant.ts';
import { type Method, type RouteSchema, type TypedRequest, withErrorResponses } from './tenant-route.ts';

/** An admin whose token was verified for this very request. */
export interface AuthenticatedAdmin {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: AdminRole;
  readonly created_at: string;
}

/** The handler's whole world on the platform's own routes: a request and the admin who sent it. */
export interface AdminContext<Schema extends RouteSchema> {
  readonly request: TypedRequest<Schema>;
  readonly reply: FastifyReply;
  readonly admin: AuthenticatedAdmin;
  readonly actor: Actor;
}

interface AdminRouteOptions<Schema extends RouteSchema> {
  readonly method: Method;
  /** Relative to `/api/v1/admin`, or to the prefix of the scope that registers it. */
  readonly url: string;
  readonly schema: Schema;
  /** Who may call it; absent: every admin. */
  readonly roles?: readonly AdminRole[];
  readonly handler: (context: AdminContext<Schema>) => unknown;
}

declare const adminRouteBrand: unique symbol;

/** A route that only a surface which authenticates admins can register. */
export type AdminRoute = RouteOptions & { readonly [adminRouteBrand]: true };

const authenticatedAdmin = Symbol('admin');

declare module 'fastify' {
  interface FastifyContextConfig {
    readonly adminRoles?: readonly AdminRole[];
  }
  interface FastifyRequest {
    [authenticatedAdmin]?: AuthenticatedAdmin;
  }
}

/** What the admin surface calls once it has authenticated a request. */
export function provideAdmin(request: FastifyRequest, admin: AuthenticatedAdmin): void {
  request[authenticatedAdmin] = admin;
}

/** Refuses an admin whose role the route does not list. */
export function assertAdminRole(request: FastifyRequest, admin: AuthenticatedAdmin): void {
  const roles = request.routeOptions.config.adminRoles;
  if (roles === undefined || roles.includes(admin.role)) return;
  throw new AppError(
    'AUTH.ROLE_REQUIRED',
    `This needs the admin role ${roles.join(' or ')}. Ask a super_admin for it.`,
  );
}

/** The admin who sent the request, as the one who causes a change. */
export function adminActor(request: FastifyRequest): Actor {
  return { type: 'admin', id: authenticatedAdminOf(request).id, requestId: request.id, ip: request.ip };
}

/** The admin whom the surface authenticated. */
export function authenticatedAdminOf(request: FastifyRequest): AuthenticatedAdmin {
  const admin = request[authenticatedAdmin];
  if (admin !== undefined) return admin;
  throw new Error(`${request.method} ${request.routeOptions.url} runs on a surface that authenticates no admin`);
}

/** Makes a route whose handler is given the admin that the surface authenticated. */
export function adminRoute<const Schema extends RouteSchema>(options: AdminRouteOptions<Schema>): AdminRoute {
  const { handler, roles, schema, ...rest } = options;
  const route = {
    ...rest,
    schema: withErrorResponses(schema),
    config: roles === undefined ? {} : { adminRoles: roles },
    handler(request: FastifyRequest, reply: FastifyReply) {
      const admin = authenticatedAdminOf(request);
      return handler({ request: request as TypedRequest<Schema>, reply, admin, actor: adminActor(request) });
    },
  };
  return route as unknown as AdminRoute;
}
