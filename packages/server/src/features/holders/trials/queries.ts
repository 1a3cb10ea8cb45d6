import type { Kysely } from 'kysely';
import type { TenantTransaction } from '../../../db/database.ts';
import { foldedEmail } from '../../../db/dialect.ts';
import type { TrialRequestsTable, TrialsTable } from '../../../db/tables/tenant/trials.ts';
import type { TenantTables } from '../../../db/tables/tenant-tables.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { emailKeys, erasedEmailKey } from './trial-address.ts';

type Db = Kysely<TenantTables>;

/** Returns the trial that a device had of a product, or undefined. */
export function findByDevice(db: Db, productId: string, fingerprint: string): Promise<TrialsTable | undefined> {
  const trials = db.selectFrom('trials').selectAll();
  return trials.where('product_id', '=', productId).where('fingerprint', '=', fingerprint).executeTakeFirst();
}

/** Returns the trial that an address had of a product, also if the address was erased since, or undefined. */
export function findByEmail(db: Db, productId: string, email: string): Promise<TrialsTable | undefined> {
  const trials = db.selectFrom('trials').selectAll().where('product_id', '=', productId);
  return trials.where('email_key', 'in', emailKeys(productId, email)).executeTakeFirst();
}

/** Returns true if a device started the license as a trial that is not converted. */
export async function isOpenTrial(tx: TenantTransaction, licenseId: string): Promise<boolean> {
  const trials = tx.selectFrom('trials').select('id').where('license_id', '=', licenseId);
  return (await trials.where('converted_at', 'is', null).limit(1).executeTakeFirst()) !== undefined;
}

/** Marks the trials of a license as converted. */
export async function markConverted(tx: TenantTransaction, licenseId: string, at: Timestamp): Promise<void> {
  const trials = tx.updateTable('trials').set({ converted_at: at }).where('license_id', '=', licenseId);
  await trials.where('converted_at', 'is', null).execute();
}

/** Returns the request of a device, or undefined. */
export function findRequest(db: Db, productId: string, fingerprint: string): Promise<TrialRequestsTable | undefined> {
  const requests = db.selectFrom('trial_requests').selectAll();
  return requests.where('product_id', '=', productId).where('fingerprint', '=', fingerprint).executeTakeFirst();
}

/** Returns the request with this hash of its code, or undefined. */
export function findRequestByCode(db: Db, codeHashes: readonly string[]): Promise<TrialRequestsTable | undefined> {
  return db.selectFrom('trial_requests').selectAll().where('code_hash', 'in', codeHashes).executeTakeFirst();
}

/** Replaces the request of a device. */
export async function replaceRequest(tx: TenantTransaction, row: TrialRequestsTable): Promise<void> {
  const { product_id, fingerprint } = row;
  const former = tx.deleteFrom('trial_requests').where('product_id', '=', product_id);
  await former.where('fingerprint', '=', fingerprint).execute();
  await tx.insertInto('trial_requests').values(row).execute();
}

/** Counts the trials and the requests since a time, each up to `max`. */
export async function countSince(tx: TenantTransaction, since: Timestamp, max: number): Promise<number> {
  const started = tx.selectFrom('trials').select('id').where('is_first', '=', 1).where('started_at', '>=', since);
  const requested = tx.selectFrom('trial_requests').select('id').where('created_at', '>=', since);
  let count = 0;
  for (const rows of [started.limit(max), requested.limit(max)]) {
    const counted = tx.selectFrom(rows.as('rows')).select((eb) => eb.fn.countAll<number>().as('count'));
    count += Number((await counted.executeTakeFirstOrThrow()).count);
  }
  return count;
}

/** Returns the trials of these licenses, oldest first. */
export async function listTrialsOf(db: Db, licenseIds: readonly string[]): Promise<TrialsTable[]> {
  if (licenseIds.length === 0) return [];
  return await db
    .selectFrom('trials')
    .selectAll()
    .where('license_id', 'in', licenseIds)
    .orderBy('started_at')
    .execute();
}

/** Replaces a folded address in the trials by its hash, and removes its requests. Device and address still had their trial. */
export async function eraseEmailRows(tx: TenantTransaction, emailKey: string): Promise<void> {
  const rows = await tx.selectFrom('trials').select(['id', 'product_id']).where('email_key', '=', emailKey).execute();
  for (const { id, product_id } of rows) {
    const erased = erasedEmailKey(product_id, emailKey);
    await tx.updateTable('trials').set({ email_key: erased }).where('id', '=', id).execute();
  }
  await tx.deleteFrom('trial_requests').where(foldedEmail(tx, 'email'), '=', emailKey).execute();
}

/** The trials that started in a period. */
export interface TrialFigures {
  readonly started: number;
  readonly converted: number;
  /** Seconds from the start to the conversion; null without a conversion. */
  readonly medianSeconds: number | null;
}

/** At most this many trials are read for the figures, the newest ones. */
export const figuresMost = 5_000;

/** Returns the figures of the trials that started since a time. */
export async function readFigures(db: Db, since: Timestamp): Promise<TrialFigures> {
  const rows = await db
    .selectFrom('trials')
    .select(['started_at', 'converted_at'])
    .where('is_first', '=', 1)
    .where('started_at', '>=', since)
    .orderBy('started_at', 'desc')
    .limit(figuresMost)
    .execute();
  const seconds = rows
    .flatMap(({ started_at, converted_at }) =>
      converted_at === null ? [] : [Math.round((Date.parse(converted_at) - Date.parse(started_at)) / 1000)],
    )
    .sort((left, right) => left - right);
  return { started: rows.length, converted: seconds.length, medianSeconds: median(seconds) };
}

function median(sorted: readonly number[]): number | null {
  const [lower, upper] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return lower === undefined || upper === undefined ? null : Math.round((lower + upper) / 2);
}
