import { addDays } from '../../../lib/duration.ts';
import type { PlatformRetention } from '../../tenant-core/retention/retention.ts';

/** Longer than any provider retries an event, so that no event is processed twice. */
const keptForDays = 90;

/** Payment events expire 90 days after they were received. */
export const paymentEventRetention: PlatformRetention = (now) => [
  { table: 'payment_events', order: ['received_at', 'id'], before: addDays(now, -keptForDays) },
];
