import { addDays } from '../../../lib/duration.ts';
import { expiryRule } from '../../tenant-core/retention/retention.ts';

/** Messages of shops older than `retention_days.sale_messages`. */
export const saleMessageRetention = expiryRule(({ now, settings }) => [
  {
    table: 'sale_messages',
    order: ['received_at', 'id'],
    before: addDays(now, -settings.retention_days.sale_messages),
  },
]);
