import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { TenantRecord } from '../../tenancy/tenant-record.ts';
import type { Method, RouteSchema, TypedRequest } from './tenant-route.ts';

interface CallerContext<Schema extends RouteSchema> {
  readonly request: TypedRequest<Schema>;
  readonly reply: FastifyReply;
  /** The tenant of the caller, identified by a user's token or by an API key. */
  readonly record: TenantRecord;
}

interface CallerRouteOptions<Schema extends RouteSchema> {
  readonly method: Method;
  /** Relative to the surface's prefix. */
  readonly url: string;
  /**
   * Must list every status, because these routes follow a standard that defines its own failures. The handler validates
   * the request, so that failures have the standard's form.
   */
  readonly schema: Schema;
  readonly handler: (context: CallerContext<Schema>) => unknown;
}

declare const callerRouteBrand: unique symbol;

/** A route that requires a surface that identifies the caller's tenant. */
export type CallerRoute = RouteOptions & { readonly [callerRouteBrand]: true };

/** Defines a route whose handler receives the caller's tenant. */
export function callerRoute<const Schema extends RouteSchema>(options: CallerRouteOptions<Schema>): CallerRoute {
  const { handler, ...rest } = options;
  const route = {
    ...rest,
    validatorCompiler: () => () => true,
    handler(request: FastifyRequest, reply: FastifyReply) {
      const { record } = request.caller;
      if (record === undefined) {
        throw new Error(`${request.method} ${request.routeOptions.url}: the surface does not identify the caller.`);
      }
      return handler({ request: request as TypedRequest<Schema>, reply, record });
    },
  };
  return route as unknown as CallerRoute;
}
