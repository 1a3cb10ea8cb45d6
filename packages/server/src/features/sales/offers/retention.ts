import { addDays } from '../../../lib/duration.ts';
import { batchedRule, expiryRule, type RetentionRule } from '../../tenant-core/retention/retention.ts';
import { findRemovable, removeConnectionRow } from '../connections/service.ts';
import { removeMessagesOf } from '../messages/erasure-service.ts';
import { removeSalesOf } from '../sales/erasure-service.ts';
import { deleteOffersOf } from './queries.ts';

/** A comparison may find differences for days. It is removed after its differences, which refer to it. */
const comparisonDaysMax = 7;

const expiredRows = expiryRule(({ now, settings }) => {
  const before = addDays(now, -settings.retention_days.sale_messages);
  return [
    { table: 'sale_messages', order: ['received_at', 'id'], before },
    { table: 'comparison_differences', order: ['created_at', 'id'], before },
    {
      table: 'comparisons',
      order: ['created_at', 'id'],
      before: addDays(before, -comparisonDaysMax),
      isNotNull: 'ended_at',
    },
  ];
});

const deletedConnections = batchedRule(async (tx, { now, settings }, limit) => {
  const id = await findRemovable(tx, addDays(now, -settings.retention_days.sale_messages));
  if (id === undefined) return 0;
  const removed = (await removeMessagesOf(tx, id, limit)) || (await removeSalesOf(tx, id, limit));
  if (removed >= limit) return removed;
  if (removed === 0) {
    await deleteOffersOf(tx, id);
    await removeConnectionRow(tx, id);
  }
  // The pass continues with the rest of the connection, or with the next one.
  return limit;
});

/**
 * Deletes messages of shops and comparisons older than `retention_days.sale_messages`, and what is left of a connection so
 * long after it was deleted. Sales of other connections are kept, because the shop may report about them at any time.
 */
export const salesRetention: readonly RetentionRule[] = [expiredRows, deletedConnections];
