import type { FastifyContextConfig, FastifySchema } from 'fastify';
import { type ErrorCode, errorStatus } from '../lib/error-codes.ts';

declare module 'fastify' {
  interface FastifySchema {
    /** The codes that the route's own work can cause, beyond those of its surface. */
    readonly errors?: readonly ErrorCode[];
  }
}

/** What the failures of a route follow from. */
export interface FailingRoute {
  readonly method: string | readonly string[];
  /** The full path, with parameters as `:id` or `{id}`. */
  readonly url: string;
  readonly schema?: FastifySchema | undefined;
  readonly config?: FastifyContextConfig | undefined;
}

const ofEveryRoute = ['REQUEST.MALFORMED', 'VALIDATION.FAILED', 'INTERNAL.ERROR', 'SERVICE.UNAVAILABLE'] as const;
const ofBodies = ['REQUEST.TIMEOUT', 'REQUEST.TOO_LARGE', 'REQUEST.UNSUPPORTED_MEDIA_TYPE'] as const;
const ofIdempotency = ['IDEMPOTENCY.IN_PROGRESS', 'IDEMPOTENCY.KEY_REUSED'] as const;
const ofOpenTenants = ['TENANT.STATUS.SUSPENDED', 'TENANT.STATUS.CLOSED', 'TENANT.MOVING'] as const;
const ofTokens = ['AUTH.INVALID_TOKEN', 'AUTH.ABILITY_REQUIRED', 'AUTH.TWO_FACTOR_SETUP_REQUIRED'] as const;
const ofMembers = [
  ...ofTokens,
  ...ofOpenTenants,
  'TENANT.SELECTION_REQUIRED',
  'TENANT.ACCESS_DENIED',
  'AUTH.ROLE_REQUIRED',
] as const;
const ofAdmins = [...ofTokens, 'AUTH.ROLE_REQUIRED'] as const;
const ofApiKeys = [
  ...ofOpenTenants,
  'AUTH.INVALID_API_KEY',
  'AUTH.IP_NOT_ALLOWED',
  'AUTH.SCOPE_REQUIRED',
  'RATE_LIMIT.EXCEEDED',
] as const;

/** What a surface's guard can refuse, by the first matching prefix. A path without a match is public. */
const guards: readonly (readonly [prefix: string, codes: readonly ErrorCode[]])[] = [
  ['/api/v1/integration', ofApiKeys],
  ['/api/v1/tenant/', ofMembers],
  ['/api/v1/billing/', ofMembers],
  ['/api/v1/account', ofTokens],
  ['/api/auth/email/', ofTokens],
  ['/api/v1/onboarding', ofTokens],
  // Access tokens are refused by role.
  ['/api/auth/logout', ['AUTH.INVALID_TOKEN', 'AUTH.ROLE_REQUIRED']],
  ['/api/auth/me', ['AUTH.INVALID_TOKEN']],
  ['/api/auth/two-factor', ['AUTH.INVALID_TOKEN', 'AUTH.ROLE_REQUIRED']],
  ['/api/v1/admin/tenants/:tenantId/', [...ofAdmins, ...ofOpenTenants, 'TENANT.NOT_FOUND']],
  ['/api/v1/admin/billing/', [...ofAdmins, 'BILLING.ROLE_REQUIRED']],
  ['/api/v1/admin/', ofAdmins],
];

function guardCodes(url: string): readonly ErrorCode[] {
  const path = url.replaceAll(/\{(\w+)\}/g, ':$1').replace('/api/v1/auth/', '/api/auth/');
  const [, codes] = guards.find(([prefix]) => path.startsWith(prefix)) ?? [];
  return codes ?? [];
}

/** Returns every code with which a route can fail, except those of requests that reach no route. */
function declaredCodes({ method, url, schema, config }: FailingRoute): readonly ErrorCode[] {
  const isRead = [method].flat().every((name) => name === 'GET' || name === 'HEAD');
  return [
    ...ofEveryRoute,
    ...guardCodes(url),
    ...(isRead ? [] : ofBodies),
    ...(/[:{]/.test(url) ? (['RESOURCE.NOT_FOUND'] as const) : []),
    ...(config?.hasBillingGuard ? (['BILLING.ROLE_REQUIRED'] as const) : []),
    ...(config?.verifiedEmail ? (['AUTH.EMAIL_UNVERIFIED'] as const) : []),
    ...(config?.idempotent ? ofIdempotency : []),
    ...(schema?.errors ?? []),
  ];
}

/** Returns the statuses with which a route can fail, ascending, each with the codes that only this route declares. */
export function declaredFailures(route: FailingRoute): ReadonlyMap<number, readonly ErrorCode[]> {
  const statuses = new Set(declaredCodes(route).map((code) => errorStatus[code]));
  const own = route.schema?.errors ?? [];
  const ascending = [...statuses].sort((one, other) => one - other);
  return new Map(ascending.map((status) => [status, own.filter((code) => errorStatus[code] === status)]));
}
