import type { RouteOptions } from 'fastify';
import type { TenantRecord } from '../../tenancy/tenant-record.ts';
import { routeKind, schemaOf } from './tenant-route.ts';

interface CallerTenant {
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
export const callerRoute = routeKind<CallerTenant, object, CallerRoute>(
  ({ caller: { record }, method, routeOptions }) => {
    if (record !== undefined) return { record };
    throw new Error(`${method} ${routeOptions.url}: the surface does not identify the caller.`);
  },
  (declaration) => ({ schema: schemaOf(declaration), validatorCompiler: () => () => true }),
);
