import { addDays } from '../../../lib/duration.ts';
import { expiryRule } from '../../tenant-core/retention/retention.ts';

/** An operation may run for days. It is removed after its changes, which refer to it. */
const operationDaysMax = 7;

/** Deletes operations and what they changed as long after them as audit records. They cannot be undone afterwards. */
export const bulkRetention = expiryRule(({ now, settings }) => {
  const before = addDays(now, -settings.retention_days.audit);
  return [
    { table: 'bulk_changes', order: ['created_at', 'operation_id', 'license_id'], before },
    {
      table: 'bulk_operations',
      order: ['created_at', 'id'],
      before: addDays(before, -operationDaysMax),
      isNotNull: 'ended_at',
    },
  ];
});
