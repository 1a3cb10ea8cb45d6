import type { PreparedRead, TenantDb, TenantTransaction } from '../../../db/database.ts';
import { forUpdate } from '../../../db/dialect.ts';
import { updateRows } from '../../../db/rows.ts';
import type { SealedColumn } from '../../../db/sealed.ts';
import type { SigningKeysTable } from '../../../db/tables/tenant/administration.ts';
import type { TenantTables } from '../../../db/tables/tenant-tables.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import type { ActiveSigningKey } from './signing-key.ts';

/** Reads the active signing key. A constraint of the table guarantees that it has its private key. */
export const findActiveKey: PreparedRead<TenantTables, ActiveSigningKey> = {
  name: 'find_active_signing_key',
  build: (db) => db.selectFrom('signing_keys').selectAll().where('status', '=', 'active').$castTo<ActiveSigningKey>(),
};

/** Returns the public JWKs, as JSON, of every key that has not retired at `now`. Newest first. */
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

/** Inserts a key unless another one is active. Returns whether it inserted the key. */
export async function createFirstKey(tx: TenantTransaction, row: SigningKeysTable): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('signing_keys')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return Number(numInsertedOrUpdatedRows) > 0;
}

/**
 * Records that the active key signs a certificate that is valid until `until`. Returns false when it changed nothing:
 * the key was replaced, or a later time was recorded already. The caller must then read the key again.
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

/** Replaces the sealed private key, unless the key was rotated or resealed since `before` was read. */
export async function resealKey(db: TenantDb, before: ActiveSigningKey, seal: Seal): Promise<void> {
  await updateRows(db.query, 'signing_keys', { kid: before.kid, sealed_private_jwk: before.sealed_private_jwk }, seal);
}

/**
 * Reads the active key and locks it until the transaction ends. The row of `tenant_identity` is locked first: a second
 * rotation that waited for the row of the key would find it retired, and would not see its successor.
 */
export async function lockActiveKey(tx: TenantTransaction): Promise<SigningKeysTable | undefined> {
  await forUpdate(tx, tx.selectFrom('tenant_identity').select('tenant_id')).execute();
  const active = tx.selectFrom('signing_keys').selectAll().where('status', '=', 'active');
  return await forUpdate(tx, active).executeTakeFirst();
}

/** Deletes the private key of `kid`, inserts its successor, and deletes every key that retired by `at`. */
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

/** The private keys with which tenants sign certificates. */
export const sealedSigningKeys: SealedColumn<TenantTables> = {
  table: 'signing_keys',
  column: 'sealed_private_jwk',
  key: ['kid'],
  fingerprintColumn: 'app_key_fingerprint',
  what: 'signing keys',
};
