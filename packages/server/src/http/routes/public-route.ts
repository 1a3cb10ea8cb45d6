import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { Guard } from '../declared-failures.ts';
import { routeKind } from './tenant-route.ts';

interface PublicRouteOptions {
  /** In bytes; absent: as long as the schema allows. */
  readonly bodyLimit?: number;
  /** What the route itself checks in `onRequest`; absent: it needs no credential. */
  readonly guard?: Guard;
  /** A throttle that runs before the body is read. */
  readonly onRequest?: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
}

/** Defines a route of a surface without authentication. `url` is the full path. */
export const publicRoute = routeKind<object, PublicRouteOptions, RouteOptions>(
  () => ({}),
  ({ guard, bodyLimit, onRequest }) => ({
    ...(bodyLimit !== undefined && { bodyLimit }),
    ...(onRequest && { onRequest }),
    ...(guard && { config: { guard } }),
  }),
);
