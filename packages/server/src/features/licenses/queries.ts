import type { ExpressionBuilder, Kysely, NotNull } from 'kysely';
import type { TenantDb, TenantTransaction } from '../../db/database.ts';
import { forUpdate } from '../../db/dialect.ts';
import type { LicensesTable, TenantTables } from '../../db/tables.ts';
import { paginate } from '../../http/cursor.ts';
import type { Timestamp } from '../../lib/clock.ts';
import type { LicenseStatus } from './license-status.ts';
import type { LicensesQuery } from './schemas.ts';

/** A license with the number of its activations that count. */
export interface CountedLicense extends LicensesTable {
  readonly activations_count: number;
}

/** Licenses that are not deleted, with the activations that count at `now`. */
function selectLicenses(db: Kysely<TenantTables>, now: Timestamp) {
  return db
    .selectFrom('licenses')
    .selectAll('licenses')
    .select((eb) =>
      eb
        .selectFrom('activations')
        .select((count) => count.fn.countAll<number>().as('count'))
        .whereRef('activations.license_id', '=', 'licenses.id')
        .where('activations.released_at', 'is', null)
        .where((lease) =>
          lease.or([
            lease('activations.lease_expires_at', 'is', null),
            lease('activations.lease_expires_at', '>', now),
          ]),
        )
        .as('activations_count'),
    )
    .$narrowType<{ activations_count: NotNull }>()
    .where('licenses.deleted_at', 'is', null);
}

/** `deriveStatus` in SQL. */
function hasStatus(eb: ExpressionBuilder<TenantTables, 'licenses'>, status: LicenseStatus, now: Timestamp) {
  if (status === 'suspended' || status === 'revoked') return eb('status', '=', status);
  const active = eb('status', '=', 'active');
  if (status === 'pending') return eb.and([active, eb('starts_at', '>', now)]);
  const started = eb.and([active, eb('starts_at', '<=', now)]);
  if (status === 'expired') return eb.and([started, eb('expires_at', '<=', now)]);
  return eb.and([started, eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)])]);
}

const equalFilters = ['product_id', 'policy_id', 'key', 'holder_email', 'holder_reference'] as const;

export function listLicenses(db: TenantDb, filters: LicensesQuery, now: Timestamp): Promise<CountedLicense[]> {
  let query = selectLicenses(db.query, now);
  for (const column of equalFilters) {
    const value = filters[column];
    if (value !== undefined) query = query.where(column, '=', value);
  }
  const { status } = filters;
  if (status !== undefined) query = query.where((eb) => hasStatus(eb, status, now));
  return paginate(query, filters, 'licenses.created_at').execute();
}

export function findLicense(db: Kysely<TenantTables>, id: string, now: Timestamp): Promise<CountedLicense | undefined> {
  return selectLicenses(db, now).where('licenses.id', '=', id).executeTakeFirst();
}

/** Reads a license and keeps others from changing it, and from activating it, until the transaction ends. */
export function lockLicense(
  tx: TenantTransaction,
  column: 'id' | 'key',
  value: string,
): Promise<LicensesTable | undefined> {
  const query = tx.selectFrom('licenses').selectAll().where('deleted_at', 'is', null).where(column, '=', value);
  return forUpdate(tx, query).executeTakeFirst();
}

export async function createLicenseRow(tx: TenantTransaction, row: LicensesTable): Promise<void> {
  await tx.insertInto('licenses').values(row).execute();
}

/** Writes a changed license. `last_validated_at` is left to `recordValidations`, which may run at the same time. */
export async function updateLicenseRow(tx: TenantTransaction, row: LicensesTable): Promise<void> {
  const { id, last_validated_at: _writtenBehind, ...columns } = row;
  await tx.updateTable('licenses').set(columns).where('id', '=', id).execute();
}

/** Stores when licenses were validated, and never an older moment over a newer one. */
export async function recordValidations(
  tx: TenantTransaction,
  validations: ReadonlyMap<string, Timestamp>,
): Promise<void> {
  // In the order of ids, so that two nodes that flush the same licenses lock their rows in the same order.
  const ordered = [...validations].sort(([left], [right]) => (left < right ? -1 : 1));
  await Promise.all(
    ordered.map(([id, at]) =>
      tx
        .updateTable('licenses')
        .set({ last_validated_at: at })
        .where('id', '=', id)
        .where((eb) => eb.or([eb('last_validated_at', 'is', null), eb('last_validated_at', '<', at)]))
        .execute(),
    ),
  );
}
