import type { FastifyRequest, RouteOptions } from 'fastify';
import type { AdminRole } from '../../db/tables/platform/identity.ts';
import { AppError } from '../../lib/error.ts';
import type { Actor } from '../../tenancy/tenant.ts';
import { type AdminArea, isAdminAllowed, rolesFor } from './admin-roles.ts';
import { type RequestContext, type RequestSchemas, routeKind } from './tenant-route.ts';

/** The admin whose token was verified for the request. */
export interface AuthenticatedAdmin {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: AdminRole;
  readonly created_at: string;
}

interface AdminOfRequest {
  readonly admin: AuthenticatedAdmin;
  readonly actor: Actor;
}

/** The input of a handler on the platform's own routes. */
export type AdminContext<Schemas extends RequestSchemas> = RequestContext<Schemas> & AdminOfRequest;

export interface AdminRouteOptions {
  /**
   * The area whose rights decide who may call the route; `platform` if absent. With `billing`, the billing guard decides
   * and logs; not needed below `/billing`, where it always does.
   */
  readonly area?: AdminArea;
  /** Documents that the handler supports `Idempotency-Key`. */
  readonly idempotent?: true;
}

declare const adminRouteBrand: unique symbol;

/** A route that requires a surface that authenticates admins. */
export type AdminRoute = RouteOptions & { readonly [adminRouteBrand]: true };

declare module 'fastify' {
  interface FastifyContextConfig {
    readonly adminArea?: AdminArea;
  }
}

/** Throws 403 `AUTH.ROLE_REQUIRED` if the admin's role may not send the request to its area. */
export function assertAdminRole({ method }: FastifyRequest, area: AdminArea, { role }: AuthenticatedAdmin): void {
  if (isAdminAllowed(role, area, method)) return;
  const roles = rolesFor(area, method).join(' or ');
  throw new AppError('AUTH.ROLE_REQUIRED', `This requires the admin role ${roles}. Ask a super_admin for the role.`);
}

/** Returns the request's admin as the actor of a change. */
export function adminActor(request: FastifyRequest): Actor {
  return { type: 'admin', id: authenticatedAdminOf(request).id, requestId: request.id, ip: request.ip };
}

/** Returns the request's authenticated admin; throws if the surface did not authenticate one. */
export function authenticatedAdminOf(request: FastifyRequest): AuthenticatedAdmin {
  const { admin } = request.caller;
  if (admin !== undefined) return admin;
  throw new Error(`${request.method} ${request.routeOptions.url}: the surface does not authenticate admins.`);
}

/**
 * Defines a route whose handler receives the authenticated admin. `url` is relative to `/api/v1/admin`, or to the prefix
 * of the scope that registers it.
 */
export const adminRoute = routeKind<AdminOfRequest, AdminRouteOptions, AdminRoute>(
  (request) => ({ admin: authenticatedAdminOf(request), actor: adminActor(request) }),
  ({ area, idempotent }) => ({
    config: { ...(area && { adminArea: area }), ...(idempotent && { idempotent }) },
  }),
);
