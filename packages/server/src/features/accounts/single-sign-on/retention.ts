import type { PlatformRetention } from '../../tenant-core/retention/retention.ts';

/** Logins that were never finished. */
export const signOnRetention: PlatformRetention = (now) => [
  { table: 'sign_on_attempts', order: ['expires_at'], before: now },
  { table: 'sign_on_codes', order: ['expires_at'], before: now },
];
