import { addDays } from '../../../../lib/duration.ts';
import { expiryRule } from '../../../tenant-core/retention/retention.ts';

/** Deletes imports that have ended as long after their beginning as audit records. */
export const importRetention = expiryRule(({ now, settings }) => [
  {
    table: 'license_imports',
    order: ['created_at', 'id'],
    before: addDays(now, -settings.retention_days.audit),
    isNotNull: 'ended_at',
  },
]);
