import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { Guard } from '../declared-failures.ts';
import { type Method, type RouteSchema, type TypedRequest, withErrorResponses } from './tenant-route.ts';

/** The input of a handler without authentication. */
export interface PublicContext<Schema extends RouteSchema> {
  readonly request: TypedRequest<Schema>;
  readonly reply: FastifyReply;
}

interface PublicRouteOptions<Schema extends RouteSchema> {
  readonly method: Method;
  /** The full path. */
  readonly url: string;
  readonly schema: Schema;
  /** In bytes; absent: as long as the schema allows. */
  readonly bodyLimit?: number;
  /** What the route itself checks in `onRequest`; absent: it needs no credential. */
  readonly guard?: Guard;
  /** A throttle that runs before the body is read. */
  readonly onRequest?: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
  readonly handler: (context: PublicContext<Schema>) => unknown;
}

/** Defines a route of a surface without authentication. */
export function publicRoute<const Schema extends RouteSchema>(options: PublicRouteOptions<Schema>): RouteOptions {
  const { handler, schema, guard, ...rest } = options;
  return {
    ...rest,
    ...(guard && { config: { guard } }),
    schema: withErrorResponses(schema),
    handler: (request, reply) => handler({ request: request as TypedRequest<Schema>, reply }),
  };
}
