import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { TSchema } from 'typebox';
import type { Actor, Tenant } from '../../tenancy/tenant.ts';
import {
  type Method,
  type RequestSchemas,
  type RouteDeclaration,
  type Streamed,
  schemaOf,
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

interface PortalContext<Schemas extends RequestSchemas> {
  readonly request: TypedRequest<Schemas>;
  readonly reply: FastifyReply;
  readonly tenant: Tenant;
  readonly actor: Actor;
  /** The portal that the request was sent to. */
  readonly portal: PortalAddress;
}

/** The input of a handler of the portal: the tenant of the handle, and its holder. */
export interface HolderContext<Schemas extends RequestSchemas> extends PortalContext<Schemas> {
  readonly holder: AuthenticatedHolder;
}

interface PortalRouteOptions {
  /** Marks a POST that changes nothing, so that it is served while writes to the tenant are paused. */
  readonly readsOnly?: true;
  /** A throttle that runs after authentication and before the body is read. */
  readonly onRequest?: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
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

function contextOf<Schemas extends RequestSchemas>(
  request: FastifyRequest,
  reply: FastifyReply,
): PortalContext<Schemas> {
  const { portal } = request.caller;
  if (portal === undefined) throw new Error(`${request.routeOptions.url}: the surface does not resolve portals.`);
  return { request: request as TypedRequest<Schemas>, reply, ...tenantOfRequest(request), portal };
}

/** Defines a route of the portal that needs no session. `url` is relative to `/api/v1/portal/{handle}`. */
export function portalRoute<
  const Params extends TSchema,
  const Query extends TSchema,
  const Body extends TSchema | Streamed,
>(
  method: Method,
  url: string,
  declaration: RouteDeclaration<
    RequestSchemas<Params, Query, Body>,
    PortalContext<RequestSchemas<Params, Query, Body>>
  > &
    PortalRouteOptions,
): PortalRoute {
  const { handler, readsOnly, onRequest } = declaration;
  const route = {
    method,
    url,
    ...(onRequest && { onRequest }),
    schema: withErrorResponses(schemaOf(declaration)),
    config: { ...(readsOnly && { readsOnly }) },
    handler: (request: FastifyRequest, reply: FastifyReply) => handler(contextOf(request, reply)),
  };
  return route as unknown as PortalRoute;
}

/** Defines a route of the portal whose handler receives the holder. `url` is relative to `/api/v1/portal/{handle}`. */
export function holderRoute<
  const Params extends TSchema,
  const Query extends TSchema,
  const Body extends TSchema | Streamed,
>(
  method: Method,
  url: string,
  declaration: RouteDeclaration<
    RequestSchemas<Params, Query, Body>,
    HolderContext<RequestSchemas<Params, Query, Body>>
  > &
    PortalRouteOptions,
): PortalRoute {
  const { handler, readsOnly, onRequest } = declaration;
  const route = {
    method,
    url,
    ...(onRequest && { onRequest }),
    schema: withErrorResponses(schemaOf(declaration)),
    config: { needsHolder: true, ...(readsOnly && { readsOnly }) },
    handler(request: FastifyRequest, reply: FastifyReply) {
      const { holder } = request.caller;
      if (holder === undefined) throw new Error(`${request.routeOptions.url}: the surface does not log customers in.`);
      return handler({ ...contextOf<RequestSchemas<Params, Query, Body>>(request, reply), holder });
    },
  };
  return route as unknown as PortalRoute;
}
