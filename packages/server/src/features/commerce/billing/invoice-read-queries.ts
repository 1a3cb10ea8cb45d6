import { sql } from 'kysely';
import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';

/** Assigns a number to a read of a single invoice. Call it before the read begins. */
export async function beginInvoiceRead({ query }: PlatformDb, providerInvoiceId: string): Promise<number> {
  const { last_begun } = await query
    .insertInto('invoice_reads')
    .values({ provider_invoice_id: providerInvoiceId, last_begun: 1, last_written: 0 })
    .onConflict((conflict) =>
      conflict.column('provider_invoice_id').doUpdateSet({ last_begun: sql<number>`invoice_reads.last_begun + 1` }),
    )
    .returning('last_begun')
    .executeTakeFirstOrThrow();
  return last_begun;
}

/** Marks a read as written. Returns false when a later read was written before. */
export async function finishInvoiceRead(
  tx: PlatformTransaction,
  providerInvoiceId: string,
  read: number,
): Promise<boolean> {
  const result = await tx
    .updateTable('invoice_reads')
    .set({ last_written: read })
    .where('provider_invoice_id', '=', providerInvoiceId)
    .where('last_written', '<', read)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}
