import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { type Method, type RouteSchema, type TypedRequest, withErrorResponses } from './tenant-route.ts';

/** The handler's whole world where nobody is authenticated beforehand. */
export interface PublicContext<Schema extends RouteSchema> {
  readonly request: TypedRequest<Schema>;
  readonly reply: FastifyReply;
}

interface PublicRouteOptions<Schema extends RouteSchema> {
  readonly method: Method;
  /** The whole path. */
  readonly url: string;
  readonly schema: Schema;
  /** Runs before the body is read: a throttle. */
  readonly onRequest?: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
  readonly handler: (context: PublicContext<Schema>) => unknown;
}

/** Makes a route that anybody may call. */
export function publicRoute<const Schema extends RouteSchema>(options: PublicRouteOptions<Schema>): RouteOptions {
  const { handler, schema, ...rest } = options;
  return {
    ...rest,
    schema: withErrorResponses(schema),
    handler: (request, reply) => handler({ request: request as TypedRequest<Schema>, reply }),
  };
}
