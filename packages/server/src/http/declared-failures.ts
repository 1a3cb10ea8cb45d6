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

/** The codes of any route. */
const ofEveryRoute = ['REQUEST.MALFORMED', 'VALIDATION.FAILED', 'INTERNAL.ERROR', 'SERVICE.UNAVAILABLE'] as const;
/** The codes of any route with a body. */
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
const ofPortals = ['PORTAL.NOT_FOUND', 'TENANT.MOVING'] as const;
const ofHolders = [...ofPortals, 'AUTH.INVALID_TOKEN'] as const;
const ofApiKeys = [
  ...ofOpenTenants,
  'AUTH.INVALID_API_KEY',
  'AUTH.IP_NOT_ALLOWED',
  'AUTH.SCOPE_REQUIRED',
  'RATE_LIMIT.EXCEEDED',
] as const;

/** A name of `components.securitySchemes`. */
type SecurityScheme = 'apiKey' | 'bearer' | 'holder' | 'metricsToken';

interface Area {
  readonly prefix: string;
  /** The guard requires one of these credentials. */
  readonly credentials: readonly SecurityScheme[];
  /** What the guard can refuse. */
  readonly codes: readonly ErrorCode[];
}

const withToken = (prefix: string, codes: readonly ErrorCode[]): Area => ({ prefix, credentials: ['bearer'], codes });

/** The guarded areas. The first matching prefix decides; a path without a match is public. */
const areas: readonly Area[] = [
  // OFREP's routes list their own failures.
  { prefix: '/ofrep/', credentials: ['apiKey', 'bearer'], codes: [] },
  { prefix: '/metrics', credentials: ['metricsToken'], codes: [] },
  { prefix: '/api/v1/integration', credentials: ['apiKey'], codes: ofApiKeys },
  { prefix: '/api/v1/portal/:handle/logout', credentials: ['holder'], codes: ofHolders },
  { prefix: '/api/v1/portal/:handle/login', credentials: [], codes: ofPortals },
  { prefix: '/api/v1/portal/:handle/logo', credentials: [], codes: ofPortals },
  { prefix: '/api/v1/portal/:handle/purchase', credentials: [], codes: ofPortals },
  { prefix: '/api/v1/portal/:handle/', credentials: ['holder'], codes: ofHolders },
  { prefix: '/api/v1/portal/:handle', credentials: [], codes: ofPortals },
  withToken('/api/v1/tenant/', ofMembers),
  withToken('/api/v1/billing/', ofMembers),
  withToken('/api/v1/account', ofTokens),
  withToken('/api/auth/email/', ofTokens),
  withToken('/api/v1/onboarding', ofTokens),
  // Access tokens are refused by role.
  withToken('/api/auth/logout', ['AUTH.INVALID_TOKEN', 'AUTH.ROLE_REQUIRED']),
  withToken('/api/auth/me', ['AUTH.INVALID_TOKEN']),
  withToken('/api/auth/two-factor', ['AUTH.INVALID_TOKEN', 'AUTH.ROLE_REQUIRED']),
  withToken('/api/v1/admin/tenants/:tenantId/', [...ofAdmins, ...ofOpenTenants, 'TENANT.NOT_FOUND']),
  withToken('/api/v1/admin/billing/', [...ofAdmins, 'BILLING.ROLE_REQUIRED']),
  withToken('/api/v1/admin/', ofAdmins),
];

function areaOf(url: string): Area | undefined {
  const path = url.replaceAll(/\{(\w+)\}/g, ':$1').replace('/api/v1/auth/', '/api/auth/');
  return areas.find(({ prefix }) => path.startsWith(prefix));
}

/** Returns the credentials that a path accepts; empty for a public path. Its parameters are `:id` or `{id}`. */
export function credentialsOf(url: string): readonly SecurityScheme[] {
  return areaOf(url)?.credentials ?? [];
}

/** Returns true for a code that any route can have, so that it says nothing about an operation. */
export function isCodeOfAnyRoute(code: string): boolean {
  return [...ofEveryRoute, ...ofBodies].some((one) => one === code);
}

/** Returns every code with which a route can fail, its own first, except those of requests that reach no route. */
function declaredCodes({ method, url, schema, config }: FailingRoute): readonly ErrorCode[] {
  const isRead = [method].flat().every((name) => name === 'GET' || name === 'HEAD');
  return [
    ...(schema?.errors ?? []),
    ...(areaOf(url)?.codes ?? []),
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
