import type { Kysely } from 'kysely';
import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import { forUpdate } from '../../../db/dialect.ts';
import type { LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import type { TenantTables } from '../../../db/tables/tenant-tables.ts';
import { type PageRequest, paginate, toPage } from '../../../http/cursor.ts';
import type { Page } from '../../../http/envelope.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { orThrow } from '../../../lib/error.ts';
import { isHeldBy } from './filter-queries.ts';
import { type CountedLicense, type DetailedLicense, firstActivation, withCount } from './queries.ts';
import { licenseNotFound } from './service.ts';

// The licenses of one holder. Every function takes the folded address (`foldEmail`) and sees only licenses with it.

/** A license with the number of its active activations, and what shows whether its term has begun. */
export type HeldLicense = CountedLicense & Pick<DetailedLicense, 'first_activation_id'>;

/** The index on the folded address contains the licenses that are not deleted. */
function licensesOf(db: Kysely<TenantTables>, email: string) {
  return db.selectFrom('licenses').where(isHeldBy(db, email)).where('licenses.deleted_at', 'is', null);
}

function shown(db: Kysely<TenantTables>, email: string, now: Timestamp) {
  return withCount(licensesOf(db, email), now).select(firstActivation.as('first_activation_id'));
}

/** Returns one page of the licenses of a holder, newest first. */
export async function listHeldLicenses(
  db: TenantDb,
  email: string,
  page: PageRequest,
  now: Timestamp,
): Promise<Page<HeldLicense>> {
  const query = paginate(shown(db.query, email, now), page, 'licenses.created_at');
  return toPage(await query.execute(), page.limit);
}

/** Returns a license of a holder. Throws 404 `LICENSE.NOT_FOUND`, also for a license of somebody else. */
export async function readHeldLicense(db: TenantDb, email: string, id: string, now: Timestamp): Promise<HeldLicense> {
  const query = shown(db.query, email, now).where('licenses.id', '=', id);
  const license = orThrow(await query.executeTakeFirst(), licenseNotFound);
  return license;
}

/** Locks a license of a holder and returns it. Throws 404 `LICENSE.NOT_FOUND`, also for a license of somebody else. */
export async function lockHeldLicense(tx: TenantTransaction, email: string, id: string): Promise<LicensesTable> {
  const query = licensesOf(tx, email).selectAll('licenses').where('licenses.id', '=', id);
  const license = orThrow(await forUpdate(tx, query).executeTakeFirst(), licenseNotFound);
  return license;
}

/** Returns the address of a holder as the newest license has it; undefined if there is no license with it. */
export async function findHolderAddress(db: TenantDb, email: string): Promise<string | undefined> {
  const newest = licensesOf(db.query, email)
    .select('licenses.holder_email')
    .orderBy('licenses.created_at', 'desc')
    .orderBy('licenses.id', 'desc')
    .limit(1);
  return (await newest.executeTakeFirst())?.holder_email ?? undefined;
}

/** Returns the address of the holder of a license, or null. Throws 404 `LICENSE.NOT_FOUND`. */
export async function readHolderEmail(db: TenantDb, id: string): Promise<string | null> {
  const query = db.query.selectFrom('licenses').select('holder_email').where('id', '=', id);
  const license = orThrow(await query.where('deleted_at', 'is', null).executeTakeFirst(), licenseNotFound);
  return license.holder_email;
}
