import type { Kysely } from 'kysely';
import { addSearchTerms } from '../search/search-terms.ts';
import type { PlatformTables } from '../tables/platform-tables.ts';
import type { TenantTables } from '../tables/tenant-tables.ts';

type Tables = PlatformTables & TenantTables;

/** Few enough to be held in memory with their terms. */
const rowsPerBatch = 1_000;

/** Makes the rows findable that were there before the terms were, in the order of their ids. */
export async function fillSearchTerms<Table extends 'licenses' | 'policies' | 'products' | 'tenants'>(
  db: Kysely<TenantTables> | Kysely<PlatformTables>,
  table: Table,
  termsOf: (row: Tables[Table]) => readonly string[],
): Promise<void> {
  const anyDb = db as unknown as Kysely<Tables>;
  for (let lastId = '', isDone = false; !isDone; ) {
    const rows = (await anyDb
      .selectFrom(table as 'licenses')
      .selectAll()
      .where('id', '>', lastId)
      .orderBy('id')
      .limit(rowsPerBatch)
      .execute()) as unknown as Tables[Table][];
    await addSearchTerms(
      anyDb,
      rows.map((row) => [row, termsOf(row)]),
    );
    lastId = rows.at(-1)?.id ?? '';
    isDone = rows.length < rowsPerBatch;
  }
}
