import type { SubscriptionsTable } from '../../../db/tables/platform/billing.ts';
import { type CostPreview, PaymentProviderError } from '../../../payments/provider.ts';
import type { Services } from '../../../services.ts';
import type { Tenant } from '../../../tenancy/tenant.ts';
import { listOwnerEmails } from '../../accounts/memberships/service.ts';
import { freePlanCode } from '../../accounts/tenants/tenant.ts';
import { readLimitUse } from '../../licensing/dev-tools/service.ts';
import { presentCustomer, presentLines } from '../invoices/invoice.ts';
import { findPlanByCode } from '../plans/service.ts';
import { presentSubscription } from '../subscriptions/subscription.ts';
import { defaultDetails, detailsOf } from './customer-service.ts';
import { findCurrentSubscription, findCustomer, findPlanCode } from './queries.ts';
import type { BillingOverview } from './schemas.ts';
import { findPastDue } from './tenant-billing.ts';

/**
 * Returns the plan, usage, subscription, overdue payment and next invoice of a tenant. While the provider is unavailable, the next
 * invoice is null and `provider_available` is false.
 */
export async function readOverview(services: Services, tenant: Tenant): Promise<BillingOverview> {
  const { platform } = services;
  const { query } = platform;
  const planCode = (await findPlanCode(query, tenant.id)) ?? freePlanCode;
  const plan = (await findPlanByCode(platform, planCode))?.plan;
  const subscription = await findCurrentSubscription(query, tenant.id);
  const customer = await findCustomer(query, tenant.id);
  const owners = await listOwnerEmails(platform, tenant.id);
  const renewal = await readRenewal(services, subscription);
  const details = customer && detailsOf(customer, defaultDetails(tenant.name, owners));
  return {
    plan: { code: planCode, name: plan?.name ?? planCode, features: JSON.parse(plan?.features_json ?? '[]') },
    usage: await readLimitUse(services, tenant),
    subscription: subscription === undefined ? null : presentSubscription(subscription),
    past_due: (await findPastDue(platform, [tenant.id])).get(tenant.id) ?? null,
    next_invoice: renewal.cost === undefined ? null : presentCost(renewal.cost),
    provider_available: renewal.isKnown,
    details: details === undefined ? null : presentCustomer(details),
  };
}

function presentCost(cost: CostPreview): NonNullable<BillingOverview['next_invoice']> {
  const { currency, amountDue, discount, tax, at, lines } = cost;
  return { currency, amount_due: amountDue, discount, tax, at, lines: presentLines(lines) };
}

/** Returns the cost of the next renewal. `isKnown` is false when the provider could not be read. */
async function readRenewal(
  { payments, logger }: Services,
  subscription: SubscriptionsTable | undefined,
): Promise<{ readonly isKnown: boolean; readonly cost?: CostPreview | undefined }> {
  if (subscription === undefined) return { isKnown: true };
  if (payments === null) return { isKnown: false };
  try {
    return { isKnown: true, cost: await payments.previewRenewal(subscription.provider_subscription_id) };
  } catch (error) {
    if (!(error instanceof PaymentProviderError)) throw error;
    logger.warn({ err: error }, 'the payment provider returned no preview of the next renewal; the overview omits it');
    return { isKnown: false };
  }
}
