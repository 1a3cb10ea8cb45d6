import type { BillingCheckoutsTable } from '../../../db/tables/platform/billing.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { AppError } from '../../../lib/error.ts';
import { newId } from '../../../lib/ids.ts';
import { askProvider } from '../../../payments/ask-provider.ts';
import type { PaymentProvider, PlanPrice, ProviderCheckout } from '../../../payments/provider.ts';
import { listOwnerEmails } from '../../accounts/memberships/service.ts';
import {
  closeCheckout,
  findOpenCheckout,
  insertCheckout,
  listOpenCheckouts,
  nameCheckout,
} from './checkout-queries.ts';
import type { Change } from './current-service.ts';
import { type SyncServices, syncSubscription } from './sync-service.ts';

/** Each turn settles a checkout that stood in the way, or loses against a request that runs beside it. */
const turnsMost = 5;
const reconciledMost = 500;

/**
 * Where a tenant without a subscription pays for a plan. A tenant has one open checkout at most, so that nobody pays twice:
 * another plan ends the one before. The same plan answers the same page. Throws 409 `BILLING.REFUSED` when a payment has
 * arrived meanwhile.
 */
export async function openCheckout(change: Change, price: PlanPrice): Promise<string> {
  const { services, tenant, actor } = change;
  for (let turn = 0; turn < turnsMost; turn += 1) {
    const open = await findOpenCheckout(services.platform, tenant.id);
    if (open === undefined) {
      const { planCode: plan_code, interval, currency, amount } = price;
      const names = { id: newId(), tenant_id: tenant.id, provider_checkout_id: null, user_id: actor.id ?? '' };
      const bought = {
        status: 'open',
        plan_code,
        interval,
        currency,
        amount,
        created_at: services.clock.now(),
      } as const;
      await insertCheckout(services.platform, { ...names, ...bought });
      continue;
    }
    const checkout = isFor(open, price) ? await reach(change, open, price) : await end(change, open);
    if (checkout.status === 'open' && checkout.url !== null) return checkout.url;
    await settle(change, open, checkout);
  }
  throw new AppError('BILLING.REFUSED', 'Another checkout is being opened for this tenant. Try again.');
}

/** Settles the checkouts of which every event was lost: a payment is found all the same. */
export async function reconcileCheckouts(services: SyncServices, payments: PaymentProvider, before: Timestamp) {
  for (const open of await listOpenCheckouts(services.platform, before, reconciledMost)) {
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

/** The provider's checkout of ours, made if a crash kept it from being made. */
async function reach(change: Change, open: BillingCheckoutsTable, price: PlanPrice): Promise<ProviderCheckout> {
  const { services, payments, tenant } = change;
  const [email = ''] = await listOwnerEmails(services.platform, tenant.id);
  const back = `${services.config.publicUrl}/billing`;
  const made = await askProvider(() =>
    payments.createCheckout({
      reference: open.id,
      customer: { email, name: tenant.name },
      price,
      successUrl: `${back}?checkout=complete`,
      cancelUrl: `${back}?checkout=canceled`,
    }),
  );
  if (open.provider_checkout_id === null) await nameCheckout(services.platform, open.id, made.id);
  return made;
}

/** Ends a checkout of another plan, unless it was paid just now. */
async function end(change: Change, open: BillingCheckoutsTable): Promise<ProviderCheckout> {
  const { planCode, planName } = { planCode: open.plan_code, planName: open.plan_code };
  const { interval, currency, amount } = open;
  const { id } = await reach(change, open, { planCode, planName, interval, currency, amount });
  return await askProvider(async () => {
    await change.payments.expireCheckout(id);
    const ended = await change.payments.findCheckout(id);
    if (ended !== undefined) return ended;
    return { id, reference: open.id, status: 'expired', url: null, customerId: null, subscriptionId: null };
  });
}

async function settle(change: Change, open: BillingCheckoutsTable, checkout: ProviderCheckout): Promise<void> {
  const { services, payments } = change;
  const { subscriptionId } = checkout;
  if (checkout.status !== 'complete' || subscriptionId === null) {
    await closeCheckout(services.platform, open.id, 'expired');
    return;
  }
  await askProvider(() => syncSubscription(services, payments, subscriptionId));
  await closeCheckout(services.platform, open.id, 'complete');
  throw new AppError('BILLING.REFUSED', 'A payment for this tenant has just arrived. Reload to see its plan.');
}
