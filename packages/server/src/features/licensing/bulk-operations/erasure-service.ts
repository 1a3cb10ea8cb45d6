import type { TenantTransaction } from '../../../db/database.ts';
import { batchesOf } from '../../../lib/batches.ts';
import { eraseFromRecords } from '../../tenant-core/audit/erasure.ts';
import { eraseFromOperations, eraseReasonsFromChanges } from './queries.ts';

/** More ids than that do not fit into a statement. */
const idsPerStatement = 500;

/** The licenses of a holder, deleted ones included. */
interface ErasedHolder {
  readonly email: string;
  readonly licenseIds: readonly string[];
}

/**
 * Removes the address of a holder from the filters and reasons of operations and from their audit records, and the
 * reasons from what operations did to the holder's licenses.
 */
export async function eraseHolderFromOperations(
  tx: TenantTransaction,
  { email, licenseIds }: ErasedHolder,
): Promise<void> {
  await eraseFromRecords(tx, { resourceIds: await eraseFromOperations(tx, email), fields: ['reason'] });
  for (const ids of batchesOf(licenseIds, idsPerStatement)) await eraseReasonsFromChanges(tx, ids);
}
