import type { TenantTransaction } from '../../db/database.ts';
import type { ActivationsTable } from '../../db/tables.ts';
import type { Timestamp } from '../../lib/clock.ts';

/** Frees every activation of a license, whose row the caller has locked. */
export async function releaseActivations(
  tx: TenantTransaction,
  licenseId: string,
  reason: NonNullable<ActivationsTable['release_reason']>,
  at: Timestamp,
): Promise<void> {
  await tx
    .updateTable('activations')
    .set({ released_at: at, release_reason: reason })
    .where('license_id', '=', licenseId)
    .where('released_at', 'is', null)
    .execute();
}
