import { addDays } from '../../../lib/duration.ts';
import type { PlatformRetention } from '../../tenant-core/retention/retention.ts';

/** Longer than a year, so that a yearly review of the accesses finds all of them. */
const keptForDays = 400;

/** Decisions of the billing guard expire 400 days after they were made. */
export const billingAuthorizationRetention: PlatformRetention = (now) => [
  { table: 'billing_authorization_log', order: ['occurred_at', 'id'], before: addDays(now, -keptForDays) },
];
