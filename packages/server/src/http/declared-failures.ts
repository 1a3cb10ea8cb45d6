import type { FastifyContextConfig, FastifyInstance, FastifySchema } from 'fastify';
import { type ErrorCode, errorStatus } from '../lib/error-codes.ts';

/** What the failures of a route follow from. */
export interface FailingRoute {
  readonly method: string | readonly string[];
  /** The full path, with parameters as `:id` or `{id}`. */
  readonly url: string;
  readonly schema?: FastifySchema | undefined;
  readonly config?: FastifyContextConfig | undefined;
}

/** A name of `components.securitySchemes`. */
type SecurityScheme = 'apiKey' | 'bearer' | 'holder' | 'metricsToken';

/** What the guard of a route requires, and what it can refuse. */
export interface Guard {
  /** One of these credentials; empty: none. */
  readonly credentials: readonly SecurityScheme[];
  readonly codes: readonly ErrorCode[];
}

declare module 'fastify' {
  interface FastifySchema {
    /** The codes that the route's own work can cause, beyond those of its guard. */
    readonly errors?: readonly ErrorCode[];
  }

  interface FastifyContextConfig {
    /** Absent: the route is public. */
    readonly guard?: Guard;
  }
}

/**
 * Declares the guard of the routes that a scope registers after this call, so that the OpenAPI document and the checks of
 * responses know it. A route that checks a credential itself declares its own guard.
 */
export function declareGuard(scope: FastifyInstance, guardOf: (config: FastifyContextConfig) => Guard): void {
  scope.addHook('onRoute', (route) => {
    const { config = {} } = route;
    route.config = { guard: guardOf(config), ...config };
  });
}

/** What opening the tenant of a request can refuse. */
export const openTenantCodes = ['TENANT.STATUS.SUSPENDED', 'TENANT.STATUS.CLOSED', 'TENANT.MOVING'] as const;
/** What a bearer token can be refused for. */
export const tokenCodes = ['AUTH.INVALID_TOKEN', 'AUTH.ABILITY_REQUIRED', 'AUTH.TWO_FACTOR_SETUP_REQUIRED'] as const;

/** The codes of any route. */
const ofEveryRoute = ['REQUEST.MALFORMED', 'VALIDATION.FAILED', 'INTERNAL.ERROR', 'SERVICE.UNAVAILABLE'] as const;
/** The codes of any route with a body. */
const ofBodies = ['REQUEST.TIMEOUT', 'REQUEST.TOO_LARGE', 'REQUEST.UNSUPPORTED_MEDIA_TYPE'] as const;
const ofIdempotency = ['IDEMPOTENCY.IN_PROGRESS', 'IDEMPOTENCY.KEY_REUSED'] as const;

/** Returns true for a code that any route can have, so that it says nothing about an operation. */
export function isCodeOfAnyRoute(code: string): boolean {
  return [...ofEveryRoute, ...ofBodies].some((one) => one === code);
}

/** Returns every code with which a route can fail, its own first, except those of requests that reach no route. */
function declaredCodes({ method, url, schema, config }: FailingRoute): readonly ErrorCode[] {
  const isRead = [method].flat().every((name) => name === 'GET' || name === 'HEAD');
  return [
    ...(schema?.errors ?? []),
    ...(config?.guard?.codes ?? []),
    ...(/[:{]/.test(url) ? (['RESOURCE.NOT_FOUND'] as const) : []),
    ...(config?.adminArea === 'billing' ? (['BILLING.ROLE_REQUIRED'] as const) : []),
    ...(config?.verifiedEmail ? (['AUTH.EMAIL_UNVERIFIED'] as const) : []),
    ...(config?.idempotent ? ofIdempotency : []),
    ...ofEveryRoute,
    ...(isRead ? [] : ofBodies),
  ];
}

/** Returns the statuses with which a route can fail, ascending, each with its codes. */
export function declaredFailures(route: FailingRoute): ReadonlyMap<number, readonly ErrorCode[]> {
  const byStatus = Map.groupBy(new Set(declaredCodes(route)), (code): number => errorStatus[code]);
  return new Map([...byStatus].sort(([one], [other]) => one - other));
}
