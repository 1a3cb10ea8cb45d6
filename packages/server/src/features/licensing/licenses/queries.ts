import {
  type Expression,
  expressionBuilder,
  type Kysely,
  type NotNull,
  type SelectQueryBuilder,
  type SqlBool,
  sql,
} from 'kysely';
import type { PreparedRead, TenantDb, TenantTransaction } from '../../../db/database.ts';
import { forUpdate, isPostgres, lockRows, rowsOf, textAt } from '../../../db/dialect.ts';
import { insertRows } from '../../../db/insert-rows.ts';
import { firstIn } from '../../../db/prepared-queries.ts';
import { licenseTerms } from '../../../db/search/index-terms.ts';
import { noLimit, type OrderedFilterPlan, type Rows } from '../../../db/search/list-filter-plan.ts';
import { addSearchTerms, replaceSearchTerms } from '../../../db/search/search-terms.ts';
import { executeForEach } from '../../../db/statements.ts';
import type { LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import type { PoliciesTable } from '../../../db/tables/tenant/policies.ts';
import type { TenantTables } from '../../../db/tables/tenant-tables.ts';
import { type PageRequest, pageOf, paginate, paginateBy, sortBy, toPage } from '../../../http/cursor.ts';
import type { Page } from '../../../http/envelope.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import type { UniqueColumn } from './columns.ts';
import { filterLicenses, filterLicensesInOrder, type LicenseOrder, licenseOrders } from './filter-queries.ts';
import type { LicenseFilters, LicensesQuery } from './schemas.ts';

/** A license with the number of its active activations. */
export interface CountedLicense extends LicensesTable {
  readonly activations_count: number;
}

/** A license with what a page of it shows of its product and its policy. */
export interface DetailedLicense extends CountedLicense {
  readonly product_name: string;
  readonly policy_name: string;
  readonly policy_max_activations: number | null;
  readonly policy_activation_overage_percent: number | null;
  readonly policy_expiry_basis: PoliciesTable['expiry_basis'];
  readonly policy_duration_days: number | null;
  readonly policy_duration_months: number | null;
  readonly policy_ends_with_month: PoliciesTable['ends_with_month'];
  /** Null if no device was ever activated. */
  readonly first_activation_id: string | null;
  /** Since when devices are refused because every seat is taken. */
  readonly refused_since: Timestamp | null;
}

type Licenses = Rows<TenantTables, 'licenses'>;

const eb = expressionBuilder<TenantTables, 'licenses'>();

/** Selects every column of the licenses, and the number of activations that are active at `now`. */
export function withCount(licenses: Licenses, now: Timestamp) {
  return licenses
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
    .$narrowType<{ activations_count: NotNull }>();
}

/** An activation of the license, whatever became of it; null if no device was ever activated. */
export const firstActivation = eb
  .selectFrom('activations as earlier')
  .select('earlier.id')
  .whereRef('earlier.license_id', '=', 'licenses.id')
  .limit(1);

/** A column of the policy of the license, as `policy_` and its name. */
function ofPolicy<Column extends keyof PoliciesTable>(column: Column) {
  return eb
    .selectFrom('policies')
    .select(`policies.${column}`)
    .whereRef('policies.id', '=', 'licenses.policy_id')
    .as(`policy_${column}`);
}

/**
 * Selects the same, and the columns of the product and the policy. Subqueries read them only for the rows of the page,
 * and leave the order in which the database reads the licenses as it is.
 */
export function withDetails(licenses: Licenses, now: Timestamp) {
  return withCount(licenses, now)
    .select((eb) => [
      eb
        .selectFrom('products')
        .select('products.name')
        .whereRef('products.id', '=', 'licenses.product_id')
        .as('product_name'),
      ofPolicy('name'),
      ofPolicy('max_activations'),
      ofPolicy('activation_overage_percent'),
      ofPolicy('expiry_basis'),
      ofPolicy('duration_days'),
      ofPolicy('duration_months'),
      ofPolicy('ends_with_month'),
      firstActivation.as('first_activation_id'),
      eb
        .selectFrom('license_refusals')
        .select('license_refusals.refused_since')
        .whereRef('license_refusals.license_id', '=', 'licenses.id')
        .as('refused_since'),
    ])
    .$narrowType<{
      product_name: NotNull;
      policy_name: NotNull;
      policy_expiry_basis: NotNull;
      policy_ends_with_month: NotNull;
    }>();
}

/** Returns one page of the licenses that match every filter, newest first, and one row more, which `toPage` removes. */
export async function listLicenseRows(
  db: TenantDb,
  filters: LicenseFilters & PageRequest,
  now: Timestamp,
): Promise<LicensesTable[]> {
  const { query, timeColumn, isGathered } = await filterLicenses(db.query, filters, now);
  if (!isGathered) return await paginate(query.selectAll('licenses'), filters, timeColumn).execute();
  const page = paginate(query.select('licenses.id'), filters, timeColumn);
  return await newestFirst(db.query.selectFrom('licenses').selectAll().where('licenses.id', 'in', page)).execute();
}

/** Counts at most `most` licenses that match every filter. */
export async function countLicenseRows(
  db: TenantDb,
  filters: LicenseFilters,
  now: Timestamp,
  most: number,
): Promise<number> {
  const { query } = await filterLicenses(db.query, filters, now);
  const matching = query.select('licenses.id').limit(most);
  const counted = db.query.selectFrom(matching.as('matching')).select((eb) => eb.fn.countAll<number>().as('count'));
  return Number((await counted.executeTakeFirstOrThrow()).count);
}

function newestFirst<Row>(licenses: SelectQueryBuilder<TenantTables, 'licenses', Row>) {
  return licenses.orderBy('licenses.created_at', 'desc').orderBy('licenses.id', 'desc');
}

/** The query of the list, and the ids to which an export limits it. */
type DetailsQuery = LicensesQuery & { readonly ids?: readonly string[] };

/** Returns one page of the licenses that match every filter, in the order of `sort`. */
export async function listLicenseDetails(
  db: TenantDb,
  { sort = '-created_at', ids, ...filters }: DetailsQuery,
  now: Timestamp,
): Promise<Page<DetailedLicense>> {
  const isListed: Expression<SqlBool>[] = ids === undefined ? [] : [eb('licenses.id', 'in', ids)];
  const details = (licenses: Licenses) => withDetails(licenses, now);
  const all = () => db.query.selectFrom('licenses');
  if (sort === '-created_at') {
    const { query: matching, timeColumn, isGathered } = await filterLicenses(db.query, filters, now);
    const query = matching.where((where) => where.and(isListed));
    const page = isGathered ? paginate(query.select('licenses.id'), filters, timeColumn) : undefined;
    const rows = page
      ? newestFirst(details(all()).where('licenses.id', 'in', page))
      : paginate(details(query), filters, timeColumn);
    return toPage(await rows.execute(), filters.limit);
  }
  const order = licenseOrders[sort];
  const { few, conditions } = await filterLicensesInOrder(db.query, filters, now, order);
  const matching = (licenses: Licenses) => licenses.where((eb) => eb.and([...conditions, ...isListed]));
  const rows =
    few === undefined
      ? paginateBy(details(matching(all())), filters, order)
      : sortBy(details(all()).where('licenses.id', 'in', pageOfFew(db, few, matching, filters, order)), order);
  return pageOf(await rows.execute(), filters.limit, (row) => order.positionOf(row));
}

/**
 * Returns the ids of a page of the matching licenses among a few. Their places are read one by one: PostgreSQL would
 * read the whole table for a join with thousands of rows.
 */
function pageOfFew(
  db: TenantDb,
  few: NonNullable<OrderedFilterPlan['few']>,
  matching: (licenses: Licenses) => Licenses,
  page: PageRequest,
  order: LicenseOrder,
) {
  const place = matching(db.query.selectFrom('licenses'))
    .select(order.by.as('place'))
    .where(sql<boolean>`licenses.id = found.id`);
  const placed = db.query
    .selectFrom(few.as('found'))
    .select(['found.id', place.as('place')])
    .limit(noLimit)
    .as('placed');
  const query = db.query.selectFrom(placed).select('placed.id').where('placed.place', 'is not', null);
  return paginateBy(query, page, { ...order, by: sql.ref('placed.place'), id: 'placed.id' });
}

/** Returns the license, or undefined when it does not exist or was deleted. */
export function findLicense(db: Kysely<TenantTables>, id: string, now: Timestamp): Promise<CountedLicense | undefined> {
  return withCount(db.selectFrom('licenses'), now)
    .where('licenses.id', '=', id)
    .where('licenses.deleted_at', 'is', null)
    .executeTakeFirst();
}

/** Returns the key of a license, or undefined when it does not exist or was deleted. */
export async function findLicenseKey(db: Kysely<TenantTables>, id: string): Promise<string | undefined> {
  const query = db.selectFrom('licenses').select('key').where('id', '=', id).where('deleted_at', 'is', null);
  return (await query.executeTakeFirst())?.key;
}

/** Returns the ids of the license with this key and of its product; undefined if it does not exist or was deleted. */
export function findLicenseByKey(db: Kysely<TenantTables>, key: string) {
  const query = db.selectFrom('licenses').select(['id', 'product_id']);
  return query.where('key', '=', key).where('deleted_at', 'is', null).executeTakeFirst();
}

/** Returns the license with its details, or undefined when it does not exist or was deleted. */
export function findLicenseDetails(
  db: Kysely<TenantTables>,
  id: string,
  now: Timestamp,
): Promise<DetailedLicense | undefined> {
  return withDetails(db.selectFrom('licenses'), now)
    .where('licenses.id', '=', id)
    .where('licenses.deleted_at', 'is', null)
    .executeTakeFirst();
}

/** Returns the licenses with these ids that are not deleted, in no particular order. */
export function findLicenses(
  db: Kysely<TenantTables>,
  ids: readonly string[],
  now: Timestamp,
): Promise<CountedLicense[]> {
  return withCount(db.selectFrom('licenses'), now)
    .where('licenses.id', 'in', ids)
    .where('licenses.deleted_at', 'is', null)
    .execute();
}

/** Reads a license that is not deleted and locks its row until the transaction ends. */
export function lockLicense(
  tx: TenantTransaction,
  column: 'id' | 'key',
  value: string,
): Promise<LicensesTable | undefined> {
  return firstIn(tx, lockedLicense[column], [value]);
}

const lockedLicense = { id: lockedLicenseBy('id'), key: lockedLicenseBy('key') };

function lockedLicenseBy(column: 'id' | 'key'): PreparedRead<TenantTables, LicensesTable> {
  return {
    name: `lock_license_by_${column}`,
    build: (db, parameter) =>
      forUpdate(
        db,
        db.selectFrom('licenses').selectAll().where('deleted_at', 'is', null).where(column, '=', parameter(0)),
      ),
  };
}

/** Returns the row of a license, or undefined if it does not exist or was deleted. */
export function findLicenseRow(db: Kysely<TenantTables>, id: string): Promise<LicensesTable | undefined> {
  return db.selectFrom('licenses').selectAll().where('id', '=', id).where('deleted_at', 'is', null).executeTakeFirst();
}

/** Locks several licenses, also deleted ones, in the order of their ids, so that two transactions cannot deadlock. */
export async function lockLicensesById(tx: TenantTransaction, ids: readonly string[]): Promise<void> {
  await forUpdate(tx, tx.selectFrom('licenses').select('id').where('id', 'in', ids).orderBy('id')).execute();
}

/** Inserts licenses and their search terms. Throws a unique violation when a unique value is taken. */
export async function createLicenseRows(tx: TenantTransaction, rows: readonly LicensesTable[]): Promise<void> {
  await insertRows(tx, 'licenses', rows);
  await addSearchTerms(
    tx,
    rows.map((row) => [row, licenseTerms(row)]),
  );
}

/** Returns which of these values of a column existing licenses have. In a transaction this includes its own inserts. */
export async function findTakenValues(
  db: Kysely<TenantTables>,
  { name }: UniqueColumn,
  values: readonly string[],
): Promise<ReadonlySet<unknown>> {
  if (values.length === 0) return new Set();
  const query = db.selectFrom('licenses').select(name).where('deleted_at', 'is', null);
  const rows = await query.where(name, 'in', values).execute();
  return new Set(rows.map((row) => row[name]));
}

/** Updates a license and its search terms, except `last_validated_at`, which `recordValidations` may be writing. */
export async function updateLicenseRow(tx: TenantTransaction, row: LicensesTable): Promise<void> {
  const { id, last_validated_at: _writtenBehind, ...columns } = row;
  await tx.updateTable('licenses').set(columns).where('id', '=', id).execute();
  await replaceSearchTerms(tx, row, licenseTerms(row));
}

/**
 * Counts a self-service deactivation in `deactivations_count`, which the policy's `max_deactivations` limits. The
 * caller must have locked the license.
 */
export async function countDeactivation(tx: TenantTransaction, licenseId: string): Promise<void> {
  await tx
    .updateTable('licenses')
    .set((eb) => ({ deactivations_count: eb('deactivations_count', '+', 1) }))
    .where('id', '=', licenseId)
    .execute();
}

/** Stores `last_validated_at` by license id. Never replaces a newer time by an older one. */
export async function recordValidations(
  tx: TenantTransaction,
  validations: ReadonlyMap<string, Timestamp>,
): Promise<void> {
  // Sorted by id, so that two nodes that flush the same licenses cannot deadlock, and SQLite writes pages sequentially.
  const ordered = [...validations].sort(([left], [right]) => (left < right ? -1 : 1));
  await (isPostgres(tx) ? recordAtOnce(tx, ordered) : recordEach(tx, ordered));
}

/** One statement for all would collect them first, look each license up twice, and save its page for an undo. */
async function recordEach(tx: TenantTransaction, ordered: readonly (readonly [string, Timestamp])[]): Promise<void> {
  const [first] = ordered;
  if (first === undefined) return;
  const [id, at] = first;
  const update = tx
    .updateTable('licenses')
    .set({ last_validated_at: at })
    .where('id', '=', id)
    .where((eb) => eb.or([eb('last_validated_at', 'is', null), eb('last_validated_at', '<', at)]))
    .compile();
  const parameters = ordered.map(([licenseId, validatedAt]) => [validatedAt, licenseId, validatedAt]);
  await executeForEach(tx, update, parameters);
}

async function recordAtOnce(tx: TenantTransaction, ordered: readonly (readonly [string, Timestamp])[]): Promise<void> {
  const validated = sql<{
    id: string;
    at: Timestamp;
  }>`(select ${textAt(0)} as id, ${textAt(1)} as at from ${rowsOf(tx, ordered)})`;
  const listed = tx.selectFrom(validated.as('listed')).select('listed.id');
  await lockRows(tx, tx.selectFrom('licenses').select('id').where('id', 'in', listed).orderBy('id'));
  await tx
    .updateTable('licenses')
    .from(validated.as('validated'))
    .set((eb) => ({ last_validated_at: eb.ref('validated.at') }))
    .whereRef('licenses.id', '=', 'validated.id')
    .where((eb) => eb.or([eb('last_validated_at', 'is', null), eb('last_validated_at', '<', eb.ref('validated.at'))]))
    .execute();
}

/** Returns the licenses with these ids that are not deleted, by id. Locks them when `isLocking`. */
export async function findLicensesById(
  db: Kysely<TenantTables>,
  ids: readonly string[],
  isLocking: boolean,
): Promise<ReadonlyMap<string, LicensesTable>> {
  if (ids.length === 0) return new Map();
  if (isLocking) {
    const tx = db as TenantTransaction;
    await lockRows(tx, tx.selectFrom('licenses').select('id').where('id', 'in', ids).orderBy('id'));
  }
  const query = db.selectFrom('licenses').selectAll().where('deleted_at', 'is', null);
  return new Map((await query.where('id', 'in', ids).execute()).map((row) => [row.id, row]));
}
