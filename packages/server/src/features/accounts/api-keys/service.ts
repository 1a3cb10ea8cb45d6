import type { Static } from 'typebox';
import type { PlatformTransaction } from '../../../db/database.ts';
import { insertRow } from '../../../db/rows.ts';
import type { ApiKeysTable } from '../../../db/tables/platform/tenants.ts';
import { toStoredTimestamp } from '../../../http/timestamp.ts';
import { invalidCidrs } from '../../../lib/cidr.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addSeconds } from '../../../lib/duration.ts';
import { AppError, type ErrorDetail, orThrow, validationError } from '../../../lib/error.ts';
import { newId } from '../../../lib/ids.ts';
import type { Services } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { findProductById } from '../../licensing/products/service.ts';
import { auditsOf, changedFields, createdFields } from '../../tenant-core/audit/audit.ts';
import { completeTenantAudit, recordTenantAudit } from '../../tenant-core/audit-outbox/service.ts';
import { assertPlatformQuota } from '../../tenant-core/plan-limits/service.ts';
import { credentialStatus, hintOf, type LastUses, newCredential } from '../credentials/credential.ts';
import { revokeCredential } from '../credentials/service.ts';
import { parseScopes } from './authentication.ts';
import { type ApiKeyColumns, type ApiKeyRow, lockApiKey, updateApiKeyRow } from './queries.ts';
import { type ApiKey, defaultOverlapSeconds, defaultScopes, type RotateApiKey, type UpdateApiKey } from './schemas.ts';

const auditOf = auditsOf('api_key');

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
): Promise<IssuedKey> {
  const at = services.clock.now();
  await assertValid(tenant, input, at);
  const issued = newKey(services, tenant, actor, changedColumns({ ...unlimited, name: input.name }, input), at);
  await services.platform.transaction((tx) => addKey(services, tx, { tenant, actor, row: issued.row, added: 1 }));
  await completeTenantAudit(services, tenant.id);
  return issued;
}

/** A new key, and its raw form, which is not stored anywhere. */
interface IssuedKey {
  readonly row: ApiKeysTable;
  readonly key: string;
}

function newKey(
  { keyring }: Pick<Services, 'keyring'>,
  tenant: KeyTenant,
  actor: Actor,
  columns: ApiKeyColumns,
  at: Timestamp,
): IssuedKey {
  const key = newCredential(prefix);
  const row: ApiKeysTable = {
    id: newId(),
    tenant_id: tenant.id,
    key_hash: keyring.hash(key),
    hint: hintOf(prefix, key),
    status: 'active',
    ...columns,
    created_by_type: actor.type === 'user' || actor.type === 'admin' ? actor.type : 'system',
    created_by_id: actor.id,
    created_at: at,
    last_used_at: null,
    revoked_at: null,
  };
  return { key, row };
}

interface AddedKey {
  readonly tenant: KeyTenant;
  readonly actor: Actor;
  readonly row: ApiKeysTable;
  /** What the key adds to the keys that the plan counts. */
  readonly added: 0 | 1;
}

/** Stores a new key with its audit record and event. Throws 403 `PLAN.LIMIT_REACHED`. */
async function addKey(
  { apiKeyUsage }: Services,
  tx: PlatformTransaction,
  { tenant, actor, row, added }: AddedKey,
): Promise<void> {
  const at = row.created_at;
  const entering = { tenantId: tenant.id, resource: 'api_keys', added, at, requestId: actor.requestId } as const;
  const notice = await assertPlatformQuota(tx, entering);
  await insertRow(tx, 'api_keys', row);
  const data = presentApiKey(row, at, apiKeyUsage);
  const entry = { ...auditOf(row.id, 'API_KEY.CREATED'), changes: createdFields(data, auditedFields), at };
  await recordTenantAudit(tx, tenant.id, actor, entry, { type: 'api_key.created', data }, notice);
}

/**
 * Creates a key with the name, scopes and limits of another, which then works for `overlap_seconds` more. The new key
 * does not count towards the plan's limit, unless the tenant already has more keys than that: the old one is about to end.
 * Returns the new row and the raw key, which is not stored anywhere. Throws 404 `RESOURCE.NOT_FOUND`, 409
 * `API_KEY.REVOKED`, 422 for an expiry in the past, and 403 `PLAN.LIMIT_REACHED`.
 */
export async function rotateApiKey(
  services: Services,
  tenant: Tenant,
  actor: Actor,
  id: string,
  { overlap_seconds = defaultOverlapSeconds, expires_at = null }: RotateApiKey,
): Promise<IssuedKey> {
  const at = services.clock.now();
  await assertValid(tenant, { expires_at }, at);
  const issued = await services.platform.transaction(async (tx) => {
    const old = await lockUnrevoked(tx, tenant, id);
    const next = newKey(services, tenant, actor, changedColumns(old, { expires_at }), at);
    await addKey(services, tx, { tenant, actor, row: next.row, added: 0 });
    const end = addSeconds(at, overlap_seconds);
    const ended = { expires_at: old.expires_at !== null && old.expires_at < end ? old.expires_at : end };
    await updateApiKeyRow(tx, id, ended);
    const changes = [
      ...changedFields({ expires_at: old.expires_at }, ended, ['expires_at']),
      { field: 'replaced_by', old: null, new: next.row.id },
    ];
    await recordTenantAudit(tx, tenant.id, actor, { ...auditOf(id, 'API_KEY.ROTATED'), changes, at });
    return next;
  });
  await completeTenantAudit(services, tenant.id);
  return issued;
}

/** Reads a key and locks its row. Throws 404 `RESOURCE.NOT_FOUND` and 409 `API_KEY.REVOKED`. */
async function lockUnrevoked(tx: PlatformTransaction, tenant: Pick<Tenant, 'id'>, id: string): Promise<ApiKeysTable> {
  const row = orThrow(await lockApiKey(tx, tenant.id, id), apiKeyNotFound);
  if (row.status !== 'revoked') return row;
  throw new AppError('API_KEY.REVOKED', 'The API key was revoked, so it cannot be changed. Create another one.');
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
    const before = await lockUnrevoked(tx, tenant, id);
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
