import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PreparedRead } from '../../../db/database.ts';
import type { PlatformTables } from '../../../db/tables/platform-tables.ts';
import type { Refusal } from '../../../http/caller.ts';
import type { Scope } from '../../../http/routes/tenant-route.ts';
import { clientNetwork, parseCidrs } from '../../../lib/cidr.ts';
import { AppError } from '../../../lib/error.ts';
import { memoizeText } from '../../../lib/memoize.ts';
import { applyThrottle } from '../../../rate-limit/throttle.ts';
import type { Services } from '../../../services.ts';
import { type TenantRecord, tenantRecordColumns } from '../../../tenancy/tenant-record.ts';
import { findUnderPreviousKeys } from '../credentials/credential.ts';

/** An active key and its tenant's row, read with one query. */
export interface ApiKeyRecord extends TenantRecord {
  readonly key_id: string;
  readonly scopes_json: string;
  readonly allowed_cidrs_json: string;
  readonly rate_limit_per_minute: number | null;
  readonly rate_limit_per_address_per_minute: number | null;
  readonly expires_at: string | null;
  /** The only product whose licenses the key reaches; null: all. */
  readonly product_id: string | null;
}

const activeKeyByHash: PreparedRead<PlatformTables, ApiKeyRecord> = {
  name: 'active-api-key-by-hash',
  build: (db, parameter) =>
    db
      .selectFrom('api_keys')
      .innerJoin('tenants', 'tenants.id', 'api_keys.tenant_id')
      .innerJoin('plans', 'plans.code', 'tenants.plan_code')
      .select(tenantRecordColumns)
      .select([
        'api_keys.id as key_id',
        'api_keys.scopes_json as scopes_json',
        'api_keys.allowed_cidrs_json as allowed_cidrs_json',
        'api_keys.rate_limit_per_minute as rate_limit_per_minute',
        'api_keys.rate_limit_per_address_per_minute as rate_limit_per_address_per_minute',
        'api_keys.expires_at as expires_at',
        'api_keys.product_id as product_id',
      ])
      .where('api_keys.key_hash', '=', parameter(0))
      .where('api_keys.status', '=', 'active'),
};

const keyPattern = /^vx_[0-9a-f]{64}$/;

/** Parses the `scopes_json` of a key. Memoized, because it runs on every request with an API key. */
export const parseScopes = memoizeText((text): readonly Scope[] => JSON.parse(text));

/** The failed authentications that one client network may cause per window. */
const failuresPerWindow = { limit: 60, windowSeconds: 60 };

/**
 * Verifies the key of a request: reads the `X-API-Key` header, checks its form, hashes it, and looks the hash up among
 * the active keys together with the tenant's row, which both become the caller's. Throws 401 `AUTH.INVALID_API_KEY`
 * with the same message for every reason, and 429 after 60 failures per minute from one client network. A valid key is
 * served even then.
 */
export async function authenticateApiKey(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<ApiKeyRecord> {
  const key = request.headers['x-api-key'];
  // A header sent twice arrives joined by a comma, which no key contains.
  if (key === undefined) return await refuse(services, request, reply, 'missing');
  if (typeof key !== 'string' || !keyPattern.test(key)) return await refuse(services, request, reply, 'malformed');
  const found = await services.platform.first(activeKeyByHash, [services.keyring.hash(key)]);
  const record = found ?? (await findRotated(services, key));
  if (record === undefined) return await refuseUnknown(services, request, reply, key);
  if (record.expires_at !== null && record.expires_at <= services.clock.now()) {
    const known = { credentialId: record.key_id, tenantId: record.id };
    return await refuse(services, request, reply, 'expired', known);
  }
  request.caller.record = record;
  request.caller.credentialId = record.key_id;
  return record;
}

function findRotated({ keyring, platform }: Services, key: string): Promise<ApiKeyRecord | undefined> {
  return findUnderPreviousKeys(keyring, key, {
    find: (hash) => platform.first(activeKeyByHash, [hash]),
    async rehash({ key_id }, key_hash) {
      await platform.query.updateTable('api_keys').set({ key_hash }).where('id', '=', key_id).execute();
    },
  });
}

const revokedKeyByHash: PreparedRead<PlatformTables, { readonly id: string; readonly tenant_id: string }> = {
  name: 'revoked-api-key-by-hash',
  build: (db, parameter) =>
    db
      .selectFrom('api_keys')
      .select(['id', 'tenant_id'])
      .where('key_hash', '=', parameter(0))
      .where('status', '!=', 'active'),
};

type RefusalReason = 'missing' | 'malformed' | 'unknown' | 'revoked' | 'expired';

/** Refuses a key that is not active. The log says whose it was, if it was revoked. */
async function refuseUnknown(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  key: string,
): Promise<never> {
  const revoked = await services.platform.first(revokedKeyByHash, [services.keyring.hash(key)]);
  if (revoked === undefined) return await refuse(services, request, reply, 'unknown');
  const known = { credentialId: revoked.id, tenantId: revoked.tenant_id };
  return await refuse(services, request, reply, 'revoked', known);
}

async function refuse(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  reason: RefusalReason,
  known: Pick<Refusal, 'credentialId' | 'tenantId'> = {},
): Promise<never> {
  request.caller.refusal = { reason, ...known };
  services.metrics.apiKeyAuthFailures.increment(reason);
  const { rateLimits } = services;
  const window = await rateLimits.consume('api-key-failures', clientNetwork(request.ip), failuresPerWindow);
  applyThrottle(reply, window);
  throw new AppError('AUTH.INVALID_API_KEY', 'Send a valid, active API key in the X-API-Key header.');
}

const allowedNetworks = memoizeText((text) => parseCidrs(JSON.parse(text)));

/** Throws 403 `AUTH.IP_NOT_ALLOWED` for an address outside the key's `allowed_cidrs`. An empty list allows all. */
export function assertAddressAllowed(record: ApiKeyRecord, address: string): void {
  if (record.allowed_cidrs_json === '[]' || allowedNetworks(record.allowed_cidrs_json).matches(address)) return;
  throw new AppError('AUTH.IP_NOT_ALLOWED', 'This API key may not be used from this address. Check its allowed_cidrs.');
}

/** Throws 403 `AUTH.SCOPE_REQUIRED` if the key lacks the scope of the route. */
export function assertScope(record: ApiKeyRecord, scope: Scope | undefined): void {
  if (scope === undefined || parseScopes(record.scopes_json).includes(scope)) return;
  throw new AppError(
    'AUTH.SCOPE_REQUIRED',
    `This request needs an API key with the scope ${scope}. Create one, and send it.`,
  );
}
