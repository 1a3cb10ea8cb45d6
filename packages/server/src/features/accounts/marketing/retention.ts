import type { PlatformRetention } from '../../tenant-core/retention/retention.ts';

/** Subscription requests that were not confirmed in time. */
export const marketingRetention: PlatformRetention = (now) => [
  { table: 'marketing_subscribers', order: ['confirm_expires_at'], before: now, isNull: 'confirmed_at' },
];
