import { addDays } from '../../../../lib/duration.ts';
import { expiryRule } from '../../../tenant-core/retention/retention.ts';

/** Deletes the progress of imports as long after them as audit records. */
export const importRetention = expiryRule(({ now, settings }) => [
  { table: 'license_imports', order: ['created_at', 'id'], before: addDays(now, -settings.retention_days.audit) },
]);
