import { accessTokenErrors } from './features/accounts/access-tokens/error-explanations.ts';
import { accountErrors } from './features/accounts/account/error-explanations.ts';
import { adminErrors } from './features/accounts/admins/error-explanations.ts';
import { apiKeyErrors } from './features/accounts/api-keys/error-explanations.ts';
import { identityErrors } from './features/accounts/identity/error-explanations.ts';
import { memberErrors } from './features/accounts/members/error-explanations.ts';
import { membershipErrors } from './features/accounts/memberships/error-explanations.ts';
import { singleSignOnErrors } from './features/accounts/single-sign-on/error-explanations.ts';
import { tenantErrors } from './features/accounts/tenants/error-explanations.ts';
import { testTenantErrors } from './features/accounts/test-tenants/error-explanations.ts';
import { userErrors } from './features/accounts/users/error-explanations.ts';
import { billingErrors } from './features/commerce/billing/error-explanations.ts';
import { billingAuthorizationErrors } from './features/commerce/billing-authorization/error-explanations.ts';
import { catalogErrors } from './features/commerce/catalog/error-explanations.ts';
import { couponErrors } from './features/commerce/coupons/error-explanations.ts';
import { invoiceErrors } from './features/commerce/invoices/error-explanations.ts';
import { onboardingErrors } from './features/commerce/onboarding/error-explanations.ts';
import { paymentEventErrors } from './features/commerce/payment-events/error-explanations.ts';
import { planErrors } from './features/commerce/plans/error-explanations.ts';
import { subscriptionErrors } from './features/commerce/subscription-actions/error-explanations.ts';
import { customerErrors } from './features/holders/customers/error-explanations.ts';
import { holderMailErrors } from './features/holders/holder-mails/error-explanations.ts';
import { portalErrors } from './features/holders/portal/error-explanations.ts';
import { trialErrors } from './features/holders/trials/error-explanations.ts';
import { activationErrors } from './features/licensing/activations/error-explanations.ts';
import { bulkOperationErrors } from './features/licensing/bulk-operations/error-explanations.ts';
import { entitlementErrors } from './features/licensing/entitlements/error-explanations.ts';
import { licenseErrors } from './features/licensing/licenses/error-explanations.ts';
import { policyErrors } from './features/licensing/policies/error-explanations.ts';
import { productErrors } from './features/licensing/products/error-explanations.ts';
import { featureFlagErrors } from './features/operations/feature-flags/error-explanations.ts';
import { releaseErrors } from './features/releases/releases/error-explanations.ts';
import { comparisonErrors } from './features/sales/comparison/error-explanations.ts';
import { connectionErrors } from './features/sales/connections/error-explanations.ts';
import { salesMessageErrors } from './features/sales/messages/error-explanations.ts';
import { offerErrors } from './features/sales/offers/error-explanations.ts';
import { idempotencyErrors } from './features/tenant-core/idempotency/error-explanations.ts';
import { planLimitErrors } from './features/tenant-core/plan-limits/error-explanations.ts';
import { webhookErrors } from './features/webhooks/endpoints/error-explanations.ts';
import { httpErrors } from './http/error-explanations.ts';
import { type ErrorCode, errorStatus } from './lib/error-codes.ts';
import type { Explanation } from './lib/error-explanation.ts';
import { mailErrors } from './mail/error-explanations.ts';
import { metricsErrors } from './metrics/error-explanations.ts';
import { rateLimitErrors } from './rate-limit/error-explanations.ts';
import { tenancyErrors } from './tenancy/error-explanations.ts';

/** THE list of the explanations of all error codes, each beside the code that it is about. */
const explanations: Readonly<Record<ErrorCode, Explanation>> = {
  ...accessTokenErrors,
  ...accountErrors,
  ...adminErrors,
  ...apiKeyErrors,
  ...identityErrors,
  ...memberErrors,
  ...membershipErrors,
  ...singleSignOnErrors,
  ...tenantErrors,
  ...testTenantErrors,
  ...userErrors,
  ...billingErrors,
  ...billingAuthorizationErrors,
  ...catalogErrors,
  ...couponErrors,
  ...invoiceErrors,
  ...onboardingErrors,
  ...paymentEventErrors,
  ...planErrors,
  ...subscriptionErrors,
  ...customerErrors,
  ...holderMailErrors,
  ...portalErrors,
  ...trialErrors,
  ...activationErrors,
  ...bulkOperationErrors,
  ...entitlementErrors,
  ...licenseErrors,
  ...policyErrors,
  ...productErrors,
  ...releaseErrors,
  ...featureFlagErrors,
  ...comparisonErrors,
  ...connectionErrors,
  ...salesMessageErrors,
  ...offerErrors,
  ...idempotencyErrors,
  ...planLimitErrors,
  ...webhookErrors,
  ...httpErrors,
  ...mailErrors,
  ...metricsErrors,
  ...rateLimitErrors,
  ...tenancyErrors,
};

/** An error code with its HTTP status and its explanation. */
export interface ErrorCatalogEntry extends Explanation {
  readonly code: ErrorCode;
  /** The status of the response. The code of a verdict in a refused request has the status 422 instead. */
  readonly status: number;
}

/** Every error code of the API, in the order of the statuses: the source of the reference and of the guide to errors. */
export const errorCatalog: readonly ErrorCatalogEntry[] = (Object.keys(errorStatus) as ErrorCode[]).map((code) => ({
  code,
  status: errorStatus[code],
  ...explanations[code],
}));
