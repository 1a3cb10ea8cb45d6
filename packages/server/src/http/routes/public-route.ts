import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { TSchema } from 'typebox';
import type { Guard } from '../declared-failures.ts';
import {
  type Method,
  type RequestSchemas,
  type RouteDeclaration,
  type Streamed,
  schemaOf,
  type TypedRequest,
  withErrorResponses,
} from './tenant-route.ts';

/** The input of a handler without authentication. */
export interface PublicContext<Schemas extends RequestSchemas> {
  readonly request: TypedRequest<Schemas>;
  readonly reply: FastifyReply;
}

interface PublicRouteOptions {
  /** In bytes; absent: as long as the schema allows. */
  readonly bodyLimit?: number;
  /** What the route itself checks in `onRequest`; absent: it needs no credential. */
  readonly guard?: Guard;
  /** A throttle that runs before the body is read. */
  readonly onRequest?: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
}

/** Defines a route of a surface without authentication. `url` is the full path. */
export function publicRoute<
  const Params extends TSchema,
  const Query extends TSchema,
  const Body extends TSchema | Streamed,
>(
  method: Method,
  url: string,
  declaration: RouteDeclaration<
    RequestSchemas<Params, Query, Body>,
    PublicContext<RequestSchemas<Params, Query, Body>>
  > &
    PublicRouteOptions,
): RouteOptions {
  const { handler, guard, bodyLimit, onRequest } = declaration;
  return {
    method,
    url,
    ...(bodyLimit !== undefined && { bodyLimit }),
    ...(onRequest && { onRequest }),
    ...(guard && { config: { guard } }),
    schema: withErrorResponses(schemaOf(declaration)),
    handler: (request, reply) =>
      handler({ request: request as TypedRequest<RequestSchemas<Params, Query, Body>>, reply }),
  };
}
