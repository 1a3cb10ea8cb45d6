import type { TenantDb } from '../../../../db/database.ts';
import { foldEmail } from '../../../../lib/email.ts';
import { findWaitingAfter, replaceWaiting, type WaitingPlace } from './queries.ts';
import { readBatch, type SpooledRow, writeBatch } from './spool.ts';

/** Removes a holder with this address from the rows of running imports, whose licenses then have no holder. Safe to repeat. */
export async function eraseHolderFromImports({ query }: TenantDb, email: string): Promise<void> {
  const isErased = ({ fields: { holder } }: SpooledRow) =>
    typeof holder?.email === 'string' && foldEmail(holder.email) === foldEmail(email);
  for (let place: WaitingPlace = { import_id: '', position: -1 }; ; ) {
    const waiting = await findWaitingAfter(query, place);
    if (waiting === undefined) return;
    const rows = readBatch(waiting.batch);
    if (rows.some(isErased)) {
      const kept = rows.map((row) => (isErased(row) ? { ...row, fields: withoutHolder(row.fields) } : row));
      await replaceWaiting(query, { ...waiting, batch: writeBatch(kept) });
    }
    place = waiting;
  }
}

function withoutHolder({ holder: _holder, ...fields }: SpooledRow['fields']): SpooledRow['fields'] {
  return fields;
}
