import { expressionBuilder, sql } from 'kysely';
import type { TenantDb } from '../../../db/database.ts';
import type { LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import type { TenantTables } from '../../../db/tables/tenant-tables.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { latestTimestamp } from '../../../lib/duration.ts';

// A statement blocks an embedded database, so each one reads one page of an index, which begins after the page before.

/** Rows per statement: about 5 ms, as each needs up to four rows of indexes and tables at random places. */
const pageRows = 200;

/** A license as it is now. */
export interface FiguredLicense
  extends Pick<LicensesTable, 'id' | 'product_id' | 'status' | 'created_at' | 'expires_at' | 'deleted_at'> {
  /** Until when it is a trial that a device started; null for any other license. */
  readonly trial_until: Timestamp | null;
}

const columns = [
  'licenses.id',
  'licenses.product_id',
  'licenses.status',
  'licenses.created_at',
  'licenses.expires_at',
  'licenses.deleted_at',
] as const;

const trialUntil = expressionBuilder<TenantTables, 'licenses'>()
  .selectFrom('trials')
  .select((eb) => eb.fn.coalesce('trials.converted_at', sql<Timestamp>`${sql.lit(latestTimestamp)}`).as('until'))
  .whereRef('trials.license_id', '=', 'licenses.id')
  .where('trials.is_first', '=', sql.lit(1))
  .as('trial_until');

/** Reads pages until one is not full. `read` gets the last row of the page before, which is null for the first page. */
async function* pagesOf<Row>(read: (last: Row | null) => Promise<Row[]>): AsyncGenerator<Row[], void> {
  let last: Row | null = null;
  for (;;) {
    const rows: Row[] = await read(last);
    yield rows;
    if (rows.length < pageRows) return;
    last = rows.at(-1) ?? null;
  }
}

/** A license with the time of an audit record about it. */
export interface RecordedLicense extends FiguredLicense {
  readonly occurred_at: Timestamp;
  readonly record_id: string;
}

/** Reads the licenses that have an audit record of an event since a time, with the time of each record, in pages, oldest first. */
export function readRecorded({ query }: TenantDb, event: string, since: Timestamp) {
  return pagesOf<RecordedLicense>((last) =>
    query
      .selectFrom('audit_logs')
      .innerJoin('licenses', 'licenses.id', 'audit_logs.resource_id')
      .select([...columns, trialUntil, 'audit_logs.occurred_at', 'audit_logs.id as record_id'])
      .where('audit_logs.event', '=', event)
      .where(({ eb, refTuple, tuple }) =>
        eb(
          refTuple('audit_logs.occurred_at', 'audit_logs.id'),
          '>',
          tuple(last?.occurred_at ?? since, last?.record_id ?? ''),
        ),
      )
      .orderBy('audit_logs.occurred_at')
      .orderBy('audit_logs.id')
      .limit(pageRows)
      .execute(),
  );
}

/** Reads the licenses whose end lies in a period, also deleted ones, in pages, by their end. */
export function readEnded({ query }: TenantDb, since: Timestamp, until: Timestamp) {
  return pagesOf<FiguredLicense>((last) =>
    query
      .selectFrom('licenses')
      .select([...columns, trialUntil])
      // The columns of the index, because very many licenses may have the same end.
      .where(({ eb, refTuple, tuple }) =>
        eb(
          refTuple('licenses.expires_at', 'licenses.status', 'licenses.created_at', 'licenses.id'),
          '>',
          tuple(last?.expires_at ?? since, last?.status ?? '', last?.created_at ?? '', last?.id ?? '') as never,
        ),
      )
      .where('licenses.expires_at', '<=', until)
      .orderBy('licenses.expires_at')
      .orderBy('licenses.status')
      .orderBy('licenses.created_at')
      .orderBy('licenses.id')
      .limit(pageRows)
      .execute(),
  );
}

/** Counts what began in a period: all licenses, the trials among them, and the conversions of trials. */
export async function countBegun(
  { query }: TenantDb,
  from: Timestamp,
  to: Timestamp,
  productId: string | undefined,
): Promise<{ readonly licenses: number; readonly trials: number; readonly conversions: number }> {
  const trials = query
    .selectFrom('trials')
    .where('is_first', '=', sql.lit(1))
    // `not` keeps SQLite from reading every trial of the product instead of those of the period.
    .$if(productId !== undefined, (of) => of.where((eb) => eb.not(eb('product_id', '!=', productId ?? ''))));
  const row = await query
    .selectNoFrom((eb) => [
      eb
        .selectFrom('licenses')
        .select((of) => of.fn.countAll<number>().as('count'))
        .where('created_at', '>=', from)
        .where('created_at', '<', to)
        .$if(productId !== undefined, (of) => of.where('product_id', '=', productId ?? ''))
        .as('licenses'),
      trials
        .select((of) => of.fn.countAll<number>().as('count'))
        .where('started_at', '>=', from)
        .where('started_at', '<', to)
        .as('trials'),
      trials
        .select((of) => of.fn.countAll<number>().as('count'))
        .where('started_at', '<', to)
        .where('converted_at', '>=', from)
        .where('converted_at', '<', to)
        .as('conversions'),
    ])
    .executeTakeFirstOrThrow();
  return { licenses: Number(row.licenses), trials: Number(row.trials), conversions: Number(row.conversions) };
}

/** Counts the seats in use now, by product. */
export async function countSeats(db: TenantDb, now: Timestamp): Promise<Map<string, number>> {
  const seats = new Map<string, number>();
  for (let after = ''; ; ) {
    const rows = await readSeats(db, now, after);
    for (const row of rows) {
      seats.set(row.product_id, (seats.get(row.product_id) ?? 0) + Number(row.seats));
      if (row.last > after) after = row.last;
    }
    if (rows.length === 0) return seats;
  }
}

/** Counts the seats of the next licenses by product, with the last of these licenses. */
function readSeats({ query }: TenantDb, now: Timestamp, after: string) {
  const page = query
    .selectFrom('activations')
    .select((eb) => ['license_id', eb.fn.countAll<number>().as('seats')])
    .where('released_at', 'is', null)
    .where((eb) => eb.or([eb('lease_expires_at', 'is', null), eb('lease_expires_at', '>', now)]))
    .where('license_id', '>', after)
    .groupBy('license_id')
    .orderBy('license_id')
    .limit(pageRows);
  return query
    .selectFrom(page.as('page'))
    .innerJoin('licenses', 'licenses.id', 'page.license_id')
    .select((eb) => [
      'licenses.product_id',
      eb.fn.sum<number>('page.seats').as('seats'),
      eb.fn.max('page.license_id').as('last'),
    ])
    .groupBy('licenses.product_id')
    .execute();
}

/** Reads the audit records that changed how long the tenant keeps its data, the newest thousand. */
export function listRetentionChanges({ query }: TenantDb) {
  return query
    .selectFrom('audit_logs')
    .select(['occurred_at', 'changes_json'])
    .where('event', 'in', ['SETTINGS.UPDATED', 'SETTINGS.UPDATED_BY_ADMIN'])
    .where('changes_json', 'like', '%"field":"retention_days"%')
    .orderBy('occurred_at', 'desc')
    .limit(1000)
    .execute();
}
