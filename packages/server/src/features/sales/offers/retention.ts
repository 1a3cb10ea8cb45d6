import { deleteRows } from '../../../db/rows.ts';
import { addDays } from '../../../lib/duration.ts';
import { batchedRule } from '../../tenant-core/retention/retention.ts';
import { findRemovable, removeConnectionRow } from '../connections/service.ts';
import { removeMessagesOf } from '../messages/erasure-service.ts';
import { removeSalesOf } from '../sales/erasure-service.ts';

/**
 * What is left of a connection `retention_days.sale_messages` after it was deleted. Sales of other connections are kept,
 * because the shop may report about them at any time.
 */
export const connectionRetention = batchedRule(async (tx, { now, settings }, limit) => {
  const id = await findRemovable(tx, addDays(now, -settings.retention_days.sale_messages));
  if (id === undefined) return 0;
  const removed = (await removeMessagesOf(tx, id, limit)) || (await removeSalesOf(tx, id, limit));
  if (removed >= limit) return removed;
  if (removed === 0) {
    await deleteRows(tx, 'offers', { connection_id: id });
    await removeConnectionRow(tx, id);
  }
  // The pass continues with the rest of the connection, or with the next one.
  return limit;
});
