import type { PlatformRetention } from '../../tenant-core/retention/retention.ts';

/** Sessions and mailed links, and changes of addresses that can be neither confirmed nor reverted any more. */
export const identityRetention: PlatformRetention = (now) => [
  { table: 'access_tokens', order: ['expires_at'], before: now },
  { table: 'mail_links', order: ['expires_at'], before: now },
  { table: 'earlier_mail_links', order: ['expires_at'], before: now },
  {
    table: 'email_changes',
    order: ['revertible_until'],
    before: now,
    isNull: 'confirmed_at',
    alsoBefore: 'expires_at',
  },
];
