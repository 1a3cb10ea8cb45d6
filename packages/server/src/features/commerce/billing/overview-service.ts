import type { PlatformDb } from '../../../db/database.ts';
import type { BillingCustomersTable, SubscriptionsTable } from '../../../db/tables/platform/billing.ts';
import { AppError } from '../../../lib/error.ts';
import { type CostPreview, PaymentProviderError } from '../../../payments/provider.ts';
import type { Services } from '../../../services.ts';
import type { Tenant } from '../../../tenancy/tenant.ts';
import { listOwnerEmails } from '../../accounts/memberships/service.ts';
import { freePlanCode, type PastDue, type TenantBilling } from '../../accounts/tenants/tenant.ts';
import { readLimitUse } from '../../licensing/dev-tools/service.ts';
import { presentCustomer, presentLines } from '../invoices/invoice.ts';
import { findPayableInvoices } from '../invoices/service.ts';
import { findPlanByCode } from '../plans/service.ts';
import { presentSubscription } from '../subscriptions/subscription.ts';
import { defaultDetails, detailsOf } from './customer-service.ts';
import { findCurrentSubscription, findCustomer, findPlanCode, listPastDueSubscriptions } from './queries.ts';
import type { BillingOverview } from './schemas.ts';

/**
 * Returns the plan, usage, subscription, overdue payment and next invoice of a tenant. While the provider is
 * unavailable, the next invoice is null and `provider_available` is false.
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
    card: await readCard(services, customer),
    details: details === undefined ? null : presentCustomer(details),
  };
}

function presentCost(cost: CostPreview): NonNullable<BillingOverview['next_invoice']> {
  const { currency, amountDue, discount, tax, at, lines } = cost;
  return { currency, amount_due: amountDue, discount, tax, at, lines: presentLines(lines) };
}

/** Returns the card on file; null without one, and while the provider is unavailable. */
async function readCard(
  { payments, logger }: Services,
  customer: BillingCustomersTable | undefined,
): Promise<BillingOverview['card']> {
  if (payments === null || customer?.provider !== payments.name) return null;
  try {
    const card = await payments.findCard(customer.provider_customer_id);
    if (card === undefined) return null;
    return { brand: card.brand, last4: card.last4, exp_month: card.expMonth, exp_year: card.expYear };
  } catch (error) {
    if (!(error instanceof PaymentProviderError)) throw error;
    logger.warn({ err: error }, 'the payment provider returned no card; the overview omits it');
    return null;
  }
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

/**
 * Returns the overdue payment of each tenant and the URL to pay it, from the stored subscriptions and invoices. Tenants
 * without one are absent.
 */
async function findPastDue(platform: PlatformDb, tenantIds: readonly string[]): Promise<ReadonlyMap<string, PastDue>> {
  const subscriptions = await listPastDueSubscriptions(platform, tenantIds);
  const invoices = await findPayableInvoices(
    platform,
    subscriptions.map(({ tenant_id }) => tenant_id),
  );
  return new Map(
    subscriptions.map(({ tenant_id, status, past_due_since, grace_ends_at }) => {
      const invoice = invoices.get(tenant_id);
      const pastDue = {
        subscription_status: status,
        since: past_due_since,
        grace_ends_at,
        amount_due: invoice?.amount_due ?? null,
        currency: invoice?.currency ?? null,
        due_at: invoice?.due_at ?? null,
        payment_url: invoice?.payment_url ?? null,
      };
      return [tenant_id, pastDue];
    }),
  );
}

/** Implements the contract of the feature `tenants`. */
export const tenantBilling: TenantBilling = {
  findPastDue,
  async assertPlanIsFreeToChange(tx, tenantId) {
    const current = await findCurrentSubscription(tx, tenantId);
    if (current === undefined) return;
    throw new AppError(
      'BILLING.MANAGED_BY_SUBSCRIPTION',
      `A subscription (${current.status}) determines the plan of this tenant. Change the plan of the subscription, or ` +
        'cancel it and change the plan when it has ended.',
    );
  },
};
