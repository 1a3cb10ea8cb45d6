import { identityRetention } from './features/accounts/identity/retention.ts';
import { marketingRetention } from './features/accounts/marketing/retention.ts';
import { signOnRetention } from './features/accounts/single-sign-on/retention.ts';
import { billingAuthorizationRetention } from './features/commerce/billing-authorization/retention.ts';
import { paymentEventRetention } from './features/commerce/payment-events/retention.ts';
import { portalRetention } from './features/holders/portal/login-job.ts';
import { trialRequestRetention } from './features/holders/trials/request-service.ts';
import { bulkRetention } from './features/licensing/bulk-operations/retention.ts';
import { checkRetention } from './features/licensing/device-history/service.ts';
import { importRetention } from './features/licensing/licenses/import/retention.ts';
import { usageRetention } from './features/licensing/usage/counters-service.ts';
import { activityRetention } from './features/operations/activity/retention.ts';
import { comparisonRetention } from './features/sales/comparison/retention.ts';
import { saleMessageRetention } from './features/sales/messages/retention.ts';
import { connectionRetention } from './features/sales/offers/retention.ts';
import { auditRetention } from './features/tenant-core/audit/audit.ts';
import { holderMailRetention } from './features/tenant-core/holder-mail-queue/service.ts';
import { idempotencyRetention } from './features/tenant-core/idempotency/service.ts';
import { userKeyRetention } from './features/tenant-core/idempotency/user-service.ts';
import { notificationRetention } from './features/tenant-core/notifications/service.ts';
import type { PlatformRetention, RetentionRule } from './features/tenant-core/retention/retention.ts';
import { deliveryRetention } from './features/webhooks/delivery/service.ts';
import { mailRetention } from './mail/queries.ts';

/** THE list of the retention rules, in the order in which the retention job applies them to a tenant's database. */
export const retentionRules: readonly RetentionRule[] = [
  auditRetention,
  usageRetention,
  idempotencyRetention,
  trialRequestRetention,
  portalRetention,
  deliveryRetention,
  notificationRetention,
  holderMailRetention,
  checkRetention,
  bulkRetention,
  importRetention,
  saleMessageRetention,
  comparisonRetention,
  connectionRetention,
];

/** THE list of the rules for the platform database, each with the kind of the job that applies it. */
export const platformRetention: Readonly<Record<string, PlatformRetention>> = {
  'payment-event-retention': paymentEventRetention,
  'billing-authorization-retention': billingAuthorizationRetention,
  'activity-retention': activityRetention,
  'identity-retention': identityRetention,
  'sign-on-retention': signOnRetention,
  'idempotency-retention': userKeyRetention,
  'marketing-retention': marketingRetention,
  'mail-retention': mailRetention,
};
