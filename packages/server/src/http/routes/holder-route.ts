import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { Actor, Tenant } from '../../tenancy/tenant.ts';
import { type RequestContext, type RequestSchemas, routeKind, tenantOfRequest } from './tenant-route.ts';

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

interface PortalOfRequest {
  readonly tenant: Tenant;
  readonly actor: Actor;
  /** The portal that the request was sent to. */
  readonly portal: PortalAddress;
}

interface HolderOfRequest extends PortalOfRequest {
  readonly holder: AuthenticatedHolder;
}

/** The input of a handler of the portal: the tenant of the handle, and its holder. */
export type HolderContext<Schemas extends RequestSchemas> = RequestContext<Schemas> & HolderOfRequest;

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

function portalOf(request: FastifyRequest): PortalOfRequest {
  const { portal } = request.caller;
  if (portal === undefined) throw new Error(`${request.routeOptions.url}: the surface does not resolve portals.`);
  return { ...tenantOfRequest(request), portal };
}

const partsOf = ({ readsOnly, onRequest }: PortalRouteOptions, needsHolder?: true) => ({
  ...(onRequest && { onRequest }),
  config: { ...(needsHolder && { needsHolder }), ...(readsOnly && { readsOnly }) },
});

/** Defines a route of the portal that needs no session. `url` is relative to `/api/v1/portal/{handle}`. */
export const portalRoute = routeKind<PortalOfRequest, PortalRouteOptions, PortalRoute>(portalOf, (options) =>
  partsOf(options),
);

/** Defines a route of the portal whose handler receives the holder. `url` is relative to `/api/v1/portal/{handle}`. */
export const holderRoute = routeKind<HolderOfRequest, PortalRouteOptions, PortalRoute>(
  (request) => {
    const { holder } = request.caller;
    if (holder === undefined) throw new Error(`${request.routeOptions.url}: the surface does not log customers in.`);
    return { ...portalOf(request), holder };
  },
  (options) => partsOf(options, true),
);
