import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { Actor, Tenant } from '../../tenancy/tenant.ts';
import {
  type Method,
  type RouteSchema,
  type TypedRequest,
  tenantOfRequest,
  withErrorResponses,
} from './tenant-route.ts';

/** The holder whose session was verified for the request. */
export interface AuthenticatedHolder {
  readonly sessionId: string;
  /** Folded (`foldEmail`). The holder of every license with this address. */
  readonly email: string;
  readonly expiresAt: string;
}

/** Where a portal was reached. */
export interface PortalAddress {
  /** As it stands in the path. */
  readonly handle: string;
  /** The domain of its own, if the request was sent there; null: the service's. */
  readonly domain: string | null;
}

interface PortalContext<Schema extends RouteSchema> {
  readonly request: TypedRequest<Schema>;
  readonly reply: FastifyReply;
  readonly tenant: Tenant;
  readonly actor: Actor;
  /** The portal that the request was sent to. */
  readonly portal: PortalAddress;
}

/** The input of a handler of the portal: the tenant of the handle, and its holder. */
export interface HolderContext<Schema extends RouteSchema> extends PortalContext<Schema> {
  readonly holder: AuthenticatedHolder;
}

interface PortalRouteOptions<Schema extends RouteSchema, Context> {
  readonly method: Method;
  /** Relative to `/api/v1/portal/{handle}`. */
  readonly url: string;
  readonly schema: Schema;
  /** Marks a POST that changes nothing, so that it is served while writes to the tenant are paused. */
  readonly readsOnly?: true;
  /** A throttle that runs after authentication and before the body is read. */
  readonly onRequest?: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
  readonly handler: (context: Context) => unknown;
}

declare const portalRouteBrand: unique symbol;

/** A route that requires the portal surface. */
export type PortalRoute = RouteOptions & { readonly [portalRouteBrand]: true };

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route of the portal needs the session of a holder. */
    readonly needsHolder?: true;
  }
}

function contextOf<Schema extends RouteSchema>(request: FastifyRequest, reply: FastifyReply): PortalContext<Schema> {
  const { portal } = request.caller;
  if (portal === undefined) throw new Error(`${request.routeOptions.url}: the surface does not resolve portals.`);
  return { request: request as TypedRequest<Schema>, reply, ...tenantOfRequest(request), portal };
}

/** Defines a route of the portal that needs no session. */
export function portalRoute<const Schema extends RouteSchema>(
  options: PortalRouteOptions<Schema, PortalContext<Schema>>,
): PortalRoute {
  const { handler, schema, readsOnly, ...rest } = options;
  const route = {
    ...rest,
    schema: withErrorResponses(schema),
    config: { ...(readsOnly && { readsOnly }) },
    handler: (request: FastifyRequest, reply: FastifyReply) => handler(contextOf<Schema>(request, reply)),
  };
  return route as unknown as PortalRoute;
}

/** Defines a route of the portal whose handler receives the holder. */
export function holderRoute<const Schema extends RouteSchema>(
  options: PortalRouteOptions<Schema, HolderContext<Schema>>,
): PortalRoute {
  const { handler, schema, readsOnly, ...rest } = options;
  const route = {
    ...rest,
    schema: withErrorResponses(schema),
    config: { needsHolder: true, ...(readsOnly && { readsOnly }) },
    handler(request: FastifyRequest, reply: FastifyReply) {
      const { holder } = request.caller;
      if (holder === undefined) throw new Error(`${request.routeOptions.url}: the surface does not log customers in.`);
      return handler({ ...contextOf<Schema>(request, reply), holder });
    },
  };
  return route as unknown as PortalRoute;
}
