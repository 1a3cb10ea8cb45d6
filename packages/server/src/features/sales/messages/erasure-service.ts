import type { TenantTransaction } from '../../../db/database.ts';
import type { KeyServices } from '../../../services.ts';
import { removeMessageRows, replaceBodies } from './queries.ts';

/** Removes the bodies of the messages about some sales. The messages stay, with what they did. */
export async function eraseBodies(
  { keyring }: Pick<KeyServices, 'keyring'>,
  tx: TenantTransaction,
  saleIds: readonly string[],
): Promise<void> {
  await replaceBodies(tx, saleIds, keyring.seal(''));
}

/** Removes up to `limit` messages of a connection that was deleted. Returns their number. */
export function removeMessagesOf(tx: TenantTransaction, connectionId: string, limit: number): Promise<number> {
  return removeMessageRows(tx, connectionId, limit);
}
