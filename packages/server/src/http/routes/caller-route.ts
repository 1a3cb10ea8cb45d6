import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { TSchema } from 'typebox';
import type { TenantRecord } from '../../tenancy/tenant-record.ts';
import {
  type Method,
  type RequestSchemas,
  type RouteDeclaration,
  type Streamed,
  schemaOf,
  type TypedRequest,
} from './tenant-route.ts';

interface CallerContext<Schemas extends RequestSchemas> {
  readonly request: TypedRequest<Schemas>;
  readonly reply: FastifyReply;
  /** The tenant of the caller, identified by a user's token or by an API key. */
  readonly record: TenantRecord;
}

declare const callerRouteBrand: unique symbol;

/** A route that requires a surface that identifies the caller's tenant. */
export type CallerRoute = RouteOptions & { readonly [callerRouteBrand]: true };

/**
 * Defines a route whose handler receives the caller's tenant. `url` is relative to the prefix of the surface. `response`
 * must list every status, because these routes follow a standard that defines its own failures. The handler validates the
 * request, so that failures have the standard's form.
 */
export function callerRoute<
  const Params extends TSchema,
  const Query extends TSchema,
  const Body extends TSchema | Streamed,
>(
  method: Method,
  url: string,
  declaration: RouteDeclaration<
    RequestSchemas<Params, Query, Body>,
    CallerContext<RequestSchemas<Params, Query, Body>>
  >,
): CallerRoute {
  const route = {
    method,
    url,
    schema: schemaOf(declaration),
    validatorCompiler: () => () => true,
    handler(request: FastifyRequest, reply: FastifyReply) {
      const { record } = request.caller;
      if (record === undefined) {
        throw new Error(`${request.method} ${request.routeOptions.url}: the surface does not identify the caller.`);
      }
      return declaration.handler({
        request: request as TypedRequest<RequestSchemas<Params, Query, Body>>,
        reply,
        record,
      });
    },
  };
  return route as unknown as CallerRoute;
}
