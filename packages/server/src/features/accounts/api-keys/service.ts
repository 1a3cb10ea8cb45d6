import type { Static } from 'typebox';
import type { ApiKeysTable } from '../../../db/tables/platform/tenants.ts';
import { toStoredTimestamp } from '../../../http/timestamp.ts';
import { invalidCidrs } from '../../../lib/cidr.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { AppError, type ErrorDetail, validationError } from '../../../lib/error.ts';
import { newId } from '../../../lib/ids.ts';
import type { Services } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { findProductById } from '../../licensing/products/service.ts';
import { changedFields, createdFields } from '../../tenant-core/audit/audit.ts';
import { completeTenantAudit, recordTenantAudit } from '../../tenant-core/audit-outbox/service.ts';
import { assertPlatformQuota } from '../../tenant-core/plan-limits/service.ts';
import { credentialStatus, hintOf, type LastUses, newCredential } from '../credentials/credential.ts';
import { revokeCredential } from '../credentials/service.ts';
import { parseScopes } from './authentication.ts';
import { type ApiKeyColumns, type ApiKeyRow, createApiKey, lockApiKey, updateApiKeyRow } from './queries.ts';
import { type ApiKey, defaultScopes, type UpdateApiKey } from './schemas.ts';

const prefix = 'vx_';

/** Returns the name of the creator as a field, if it was read. */
function creatorName({ creator_name: name }: ApiKeyRow): { readonly name?: string | null } {
  return name === undefined ? {} : { name };
}

/** Returns a key as callers see it at `now`, with the newest `last_used_at`. The raw key is never included. */
export function presentApiKey(row: ApiKeyRow, now: Timestamp, usage: Pick<LastUses, 'newest'>): Static<typeof ApiKey> {
  return {
    id: row.id,
    name: row.name,
    status: credentialStatus(row, now),
    created_at: row.created_at,
    hint: row.hint,
    expires_at: row.expires_at,
    last_used_at: usage.newest(row.id, row.last_used_at),
    scopes: [...parseScopes(row.scopes_json)],
    allowed_cidrs: JSON.parse(row.allowed_cidrs_json),
    product_id: row.product_id,
    rate_limit_per_minute: row.rate_limit_per_minute,
    rate_limit_per_address_per_minute: row.rate_limit_per_address_per_minute,
    created_by:
      row.created_by_type === 'system'
        ? null
        : { type: row.created_by_type, id: row.created_by_id, ...creatorName(row) },
  };
}

/** The fields whose values the audit record of a creation contains, unless they are null. */
const auditedFields = [
  'name',
  'expires_at',
  'scopes',
  'allowed_cidrs',
  'product_id',
  'rate_limit_per_minute',
  'rate_limit_per_address_per_minute',
] as const;

interface NewApiKey extends UpdateApiKey {
  readonly name: string;
}

/** The tenant of a key. Only a key for one product needs the tenant's database. */
type KeyTenant = Pick<Tenant, 'id'> & Partial<Pick<Tenant, 'db'>>;

/**
 * Creates a key for a tenant. Returns the row and the raw key, which is not stored anywhere. Throws 422 for an invalid
 * network in `allowed_cidrs`, an expiry in the past or an unknown product, and 403 `PLAN.LIMIT_REACHED`.
 */
export async function issueApiKey(
  services: Services,
  tenant: KeyTenant,
  actor: Actor,
  input: NewApiKey,
): Promise<{ row: ApiKeysTable; key: string }> {
  const at = services.clock.now();
  await assertValid(tenant, input, at);
  const key = newCredential(prefix);
  const row: ApiKeysTable = {
    id: newId(),
    tenant_id: tenant.id,
    key_hash: services.keyring.hash(key),
    hint: hintOf(prefix, key),
    status: 'active',
    ...changedColumns({ ...unlimited, name: input.name }, input),
    created_by_type: actor.type === 'user' || actor.type === 'admin' ? actor.type : 'system',
    created_by_id: actor.id,
    created_at: at,
    last_used_at: null,
    revoked_at: null,
  };
  await services.platform.transaction(async (tx) => {
    const entering = { tenantId: tenant.id, resource: 'api_keys', added: 1, at, requestId: actor.requestId } as const;
    const notice = await assertPlatformQuota(tx, entering);
    await createApiKey(tx, row);
    const data = presentApiKey(row, at, services.apiKeyUsage);
    const entry = { ...auditOf(row.id, 'API_KEY.CREATED'), changes: createdFields(data, auditedFields), at };
    await recordTenantAudit(tx, tenant.id, actor, entry, { type: 'api_key.created', data }, notice);
  });
  await completeTenantAudit(services, tenant.id);
  return { row, key };
}

/**
 * Changes the fields that `input` contains, from the next request on. Throws 404 `RESOURCE.NOT_FOUND`, 409
 * `API_KEY.REVOKED`, and 422 for an invalid network, an expiry in the past or an unknown product.
 */
export async function updateApiKey(
  services: Services,
  tenant: Tenant,
  actor: Actor,
  id: string,
  input: UpdateApiKey,
): Promise<ApiKeysTable> {
  const at = services.clock.now();
  await assertValid(tenant, input, at);
  const row = await services.platform.transaction(async (tx) => {
    const before = await lockApiKey(tx, tenant.id, id);
    if (before === undefined) throw apiKeyNotFound();
    if (before.status === 'revoked') {
      throw new AppError('API_KEY.REVOKED', 'The API key was revoked, so it cannot be changed. Create another one.');
    }
    const columns = changedColumns(before, input);
    const after = { ...before, ...columns };
    const present = (key: ApiKeysTable) => presentApiKey(key, at, services.apiKeyUsage);
    const changes = changedFields(present(before), present(after), auditedFields);
    if (changes.length === 0) return before;
    await updateApiKeyRow(tx, id, columns);
    await recordTenantAudit(tx, tenant.id, actor, { ...auditOf(id, 'API_KEY.UPDATED'), changes, at });
    return after;
  });
  await completeTenantAudit(services, tenant.id);
  return row;
}

/** A key without any limit. */
const unlimited = {
  scopes_json: JSON.stringify(defaultScopes),
  allowed_cidrs_json: '[]',
  product_id: null,
  rate_limit_per_minute: null,
  rate_limit_per_address_per_minute: null,
  expires_at: null,
} as const satisfies Omit<ApiKeyColumns, 'name'>;

function changedColumns(before: ApiKeyColumns, input: UpdateApiKey): ApiKeyColumns {
  const { name, scopes, allowed_cidrs, expires_at } = input;
  const pick = <Field extends 'product_id' | 'rate_limit_per_minute' | 'rate_limit_per_address_per_minute'>(
    field: Field,
  ) => (input[field] === undefined ? before[field] : input[field]);
  return {
    name: name ?? before.name,
    scopes_json: scopes === undefined ? before.scopes_json : JSON.stringify(scopes),
    allowed_cidrs_json: allowed_cidrs === undefined ? before.allowed_cidrs_json : JSON.stringify(allowed_cidrs),
    product_id: pick('product_id'),
    rate_limit_per_minute: pick('rate_limit_per_minute'),
    rate_limit_per_address_per_minute: pick('rate_limit_per_address_per_minute'),
    expires_at: expires_at == null ? (expires_at === null ? null : before.expires_at) : toStoredTimestamp(expires_at),
  };
}

/**
 * Revokes a key permanently, from the next request on. A repeated call changes nothing and records nothing. Throws 404
 * `RESOURCE.NOT_FOUND`.
 */
export function revokeApiKey(services: Services, tenant: Tenant, actor: Actor, id: string): Promise<void> {
  return revokeCredential(services, {
    table: 'api_keys',
    tenantId: tenant.id,
    id,
    notFound: apiKeyNotFound,
    async record(tx, row, at) {
      const changes = [{ field: 'status', old: 'active', new: 'revoked' }];
      const entry = { ...auditOf(id, 'API_KEY.REVOKED'), changes, at };
      const data = presentApiKey({ ...row, status: 'revoked', revoked_at: at }, at, services.apiKeyUsage);
      await recordTenantAudit(tx, tenant.id, actor, entry, { type: 'api_key.revoked', data });
    },
  });
}

/** Returns the same error for a key that does not exist and for a key of another tenant. */
export function apiKeyNotFound(): AppError {
  return new AppError('RESOURCE.NOT_FOUND', 'There is no such API key. List the API keys to find its id.');
}

function auditOf(id: string, event: string) {
  return { event, resourceType: 'api_key', resourceId: id };
}

/** Throws 422 for invalid networks, an expiry in the past, and a product that the tenant does not have. */
async function assertValid({ db }: KeyTenant, input: UpdateApiKey, now: Timestamp): Promise<void> {
  const { allowed_cidrs = [], expires_at, product_id } = input;
  const problems: ErrorDetail[] = invalidCidrs(allowed_cidrs).map((index) => ({
    field: `allowed_cidrs.${index}`,
    message: 'Enter an address or a network such as 203.0.113.0/24.',
  }));
  if (expires_at != null && toStoredTimestamp(expires_at) <= now) {
    problems.push({ field: 'expires_at', message: 'Choose a time in the future.' });
  }
  const isUnknown = product_id != null && (db === undefined || (await findProductById(db, product_id)) === undefined);
  if (isUnknown) problems.push({ field: 'product_id', message: 'Choose an existing product.' });
  if (problems.length > 0) throw validationError(...problems);
}
