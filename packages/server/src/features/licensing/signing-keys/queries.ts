import type { PreparedRead, TenantDb, TenantTransaction } from '../../../db/database.ts';
import { forUpdate } from '../../../db/dialect.ts';
import type { SigningKeysTable } from '../../../db/tables/tenant/signing-keys.ts';
import type { TenantTables } from '../../../db/tables/tenant-tables.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import type { ActiveSigningKey } from './signing-key.ts';

/** The key that signs. A constraint of the table says that an active key has its private half. */
export const findActiveKey: PreparedRead<TenantTables, ActiveSigningKey> = {
  name: 'find_active_signing_key',
  build: (db) => db.selectFrom('signing_keys').selectAll().where('status', '=', 'active').$castTo<ActiveSigningKey>(),
};

/** The public halves that verify what is valid at `now`, the newest first. */
export async function listPublicKeys(db: TenantDb, now: Timestamp): Promise<string[]> {
  const rows = await db.query
    .selectFrom('signing_keys')
    .select('public_jwk_json')
    .where((key) => key.or([key('retires_at', 'is', null), key('retires_at', '>', now)]))
    .orderBy('created_at', 'desc')
    .orderBy('kid')
    .execute();
  return rows.map((row) => row.public_jwk_json);
}

/** Writes a key unless another one is active; answers whether it did. */
export async function createFirstKey(tx: TenantTransaction, row: SigningKeysTable): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('signing_keys')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return Number(numInsertedOrUpdatedRows) > 0;
}

/**
 * Notes that an active key signs something that is valid until `until`. Answers false when there is nothing to note:
 * the key was replaced, or somebody noted a later moment; read it again.
 */
export async function extendCertificates(db: TenantDb, kid: string, until: Timestamp): Promise<boolean> {
  const { numUpdatedRows } = await db.query
    .updateTable('signing_keys')
    .set({ certificates_expire_at: until })
    .where('kid', '=', kid)
    .where('status', '=', 'active')
    .where('certificates_expire_at', '<', until)
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows) > 0;
}

type Seal = Pick<SigningKeysTable, 'sealed_private_jwk' | 'app_key_fingerprint'>;

/** Replaces the sealed private half, unless the key was replaced or sealed anew in the meantime. */
export async function resealKey(db: TenantDb, before: ActiveSigningKey, seal: Seal): Promise<void> {
  await db.query
    .updateTable('signing_keys')
    .set(seal)
    .where('kid', '=', before.kid)
    .where('sealed_private_jwk', '=', before.sealed_private_jwk)
    .execute();
}

/**
 * The active key, locked until the transaction ends. The identity's row is locked before: a second rotation that
 * waited for the key itself would find it replaced, and no other.
 */
export async function lockActiveKey(tx: TenantTransaction): Promise<SigningKeysTable | undefined> {
  await forUpdate(tx, tx.selectFrom('tenant_identity').select('tenant_id')).execute();
  const active = tx.selectFrom('signing_keys').selectAll().where('status', '=', 'active');
  return await forUpdate(tx, active).executeTakeFirst();
}

/** Takes the private half of a key away and writes its successor; forgets keys that retired before `at`. */
export async function replaceKey(
  tx: TenantTransaction,
  kid: string,
  retiresAt: Timestamp,
  successor: SigningKeysTable,
  at: Timestamp,
): Promise<void> {
  await tx.deleteFrom('signing_keys').where('retires_at', '<=', at).execute();
  await tx
    .updateTable('signing_keys')
    .set({ status: 'retiring', retires_at: retiresAt, sealed_private_jwk: null, app_key_fingerprint: null })
    .where('kid', '=', kid)
    .execute();
  await tx.insertInto('signing_keys').values(successor).execute();
}
