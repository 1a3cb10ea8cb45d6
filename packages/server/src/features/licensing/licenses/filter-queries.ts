import { type Expression, expressionBuilder, type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import { foldedEmail } from '../../../db/dialect.ts';
import { keyCharacters, keyEndTerm, metadataKeyTerm, metadataValueTerm } from '../../../db/search/index-terms.ts';
import {
  type Filter,
  type ListFilterPlan,
  type OrderedFilterPlan,
  planListFilters,
  planOrderedFilters,
} from '../../../db/search/list-filter-plan.ts';
import { afterEveryCharacter, termFilter, textFilters } from '../../../db/search/search-terms.ts';
import type { LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import type { TenantTables } from '../../../db/tables/tenant-tables.ts';
import type { ListOrder } from '../../../http/cursor.ts';
import { toStoredTimestamp } from '../../../http/timestamp.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';
import { foldEmail } from '../../../lib/email.ts';
import { validationError } from '../../../lib/error.ts';
import { valueFilterNames } from './columns.ts';
import { otherSpellings } from './license-key.ts';
import type { LicenseStatus } from './license-status.ts';
import type { LicenseFilters, LicenseSort } from './schemas.ts';

type Db = Kysely<TenantTables>;

const equalFilters = ['product_id', 'policy_id', 'batch_id', ...valueFilterNames] as const;

const eb = expressionBuilder<TenantTables, 'licenses'>();

/**
 * Returns a query for the licenses that are not deleted and match every filter at `now`. Each filter can use an index.
 * The caller must select columns and `paginate` by `timeColumn`. Throws 422 for a `metadata_value` without a
 * `metadata_key`.
 */
export async function filterLicenses(
  db: Db,
  given: LicenseFilters,
  now: Timestamp,
): Promise<ListFilterPlan<TenantTables, 'licenses'>> {
  const filters = await withStoredKey(db, withPeriod(given, now));
  const isSelective = valueFilterNames.some((column) => filters[column] !== undefined);
  const all = [...searchFilters(db, filters), ...timeFilters(db, filters, now)];
  const filtered = await planListFilters(
    db,
    'licenses',
    isSelective ? all.map(({ condition }) => ({ condition })) : all,
  );
  const query = equalFilters.reduce((rest, column) => {
    const value = filters[column];
    return value === undefined ? rest : rest.where(isEqual(db, column, value));
  }, filtered.query);
  return { ...filtered, query: query.where('licenses.deleted_at', 'is', null) };
}

/** Returns how a list in another order finds the licenses that are not deleted and match every filter at `now`. */
export async function filterLicensesInOrder(
  db: Db,
  given: LicenseFilters,
  now: Timestamp,
  { by, isByExpiry }: LicenseOrder,
): Promise<OrderedFilterPlan> {
  const filters = await withStoredKey(db, withPeriod(given, now));
  const equal = equalFilters.flatMap((column) => {
    const value = filters[column];
    return value === undefined ? [] : [equalFilter(db, column, value)];
  });
  const { status, ...rest } = filters;
  if (isStored(status)) equal.push(equalFilter(db, 'status', status));
  const timed = timeFilters(db, isStored(status) ? rest : filters, now, eb.not(isNotActive));
  const others = [...searchFilters(db, filters), ...timed].map(asCandidates(db));
  const { few, conditions } = await planOrderedFilters(db, [...equal, ...others]);
  const all = [...conditions, eb('licenses.deleted_at', 'is', null)];
  if (few !== undefined || !isByExpiry) return { few, conditions: all };
  const { after, before } = expiryRange(filters, now);
  if (after !== undefined) all.push(sql<SqlBool>`${by} >= ${after}`);
  if (before !== undefined) all.push(sql<SqlBool>`${by} <= ${before}`);
  return { few, conditions: all };
}

/** Replaces a key as a person typed or pasted it by the stored one. Reads nothing for most filters. */
async function withStoredKey(db: Db, filters: LicenseFilters): Promise<LicenseFilters> {
  const { key, q } = filters;
  return {
    ...filters,
    ...(key !== undefined && { key: await findTypedKey(db, key) }),
    ...(q !== undefined && { q: await findPartOfKey(db, await findTypedKey(db, q)) }),
  };
}

/** Returns a search text of several words with dashes between them, if a key begins or ends like that, and else the text. */
async function findPartOfKey(db: Db, text: string): Promise<string> {
  const words = text.trim().split(/\s+/);
  if (words.length < 2) return text;
  const joined = words.join('-');
  const end = endOfKey(joined);
  const keys = db.selectFrom('licenses').select('id').where('deleted_at', 'is', null).limit(1);
  const startsWith = (start: string) => keys.where('key', '>=', start).where('key', '<', start + afterEveryCharacter);
  for (const start of [joined, joined.toUpperCase()]) {
    if ((await startsWith(start).executeTakeFirst()) !== undefined) return joined;
  }
  if (end === undefined) return text;
  const ends = db.selectFrom('search_terms').select('owner_id').where('term', '>=', end);
  const found = await ends
    .where('term', '<', end + afterEveryCharacter)
    .limit(1)
    .executeTakeFirst();
  return found === undefined ? text : joined;
}

/** A shorter end of a key has too many of them. */
const keyEndMin = 4;

/** Returns the prefix of the terms of keys that end like this; undefined for a text that no key ends with. */
function endOfKey(text: string): string | undefined {
  const isKey = /^[\x21-\x7e]+$/.test(text) && !text.includes('@');
  return isKey && keyCharacters(text).length >= keyEndMin ? keyEndTerm(text) : undefined;
}

/** Replaces a number of days by the period from `now` on that it means. */
function withPeriod({ expires_within_days: days, ...filters }: LicenseFilters, now: Timestamp): LicenseFilters {
  if (days === undefined) return filters;
  const until = addDays(now, days);
  const { expires_after: after, expires_before: before } = filters;
  return {
    ...filters,
    expires_after: after === undefined || toStoredTimestamp(after) < now ? now : after,
    expires_before: before === undefined || toStoredTimestamp(before) > until ? until : before,
  };
}

/**
 * Returns the key of the license that a text means, if the text is a key as a person typed or pasted it, and else the
 * text. Reads nothing for a text that can only mean itself.
 */
export async function findTypedKey(db: Db, text: string): Promise<string> {
  const others = otherSpellings(text);
  if (others.length === 0) return text;
  const licenses = db.selectFrom('licenses').select('key').where('deleted_at', 'is', null);
  const found = await licenses.where('key', 'in', [text, ...others]).execute();
  const keys = found.map((license) => license.key);
  return keys.includes(text) ? text : (keys[0] ?? text);
}

/** Returns true for the statuses that do not follow from the time. */
function isStored(status: LicenseStatus | undefined): status is 'suspended' | 'revoked' {
  return status === 'suspended' || status === 'revoked';
}

function isValueFilter(column: string): boolean {
  return (valueFilterNames as readonly string[]).includes(column);
}

/** The condition for the licenses of one address. Together with a condition on `deleted_at` an index serves it. */
export function isHeldBy(db: Kysely<TenantTables>, email: string) {
  const folded = foldedEmail(db, 'licenses.holder_email');
  return sql<SqlBool>`(licenses.holder_email is not null and ${folded} = ${foldEmail(email)})`;
}

type EqualColumn = (typeof equalFilters)[number] | 'status';

function isEqual(db: Db, column: EqualColumn, value: string): Expression<SqlBool> {
  return column === 'holder_email' ? isHeldBy(db, value) : eb(`licenses.${column}`, '=', value);
}

/** A filter of a list in another order. `not` keeps SQLite from reading the licenses from the index on the column. */
function equalFilter(db: Db, column: EqualColumn, value: string): Filter {
  const all = selectPlaces(db)
    .where(isEqual(db, column, value))
    .orderBy('licenses.created_at');
  // The index of a unique column contains only licenses that are not deleted.
  const places = isValueFilter(column) ? all.where('licenses.deleted_at', 'is', null) : all;
  return { condition: eb.not(eb.not(isEqual(db, column, value))), candidates: (limit) => places.limit(limit) };
}

/** Rows in the order of the default list are only candidates of another order. */
function asCandidates(db: Db) {
  return ({ condition, inListOrder, candidates }: Filter): Filter => {
    if (candidates !== undefined || inListOrder === undefined) return { condition, ...(candidates && { candidates }) };
    return {
      condition,
      candidates: (limit) =>
        db.selectFrom(inListOrder.as('listed')).selectAll().orderBy('listed.created_at').limit(limit),
    };
  };
}

/** Returns a range of `expires_at` that contains every license that the filters match. */
function expiryRange({ status, expires_before, expires_after }: LicenseFilters, now: Timestamp): ExpiryRange {
  const after = [
    ...(expires_after === undefined ? [] : [toStoredTimestamp(expires_after)]),
    ...(status === 'active' ? [now] : []),
  ].sort();
  const before = [
    ...(expires_before === undefined ? [] : [toStoredTimestamp(expires_before)]),
    ...(status === 'expired' ? [now] : []),
  ].sort();
  const [latest, earliest] = [after.at(-1), before[0]];
  return { ...(latest !== undefined && { after: latest }), ...(earliest !== undefined && { before: earliest }) };
}

function searchFilters(db: Db, { q, metadata_key, metadata_value }: LicenseFilters): Filter[] {
  const filters =
    q === undefined ? [] : textFilters(db, { table: 'licenses', scope: 'license', text: q, otherTerm: endOfKey });
  if (metadata_key === undefined) {
    if (metadata_value === undefined) return filters;
    throw validationError({ field: 'metadata_key', message: 'Enter the key that the value belongs to.' });
  }
  const term =
    metadata_value === undefined ? metadataKeyTerm(metadata_key) : metadataValueTerm(metadata_key, metadata_value);
  return [...filters, termFilter(db, 'licenses', term)];
}

function timeFilters(
  db: Db,
  { status, expires_before, expires_after }: LicenseFilters,
  now: Timestamp,
  isActive: Expression<SqlBool> = eb('licenses.status', '=', 'active'),
): Filter[] {
  const filters = status === undefined ? [] : [statusFilter(db, status, now, isActive)];
  if (expires_before !== undefined || expires_after !== undefined) {
    filters.push(
      expiryFilter(db, {
        ...(expires_before !== undefined && { before: toStoredTimestamp(expires_before) }),
        ...(expires_after !== undefined && { after: toStoredTimestamp(expires_after) }),
      }),
    );
  }
  return filters;
}

// There are two ways to find the licenses of a range (db/search/list-filter-plan.ts): test a condition on every row of
// the list, or read candidates from an index. `not` before a comparison keeps SQLite from using an index on that
// column. A `condition` has `not` before comparisons of times, because the list is scanned in order; `candidates` have
// it before the status, because the index on the time is read. A comparison with null is unknown either way.

const isNotActive = eb('licenses.status', '!=', 'active');

function hasStarted(now: Timestamp): Expression<SqlBool> {
  return eb.not(eb('licenses.starts_at', '>', now));
}

/** Returns the SQL condition that is equivalent to `deriveStatus`. */
function statusFilter(db: Db, status: LicenseStatus, now: Timestamp, isActive: Expression<SqlBool>): Filter {
  if (isStored(status)) return { condition: eb('licenses.status', '=', status) };
  const places = selectPlaces(db).where(eb.not(isNotActive));
  if (status === 'pending') {
    const pending = places.where('licenses.starts_at', '>', now).orderBy('licenses.starts_at');
    return { condition: eb.and([isActive, eb.not(hasStarted(now))]), candidates: (limit) => pending.limit(limit) };
  }
  const started = places.where(hasStarted(now)).orderBy('licenses.expires_at');
  const hasEnded = eb.not(eb('licenses.expires_at', '>', now));
  if (status === 'expired') {
    const expired = started.where('licenses.expires_at', '<=', now);
    return {
      condition: eb.and([isActive, hasStarted(now), hasEnded]),
      candidates: (limit) => expired.limit(limit),
    };
  }
  const isEndless = eb('licenses.expires_at', 'is', null);
  const endless = started.where(isEndless);
  const ending = started.where('licenses.expires_at', '>', now);
  return {
    condition: eb.and([isActive, hasStarted(now), eb.or([isEndless, eb.not(hasEnded)])]),
    candidates: (limit) =>
      db
        .selectFrom(endless.limit(limit).as('endless'))
        .selectAll()
        .unionAll(db.selectFrom(ending.limit(limit).as('ending')).selectAll())
        .limit(limit),
  };
}

interface ExpiryRange {
  readonly before?: Timestamp;
  readonly after?: Timestamp;
}

function expiryFilter(db: Db, { before, after }: ExpiryRange): Filter {
  const conditions: Expression<SqlBool>[] = [];
  let places = selectPlaces(db).orderBy('licenses.expires_at');
  if (before !== undefined) {
    conditions.push(eb.not(eb('licenses.expires_at', '>=', before)));
    places = places.where('licenses.expires_at', '<', before);
  }
  if (after !== undefined) {
    conditions.push(eb.not(eb('licenses.expires_at', '<', after)));
    places = places.where('licenses.expires_at', '>=', after);
  }
  return { condition: eb.and(conditions), candidates: (limit) => places.limit(limit) };
}

function selectPlaces(db: Db) {
  return db.selectFrom('licenses').select(['licenses.created_at', 'licenses.id']);
}

type OrderedColumns = Pick<LicensesTable, 'id' | 'created_at' | 'expires_at'>;

/** An order of the list of licenses. */
export interface LicenseOrder extends ListOrder<OrderedColumns> {
  readonly isByExpiry: boolean;
}

/** Sorts a license without an end after every other. The index `licenses_by_expiry` contains the same expression. */
const never: Timestamp = '9999-12-31T23:59:59.999999Z';
const expiry = sql<string>`coalesce(licenses.expires_at, ${sql.lit(never)})`;

function order(
  name: LicenseSort,
  by: RawBuilder<string>,
  orderedValue: (row: OrderedColumns) => Timestamp,
): LicenseOrder {
  return {
    name,
    by,
    id: 'licenses.id',
    direction: name.startsWith('-') ? 'desc' : 'asc',
    isByExpiry: by === expiry,
    positionOf: (row) => [name, orderedValue(row), row.id],
  };
}

const expiryOf = ({ expires_at }: OrderedColumns) => expires_at ?? never;

/** The orders of the list of licenses, except the default one. */
export const licenseOrders: Readonly<Record<Exclude<LicenseSort, '-created_at'>, LicenseOrder>> = {
  created_at: order('created_at', sql.ref('licenses.created_at'), ({ created_at }) => created_at),
  expires_at: order('expires_at', expiry, expiryOf),
  '-expires_at': order('-expires_at', expiry, expiryOf),
};

/** Counts the licenses of a batch that were ever validated or activated. */
export async function countUsedRows(db: Kysely<TenantTables>, batchId: string): Promise<number> {
  const used = db
    .selectFrom('licenses')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('batch_id', '=', batchId)
    .where('deleted_at', 'is', null)
    .where((eb) =>
      eb.or([
        eb('last_validated_at', 'is not', null),
        eb.exists(eb.selectFrom('activations').select('id').whereRef('license_id', '=', 'licenses.id')),
      ]),
    );
  return Number((await used.executeTakeFirstOrThrow()).count);
}
