import { type Kysely, type SqlBool, sql } from 'kysely';
import type { TenantDb } from '../../../db/database.ts';
import { foldedEmail } from '../../../db/dialect.ts';
import { planOrderedFilters } from '../../../db/search/list-filter-plan.ts';
import { textFilters } from '../../../db/search/search-terms.ts';
import type { LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import type { TenantTables } from '../../../db/tables/tenant-tables.ts';
import { decodeCursor, pageOf, pageSize } from '../../../http/cursor.ts';
import type { Page } from '../../../http/envelope.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { foldEmail } from '../../../lib/email.ts';
import type { CustomersQuery } from './schemas.ts';

/** What the licenses of one address have in common, and their figures. */
export interface CustomerRow extends Pick<LicensesTable, 'holder_name' | 'last_validated_at'> {
  /** The address of the newest license, in its spelling. */
  readonly holder_email: string;
  readonly licenses_count: number;
  readonly active_licenses_count: number;
  readonly active_activations_count: number;
}

// The index `licenses_folded_holder_email` contains the folded address and these conditions. It orders the list, so a
// page reads the licenses of its customers and no others.
const isCounted = sql<SqlBool>`(licenses.deleted_at is null and licenses.holder_email is not null)`;

/** Returns one page of the customers that match the search, by address. Throws 422 for an invalid cursor. */
export async function listCustomers(
  db: TenantDb,
  { q, ...page }: CustomersQuery,
  now: Timestamp,
): Promise<Page<CustomerRow>> {
  const folded = foldedEmail(db.query, 'licenses.holder_email');
  const filters = q === undefined ? [] : textFilters(db.query, { table: 'licenses', scope: 'license', text: q });
  const { few, conditions } = await planOrderedFilters(db.query, filters);
  const found = few === undefined ? undefined : db.query.selectFrom(few.as('found')).select('found.id');
  const keys = await db.query
    .selectFrom('licenses')
    .select(folded.as('folded'))
    .where(isCounted)
    .$if(found !== undefined, (query) => query.where('licenses.id', 'in', found as never))
    .where((eb) => eb.and([...conditions]))
    .$if(page.cursor !== undefined, (query) => query.where(sql<SqlBool>`${folded} > ${positionOf(page.cursor ?? '')}`))
    .groupBy(folded)
    .orderBy(folded)
    .limit(pageSize(page) + 1)
    .execute();
  const { rows, nextCursor } = pageOf(keys, page.limit, (row) => [encodeURIComponent(row.folded)]);
  const customers = await describeCustomers(
    db.query,
    rows.map((row) => row.folded),
    now,
  );
  return { rows: customers, nextCursor };
}

/** Returns a customer; undefined if no license that is not deleted has the address. */
export async function findCustomer(db: TenantDb, email: string, now: Timestamp): Promise<CustomerRow | undefined> {
  return (await describeCustomers(db.query, [foldEmail(email)], now))[0];
}

function positionOf(cursor: string): string {
  const [encoded] = decodeCursor(cursor, isPosition);
  return decodeURIComponent(encoded);
}

function isPosition(values: readonly string[]): values is readonly [string] {
  const [encoded = '', ...rest] = values;
  try {
    return rest.length === 0 && encoded !== '' && encodeURIComponent(decodeURIComponent(encoded)) === encoded;
  } catch {
    return false;
  }
}

/** The seats of a license that are held at `now`. A subquery, so that PostgreSQL reads no other activations. */
function seatsOf(now: Timestamp) {
  return sql<number>`(select count(*) from activations where activations.license_id = licenses.id
    and activations.released_at is null
    and (activations.lease_expires_at is null or activations.lease_expires_at > ${now}))`;
}

/** Returns the customers with these folded addresses, in this order, with two statements. */
async function describeCustomers(
  db: Kysely<TenantTables>,
  emails: readonly string[],
  now: Timestamp,
): Promise<CustomerRow[]> {
  if (emails.length === 0) return [];
  const folded = foldedEmail(db, 'licenses.holder_email');
  const isListed = sql<SqlBool>`${folded} in (${sql.join(emails)})`;
  const ofCustomers = db.selectFrom('licenses').where(isCounted).where(isListed);
  const isActive = sql<SqlBool>`licenses.status = 'active' and licenses.starts_at <= ${now}
    and (licenses.expires_at is null or licenses.expires_at > ${now})`;
  const totals = await ofCustomers
    .select((eb) => [
      folded.as('folded'),
      eb.fn.countAll<number>().as('licenses_count'),
      sql<number>`sum(case when ${isActive} then 1 else 0 end)`.as('active_licenses_count'),
      sql<number>`sum(${seatsOf(now)})`.as('active_activations_count'),
      eb.fn.max('licenses.last_validated_at').as('last_validated_at'),
      // A timestamp has a fixed width, so the newest license has the greatest text.
      sql<string>`max(licenses.created_at || licenses.id)`.as('newest'),
    ])
    .groupBy(folded)
    .execute();
  const newestIds = totals.map(({ newest }) => newest.slice(-36));
  if (newestIds.length === 0) return [];
  const newest = await db
    .selectFrom('licenses')
    .select(['id', 'holder_name', 'holder_email'])
    .where('id', 'in', newestIds)
    .execute();
  const holders = new Map(newest.map(({ id, ...holder }) => [id, holder]));
  const rows = totals.map((row) => ({
    folded: row.folded,
    holder_name: holders.get(row.newest.slice(-36))?.holder_name ?? null,
    holder_email: holders.get(row.newest.slice(-36))?.holder_email ?? row.folded,
    licenses_count: Number(row.licenses_count),
    active_licenses_count: Number(row.active_licenses_count),
    active_activations_count: Number(row.active_activations_count),
    last_validated_at: row.last_validated_at,
  }));
  const order = new Map(emails.map((email, index) => [email, index]));
  return rows
    .sort((left, right) => (order.get(left.folded) ?? 0) - (order.get(right.folded) ?? 0))
    .map(({ folded: _position, ...row }) => row);
}
