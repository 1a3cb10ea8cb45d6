import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import type { BillingCheckoutsTable } from '../../../db/tables/platform/billing.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { AppError } from '../../../lib/error.ts';
import { newId } from '../../../lib/ids.ts';
import { callProvider } from '../../../payments/call-provider.ts';
import type { PaymentProvider, PlanPrice, ProviderCheckout } from '../../../payments/provider.ts';
import type { Services } from '../../../services.ts';
import { listOwnerEmails } from '../../accounts/memberships/service.ts';
import type { Offer } from '../plans/service.ts';
import type { Change } from './change-service.ts';
import {
  closeCheckout,
  findOpenCheckout,
  hasOwnedTrial,
  hasSubscribed,
  insertCheckout,
  listOpenCheckouts,
  nameCheckout,
} from './queries.ts';
import { syncSubscription } from './sync-service.ts';

/**
 * Returns whether a purchase may begin with a free trial: it must be the tenant's first subscription, and no tenant
 * that the buyer owns may have had a trial. `tenantId` is null for a tenant that the purchase creates.
 */
export async function isTrialAvailable(
  db: PlatformDb['query'] | PlatformTransaction,
  { tenantId, userId }: { readonly tenantId: string | null; readonly userId: string },
): Promise<boolean> {
  if (tenantId !== null && (await hasSubscribed(db, tenantId))) return false;
  return !(await hasOwnedTrial(db, userId));
}

/** Each attempt closes a checkout of another plan, or loses against a concurrent request. */
const attemptsMax = 5;
const reconciledMax = 500;

/**
 * Returns the URL on which a tenant without a subscription pays for a plan. A tenant has at most one open checkout, so
 * that no tenant pays twice: a checkout of another plan is expired, and the same plan returns the same URL. Throws 409
 * `BILLING.REFUSED` when a payment has arrived meanwhile, or when concurrent requests win every attempt.
 */
export async function openCheckout(change: Change, offer: Offer): Promise<string> {
  const { services, tenant, actor } = change;
  const { price } = offer;
  const trialDays = await trialDaysOf(change, offer);
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const open = await findOpenCheckout(services.platform, tenant.id);
    if (open === undefined) {
      const { planCode: plan_code, interval, currency, amount } = price;
      await insertCheckout(services.platform, {
        id: newId(),
        tenant_id: tenant.id,
        provider_checkout_id: null,
        user_id: actor.id ?? '',
        status: 'open',
        plan_code,
        interval,
        currency,
        amount,
        trial_days: trialDays,
        created_at: services.clock.now(),
      });
      continue;
    }
    const isSame = isFor(open, price) && open.trial_days === trialDays;
    const checkout = isSame ? await ensureAtProvider(change, open, price) : await expire(change, open);
    if (checkout.status === 'open' && checkout.url !== null) return checkout.url;
    await settle(change, open, checkout);
  }
  throw new AppError(
    'BILLING.REFUSED',
    'Another request is opening a checkout for this tenant. Send the request again.',
  );
}

/** Returns the days of the free trial at the start of a tenant's purchase; 0 without a trial. */
export async function trialDaysOf(
  { services, tenant, actor }: Change,
  { trialDays }: Pick<Offer, 'trialDays'>,
): Promise<number> {
  if (trialDays === 0) return 0;
  const buyer = { tenantId: tenant.id, userId: actor.id ?? '' };
  return (await isTrialAvailable(services.platform.query, buyer)) ? trialDays : 0;
}

/**
 * Reads the outcome of open checkouts that were created before a time from the provider, so that a payment is found
 * even when all its events were lost.
 */
export async function reconcileCheckouts(services: Services, payments: PaymentProvider, before: Timestamp) {
  for (const open of await listOpenCheckouts(services.platform, before, reconciledMax)) {
    const found =
      open.provider_checkout_id === null ? undefined : await payments.findCheckout(open.provider_checkout_id);
    if (found?.status === 'open') continue;
    if (found?.subscriptionId) await syncSubscription(services, payments, found.subscriptionId);
    await closeCheckout(services.platform, open.id, found?.status === 'complete' ? 'complete' : 'expired');
  }
}

function isFor(open: BillingCheckoutsTable, price: PlanPrice): boolean {
  const isSamePlan = open.plan_code === price.planCode && open.interval === price.interval;
  return isSamePlan && open.currency === price.currency && open.amount === price.amount;
}

/** Returns the provider's checkout. Creates it first if a crash prevented that. */
async function ensureAtProvider(
  change: Change,
  open: BillingCheckoutsTable,
  price: PlanPrice,
): Promise<ProviderCheckout> {
  const { services, payments, tenant } = change;
  const [email = ''] = await listOwnerEmails(services.platform, tenant.id);
  const returnUrl = `${services.config.publicUrl}/billing`;
  const created = await callProvider(() =>
    payments.createCheckout({
      reference: open.id,
      customer: { email, name: tenant.name },
      price,
      trialDays: open.trial_days,
      successUrl: `${returnUrl}?checkout=complete`,
      cancelUrl: `${returnUrl}?checkout=canceled`,
    }),
  );
  if (open.provider_checkout_id === null) await nameCheckout(services.platform, open.id, created.id);
  return created;
}

/**
 * Expires a checkout of another plan at the provider, and returns its result: it may have been paid just now.
 */
async function expire(change: Change, open: BillingCheckoutsTable): Promise<ProviderCheckout> {
  const { planCode, planName } = { planCode: open.plan_code, planName: open.plan_code };
  const { interval, currency, amount } = open;
  const { id } = await ensureAtProvider(change, open, { planCode, planName, interval, currency, amount });
  return await callProvider(async () => {
    await change.payments.expireCheckout(id);
    const expired = await change.payments.findCheckout(id);
    if (expired !== undefined) return expired;
    return { id, reference: open.id, status: 'expired', url: null, customerId: null, subscriptionId: null };
  });
}

/** Closes a checkout that is over at the provider. Throws 409 `BILLING.REFUSED` when it was paid. */
async function settle(change: Change, open: BillingCheckoutsTable, checkout: ProviderCheckout): Promise<void> {
  const { services, payments } = change;
  const { subscriptionId } = checkout;
  if (checkout.status !== 'complete' || subscriptionId === null) {
    await closeCheckout(services.platform, open.id, 'expired');
    return;
  }
  await callProvider(() => syncSubscription(services, payments, subscriptionId));
  await closeCheckout(services.platform, open.id, 'complete');
  throw new AppError('BILLING.REFUSED', 'A payment for this tenant has just arrived. Read its plan again.');
}
