import type { Static } from 'typebox';
import { insertRow, updateRows } from '../../../db/rows.ts';
import type { TenantRole } from '../../../db/tables/platform/identity.ts';
import type { AccessTokenRole, TenantAccessTokensTable } from '../../../db/tables/platform/tenants.ts';
import { isTenantAllowed } from '../../../http/routes/tenant-roles.ts';
import { toStoredTimestamp } from '../../../http/timestamp.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { AppError, validationError } from '../../../lib/error.ts';
import { newId } from '../../../lib/ids.ts';
import type { Services } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { auditsOf, createdFields } from '../../tenant-core/audit/audit.ts';
import { completeTenantAudit, recordTenantAudit } from '../../tenant-core/audit-outbox/service.ts';
import {
  credentialStatus,
  findUnderPreviousKeys,
  hintOf,
  type LastUses,
  newCredential,
} from '../credentials/credential.ts';
import { revokeCredential } from '../credentials/service.ts';
import { findMemberRole, lockMembers } from '../memberships/service.ts';
import { type AccessTokenRecord, type AccessTokenRow, countActiveTokens, findActiveToken } from './queries.ts';
import type { AccessToken } from './schemas.ts';

const auditOf = auditsOf('access_token');

const prefix = 'service_';

/**
 * Returns a token as callers see it at `now`, with the newest `last_used_at`. The raw token is never included, and the
 * creator's name only if `named`.
 */
export function presentAccessToken(
  row: AccessTokenRow,
  now: Timestamp,
  usage: Pick<LastUses, 'newest'>,
  named = false,
): Static<typeof AccessToken> {
  return {
    id: row.id,
    name: row.name,
    role: row.role,
    status: credentialStatus(row, now),
    created_at: row.created_at,
    hint: row.hint,
    expires_at: row.expires_at,
    last_used_at: usage.newest(row.id, row.last_used_at),
    created_by: {
      type: 'user',
      id: row.created_by_id,
      role: row.creator_role,
      ...(named && { name: row.creator_name }),
    },
  };
}

/** The number of active access tokens that a tenant may have, on every plan. */
export const activeTokensMax = 100;

interface NewAccessToken {
  readonly name: string;
  readonly role: AccessTokenRole;
  readonly expires_at?: string | null;
}

/**
 * Creates an access token on behalf of a member. Returns the row and the raw token, which is not stored anywhere.
 * Throws 422 for an expiry in the past, 403 `AUTH.ROLE_REQUIRED` if the actor is no longer an owner or admin of the
 * tenant, and 409 `ACCESS_TOKEN.TOO_MANY`.
 */
export async function issueAccessToken(
  services: Services,
  tenant: Pick<Tenant, 'id'>,
  actor: Actor,
  { name, role, expires_at }: NewAccessToken,
): Promise<{ row: AccessTokenRow; token: string }> {
  const at = services.clock.now();
  const expiresAt = expires_at == null ? null : toStoredTimestamp(expires_at);
  if (expiresAt !== null && expiresAt <= at) {
    throw validationError({ field: 'expires_at', message: 'Choose a time in the future.' });
  }
  const token = newCredential(prefix);
  const created = await services.platform.transaction(async (tx) => {
    // The lock makes the limit exact, and keeps the creator's role until the token exists.
    await lockMembers(tx, tenant.id);
    const creator = assertMayCreate(actor, await findMemberRole(tx, tenant.id, actor.id));
    if ((await countActiveTokens(tx, tenant.id, at)) >= activeTokensMax) throw tooMany();
    const row: TenantAccessTokensTable = {
      id: newId(),
      tenant_id: tenant.id,
      name,
      token_hash: services.keyring.hash(token),
      hint: hintOf(prefix, token),
      role,
      status: 'active',
      created_by_id: creator.id,
      created_at: at,
      expires_at: expiresAt,
      last_used_at: null,
      revoked_at: null,
    };
    await insertRow(tx, 'tenant_access_tokens', row);
    const changes = createdFields(row, ['name', 'role', 'expires_at']);
    await recordTenantAudit(tx, tenant.id, actor, { ...auditOf(row.id, 'ACCESS_TOKEN.CREATED'), changes, at });
    return { ...row, creator_role: creator.role, creator_name: null };
  });
  await completeTenantAudit(services, tenant.id);
  return { row: created, token };
}

/** Checks the role again under the lock, because the creator may have lost it since the guard read it. */
function assertMayCreate({ id }: Actor, role: TenantRole | undefined) {
  if (id !== null && role !== undefined && isTenantAllowed(role, 'administration', 'POST')) return { id, role };
  const message = 'Only owners and admins can create access tokens. Ask an owner of this tenant to do it.';
  throw new AppError('AUTH.ROLE_REQUIRED', message);
}

function tooMany(): AppError {
  const message = `A tenant can have at most ${activeTokensMax} active access tokens. Revoke those that are not in use.`;
  return new AppError('ACCESS_TOKEN.TOO_MANY', message);
}

/**
 * Revokes an access token permanently, from the next request on. A repeated call changes nothing and records nothing.
 * Throws 404 `RESOURCE.NOT_FOUND`.
 */
export function revokeAccessToken(services: Services, tenant: Tenant, actor: Actor, id: string): Promise<void> {
  return revokeCredential(services, {
    table: 'tenant_access_tokens',
    tenantId: tenant.id,
    id,
    notFound: accessTokenNotFound,
    async record(tx, _row, at) {
      const changes = [{ field: 'status', old: 'active', new: 'revoked' }];
      await recordTenantAudit(tx, tenant.id, actor, { ...auditOf(id, 'ACCESS_TOKEN.REVOKED'), changes, at });
    },
  });
}

/** Returns the same error for a token that does not exist and for a token of another tenant. */
export function accessTokenNotFound(): AppError {
  return new AppError('RESOURCE.NOT_FOUND', 'There is no such access token. List the access tokens to find its id.');
}

export type { AccessTokenRecord } from './queries.ts';

/**
 * Returns the access token with this secret, and its tenant in any status; undefined for a token that is unknown,
 * revoked or expired. It is read from the database on every request, so that a revocation applies immediately.
 */
export async function findAccessToken(services: Services, token: string): Promise<AccessTokenRecord | undefined> {
  const record = await findByHash(services, token);
  if (record === undefined || record.expires_at === null) return record;
  return record.expires_at > services.clock.now() ? record : undefined;
}

/** If the token matches under a previous application key, stores its hash under the current one. */
async function findByHash({ keyring, platform }: Services, token: string): Promise<AccessTokenRecord | undefined> {
  const record = await findActiveToken(platform, keyring.hash(token));
  if (record !== undefined) return record;
  return await findUnderPreviousKeys(keyring, token, {
    find: (previousHash) => findActiveToken(platform, previousHash),
    rehash: ({ token_id }, currentHash) =>
      updateRows(platform.query, 'tenant_access_tokens', token_id, { token_hash: currentHash }),
  });
}

/** Returns the access token as the actor of a change: of type `user`, with the token's id and its creator. */
export function accessTokenActor(
  { token_id: id, created_by_id: createdBy }: AccessTokenRecord,
  { id: requestId, ip }: { readonly id: string; readonly ip: string },
): Actor {
  return { type: 'user', id, createdBy, requestId, ip };
}

/** Returns the error for a route that only people may use. */
export function personRequired(): AppError {
  return new AppError('AUTH.ROLE_REQUIRED', 'An access token cannot do this. Log in as a person and use that token.');
}
