import { addDays } from '../../../lib/duration.ts';
import { expiryRule } from '../../tenant-core/retention/retention.ts';

/** A comparison may find differences for days. It is removed after its differences, which refer to it. */
const comparisonDaysMax = 7;

/** Comparisons older than `retention_days.sale_messages`, and their differences. */
export const comparisonRetention = expiryRule(({ now, settings }) => {
  const before = addDays(now, -settings.retention_days.sale_messages);
  return [
    { table: 'comparison_differences', order: ['created_at', 'id'], before },
    {
      table: 'comparisons',
      order: ['created_at', 'id'],
      before: addDays(before, -comparisonDaysMax),
      isNotNull: 'ended_at',
    },
  ];
});
