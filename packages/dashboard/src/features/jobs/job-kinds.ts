import { words } from '../../lib/text.ts';

/** What each kind of job does, in the words of an operator. */
const labels: Readonly<Record<string, string>> = {
  deliveries: 'Webhook deliveries',
  'delivery-repair': 'Repair of webhook deliveries',
  mail: 'Sending of mails',
  'notification-mail': 'Notification mails',
  'audit-outbox': 'Copies of audit records',
  leases: 'Freeing of floating seats',
  expired: 'Events of expired licenses',
  expiring: 'Notices of expiring licenses',
  retention: 'Removal of old data',
  'plan-use-recount': 'Recount of plan limits',
  onboarding: 'Creation of a bought tenant',
  'billing-sync': 'Synchronisation of a subscription',
  'billing-reconciliation': 'Comparison with the payment provider',
  dunning: 'Dunning mails',
  revenue: 'Recording of revenue',
  'account-export': 'Export of personal data',
  'account-deletion': 'Erasure of personal data',
  'activity-retention': 'Removal of old figures',
  'identity-retention': 'Removal of expired sessions and links',
  'idempotency-retention': 'Removal of idempotency keys',
  'payment-event-retention': 'Removal of payment events',
  'billing-authorization-retention': 'Removal of billing authorisations',
  'marketing-retention': 'Removal of newsletter data',
};

/** The kinds by which the list can be filtered. */
export const jobKinds = Object.keys(labels);

/** Returns what a kind of job does; a kind that this version does not know in its own words. */
export function jobKindLabel(kind: string): string {
  return labels[kind] ?? words(kind);
}
