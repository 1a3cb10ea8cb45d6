import type { Static } from 'typebox';
import type { ApiKeysTable } from '../../../db/tables/platform/tenants.ts';
import type { Scope } from '../../../http/routes/tenant-route.ts';
import { toStoredTimestamp } from '../../../http/timestamp.ts';
import { invalidCidrs } from '../../../lib/cidr.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { AppError, type ErrorDetail, validationError } from '../../../lib/error.ts';
import { newId } from '../../../lib/ids.ts';
import type { Services } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { createdFields } from '../../tenant-core/audit/audit.ts';
import { completeTenantAudit, recordTenantAudit } from '../../tenant-core/audit-outbox/service.ts';
import { assertPlatformQuota } from '../../tenant-core/plan-limits/service.ts';
import { credentialStatus, hintOf, type LastUses, newCredential } from '../credentials/credential.ts';
import { revokeCredential } from '../credentials/service.ts';
import { parseScopes } from './authentication.ts';
import { type ApiKeyRow, createApiKey } from './queries.ts';
import { type ApiKey, defaultScopes } from './schemas.ts';

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
  'rate_limit_per_minute',
  'rate_limit_per_address_per_minute',
] as const;

interface NewApiKey {
  readonly name: string;
  readonly expires_at?: string | null;
  readonly scopes?: readonly Scope[];
  readonly allowed_cidrs?: readonly string[];
  readonly rate_limit_per_minute?: number | null;
  readonly rate_limit_per_address_per_minute?: number | null;
}

/**
 * Creates a key for a tenant. Returns the row and the raw key, which is not stored anywhere. Throws 422 for an invalid
 * network in `allowed_cidrs` or an expiry in the past, and 403 `PLAN.LIMIT_REACHED`.
 */
export async function issueApiKey(
  services: Services,
  tenant: Pick<Tenant, 'id'>,
  actor: Actor,
  input: NewApiKey,
): Promise<{ row: ApiKeysTable; key: string }> {
  const at = services.clock.now();
  const expiresAt = input.expires_at == null ? null : toStoredTimestamp(input.expires_at);
  const problems = problemsOf(input.allowed_cidrs ?? [], expiresAt, at);
  if (problems.length > 0) throw validationError(...problems);
  const key = newCredential(prefix);
  const row: ApiKeysTable = {
    id: newId(),
    tenant_id: tenant.id,
    name: input.name,
    key_hash: services.keyring.hash(key),
    hint: hintOf(prefix, key),
    status: 'active',
    scopes_json: JSON.stringify(input.scopes ?? defaultScopes),
    allowed_cidrs_json: JSON.stringify(input.allowed_cidrs ?? []),
    rate_limit_per_minute: input.rate_limit_per_minute ?? null,
    rate_limit_per_address_per_minute: input.rate_limit_per_address_per_minute ?? null,
    created_by_type: actor.type === 'user' || actor.type === 'admin' ? actor.type : 'system',
    created_by_id: actor.id,
    created_at: at,
    expires_at: expiresAt,
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

function problemsOf(cidrs: readonly string[], expiresAt: string | null, now: string): ErrorDetail[] {
  const problems: ErrorDetail[] = invalidCidrs(cidrs).map((index) => ({
    field: `allowed_cidrs.${index}`,
    message: 'must be an address or a network such as 203.0.113.0/24',
  }));
  if (expiresAt !== null && expiresAt <= now) problems.push({ field: 'expires_at', message: 'must be in the future' });
  return problems;
}
