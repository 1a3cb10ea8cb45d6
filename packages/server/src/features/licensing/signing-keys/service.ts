import type { TenantDb } from '../../../db/database.ts';
import { type Timestamp, toTimestamp } from '../../../lib/clock.ts';
import { AppError } from '../../../lib/error.ts';
import { isUuid } from '../../../lib/ids.ts';
import type { ClockServices, KeyServices, Services } from '../../../services.ts';
import { type Actor, systemActor } from '../../../tenancy/tenant.ts';
import type { SeedTenant } from '../../../tenancy/tenant-databases.ts';
import { findTenantRecord } from '../../../tenancy/tenant-record.ts';
import { auditsOf, recordAudit } from '../../tenant-core/audit/audit.ts';
import {
  createFirstKey,
  extendCertificates,
  findActiveKey,
  listPublicKeys,
  lockActiveKey,
  replaceKey,
  resealKey,
} from './queries.ts';
import type { PublicJwk } from './schemas.ts';
import {
  type ActiveSigningKey,
  endOfDay,
  generateSigningKey,
  isShortLived,
  retirementOf,
  signWith,
  type Token,
} from './signing-key.ts';

const auditOf = auditsOf('signing_key');

/** A token that ends: `exp` in seconds since the epoch (RFC 7519, section 4.1.4). */
interface ExpiringToken extends Token {
  readonly claims: Token['claims'] & { readonly exp: number };
}

/**
 * Signs a token with the tenant's active key. `publicKeys` contains the public key at least until the token expires, even
 * after rotations. Returns a compact JWS (RFC 7515).
 */
export async function signToken(services: Services, db: TenantDb, token: ExpiringToken): Promise<string> {
  const until = toTimestamp(token.claims.exp * 1000);
  const key = await findKeyUntil(services, db, until);
  await resealIfNeeded(services, db, key);
  return signWith(key.kid, services.privateKeys(key.sealed_private_jwk), token);
}

async function findKeyUntil(services: ClockServices, db: TenantDb, until: Timestamp): Promise<ActiveSigningKey> {
  const key = await requireActiveKey(db);
  if (key.certificates_expire_at >= until || isShortLived(until, services.clock.now())) return key;
  const isExtended = await extendCertificates(db, key.kid, endOfDay(until));
  return isExtended ? key : await findKeyUntil(services, db, until);
}

/**
 * Returns the function that gives a tenant's database its first signing key, unless it has one. Vendors embed the public
 * key in their software, so the key exists before anybody reads it. Concurrent calls create one key.
 */
export function createFirstSigningKey({ clock, keyring }: KeyServices): SeedTenant {
  return async (tx) => {
    const at = clock.now();
    const key = generateSigningKey(keyring, at);
    if (!(await createFirstKey(tx, key))) return;
    await recordAudit(tx, systemActor, { ...auditOf(key.kid, 'SIGNING_KEY.CREATED'), at });
  };
}

/** Returns the active signing key. Throws if there is no active key. */
export async function requireActiveKey(db: TenantDb): Promise<ActiveSigningKey> {
  const active = await db.first(findActiveKey, []);
  if (active !== undefined) return active;
  throw new Error('The tenant has no signing key, although its database was created or migrated with one.');
}

/** Seals the private key again when it was sealed under a previous application key. */
async function resealIfNeeded({ keyring }: KeyServices, db: TenantDb, key: ActiveSigningKey): Promise<void> {
  if (key.app_key_fingerprint === keyring.fingerprint) return;
  const sealed_private_jwk = keyring.seal(keyring.open(key.sealed_private_jwk));
  await resealKey(db, key, { sealed_private_jwk, app_key_fingerprint: keyring.fingerprint });
}

/**
 * Returns the public keys that verify a tenant's certificates, the active one first. A suspended tenant's keys are
 * included, because the software of its customers continues to verify existing certificates. Throws 404
 * `TENANT.NOT_FOUND` for an unknown or closed tenant.
 */
export async function publicKeys(services: Services, tenantId: string): Promise<PublicJwk[]> {
  await assertOpen(services, tenantId);
  return await services.tenants.readTenantDb(tenantId, async (db) => {
    const keys = await listPublicKeys(db, services.clock.now());
    return keys.map((json): PublicJwk => JSON.parse(json));
  });
}

/**
 * Replaces the active key by a new one. The former key signs nothing more. Its public key stays published until every
 * certificate that it signed has expired, at least one day. Returns the new key's id. Throws 404 `TENANT.NOT_FOUND`.
 */
export async function rotateSigningKey(services: Services, actor: Actor, tenantId: string): Promise<string> {
  await assertOpen(services, tenantId);
  return await services.tenants.withTenantDb(tenantId, async (db) => {
    const successor = generateSigningKey(services.keyring, services.clock.now());
    await db.transaction(async (tx) => {
      const former = await lockActiveKey(tx);
      if (former === undefined) throw new Error('The tenant has no active signing key: run the command again.');
      const at = services.clock.now();
      const retiresAt = retirementOf(former, at);
      await replaceKey(tx, former.kid, retiresAt, { ...successor, created_at: at, certificates_expire_at: at }, at);
      const changes = [{ field: 'kid', old: former.kid, new: successor.kid }];
      await recordAudit(tx, actor, { ...auditOf(successor.kid, 'SIGNING_KEY.ROTATED'), changes, at });
    });
    return successor.kid;
  });
}

async function assertOpen({ platform }: Services, tenantId: string): Promise<void> {
  const record = isUuid(tenantId) ? await findTenantRecord(platform, tenantId) : undefined;
  if (record !== undefined && record.status !== 'closed') return;
  throw new AppError('TENANT.NOT_FOUND', 'The tenant does not exist, or it is closed. Check its id.');
}
