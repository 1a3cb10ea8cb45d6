import type { TenantTransaction } from '../../../db/database.ts';
import { eraseFromOperations } from './queries.ts';

/** Removes the address of a holder from the filters and reasons of operations. */
export async function eraseHolderFromOperations(tx: TenantTransaction, email: string): Promise<void> {
  await eraseFromOperations(tx, email);
}
