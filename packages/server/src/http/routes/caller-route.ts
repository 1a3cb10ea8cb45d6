import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { Method, RouteSchema, TypedRequest } from './tenant-route.ts';

/** The tenant for which a request speaks, by a user's token or by an API key. */
export interface TenantCaller {
  readonly tenantId: string;
  readonly planCode: string;
}

interface CallerContext<Schema extends RouteSchema> {
  readonly request: TypedRequest<Schema>;
  readonly reply: FastifyReply;
  readonly caller: TenantCaller;
}

interface CallerRouteOptions<Schema extends RouteSchema> {
  readonly method: Method;
  /** Relative to the surface's prefix. */
  readonly url: string;
  /**
   * With every status: these routes follow a standard that has failures of its own. It is not checked before the
   * handler, which answers in the standard's words.
   */
  readonly schema: Schema;
  readonly handler: (context: CallerContext<Schema>) => unknown;
}

declare const callerRouteBrand: unique symbol;

/** A route that only a surface which knows the caller's tenant can register. */
export type CallerRoute = RouteOptions & { readonly [callerRouteBrand]: true };

const tenantCaller = Symbol('tenant caller');

declare module 'fastify' {
  interface FastifyRequest {
    [tenantCaller]?: TenantCaller;
  }
}

/** What a surface calls once it knows for which tenant a request speaks. */
export function provideCaller(request: FastifyRequest, caller: TenantCaller): void {
  request[tenantCaller] = caller;
}

/** Makes a route whose handler is given the tenant for which the request speaks. */
export function callerRoute<const Schema extends RouteSchema>(options: CallerRouteOptions<Schema>): CallerRoute {
  const { handler, ...rest } = options;
  const route = {
    ...rest,
    validatorCompiler: () => () => true,
    handler(request: FastifyRequest, reply: FastifyReply) {
      const caller = request[tenantCaller];
      if (caller === undefined) {
        throw new Error(`${request.method} ${request.routeOptions.url} runs on a surface that knows no caller`);
      }
      return handler({ request: request as TypedRequest<Schema>, reply, caller });
    },
  };
  return route as unknown as CallerRoute;
}
