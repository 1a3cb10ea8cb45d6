import type { BillingInterval } from '../../../db/tables/platform/billing.ts';
import type { RevenueDaysTable } from '../../../db/tables/platform/operations.ts';
import { registerCustomer } from '../../../features/commerce/billing/customer-service.ts';
import { syncSubscription } from '../../../features/commerce/billing/sync-service.ts';
import type { CreateCoupon } from '../../../features/commerce/coupons/schemas.ts';
import { createCoupon, findCouponByCode, readCoupon } from '../../../features/commerce/coupons/service.ts';
import { findPlanByCode } from '../../../features/commerce/plans/service.ts';
import { dayAt } from '../../../features/operations/activity/counters.ts';
import { recordDemoRows } from '../../../features/operations/demo-data/queries.ts';
import { createPastRevenue } from '../../../features/operations/metrics/service.ts';
import type { Card } from '../../../payments/sandbox/cards.ts';
import { createSandbox, type Sandbox } from '../../../payments/sandbox/sandbox.ts';
import type { Services } from '../../../services.ts';
import { systemActor } from '../../../tenancy/tenant.ts';
import { historyDays } from './activity.ts';
import { dayMs, type Present, servicesAt } from './past.ts';

/** A subscription that a tenant of the demo has had for some time. */
export interface PastSubscription {
  readonly tenantId: string;
  readonly planCode: string;
  readonly interval: BillingInterval;
  readonly startedMs: number;
  /** `declined`: every renewal fails; `canceled`: it ends with the current period; `trialing`: without a card. */
  readonly fate: 'paid' | 'declined' | 'canceled' | 'trialing';
  /** The code of the coupon with which it was bought. */
  readonly coupon?: string;
}

/** The days of the demo's free trials. */
export const demoTrialDays = 14;

const goodCard: Card = { brand: 'Visa', last4: '4242', behaviour: 'succeeds' };
const badCard: Card = { brand: 'Visa', last4: '0341', behaviour: 'fails_later' };

/**
 * Buys the subscriptions in the sandbox at their times in the past, renews them up to now, and copies them with their
 * invoices. Sends no mail. Does nothing without the sandbox.
 */
export async function buySubscriptions(
  services: Services,
  present: Present,
  subscriptions: readonly PastSubscription[],
): Promise<void> {
  if (services.sandbox === null) return;
  const silent = servicesAt(services, present.nowMs);
  const ids: string[] = [];
  for (const subscription of subscriptions) ids.push(await buy(services, services.sandbox, subscription));
  const sandbox = quietSandbox(silent, services.sandbox);
  await sandbox.passTime();
  // The events of the past are taken as delivered: the subscriptions are copied below.
  await sandbox.sendEvents();
  for (const [index, id] of ids.entries()) {
    if (subscriptions[index]?.fate === 'canceled') await sandbox.provider.setCancelAtPeriodEnd(id, true);
  }
  await sandbox.sendEvents();
  for (const id of ids) await syncSubscription(silent, sandbox.provider, id);
}

/** The sandbox as of a time. Its events are not delivered. */
function quietSandbox({ clock }: Services, { context }: Sandbox): Sandbox {
  return createSandbox({ ...context, clock, kick: () => undefined, sendEvent: async () => 200 });
}

function cardOf(fate: PastSubscription['fate']): Card | null {
  if (fate === 'trialing') return null;
  return fate === 'declined' ? badCard : goodCard;
}

/** Buys a subscription and returns its id at the sandbox. */
async function buy(
  services: Services,
  current: Sandbox,
  { tenantId, planCode, interval, startedMs, fate, coupon }: PastSubscription,
): Promise<string> {
  const then = servicesAt(services, startedMs);
  const sandbox = quietSandbox(then, current);
  const offered = await findPlanByCode(services.platform, planCode);
  const price = offered?.prices.find((one) => one.interval === interval);
  if (offered === undefined || price === undefined) throw new Error(`The demo's plan ${planCode} has no price.`);
  const { currency, amount } = price;
  const checkout = await sandbox.provider.createCheckout({
    reference: tenantId,
    customer: { email: 'billing@demo.example', name: 'Demo' },
    price: { planCode, planName: offered.plan.name, interval, currency, amount },
    trialDays: fate === 'trialing' ? demoTrialDays : 0,
    successUrl: services.config.publicUrl,
    cancelUrl: services.config.publicUrl,
  });
  await sandbox.pay(checkout.id, cardOf(fate), { coupon: coupon ?? null });
  const paid = await sandbox.provider.findCheckout(checkout.id);
  if (paid === undefined || paid.customerId === null || paid.subscriptionId === null) {
    throw new Error("The sandbox did not complete the demo's checkout.");
  }
  const customer = {
    tenant_id: tenantId,
    provider: 'sandbox',
    provider_customer_id: paid.customerId,
    created_at: then.clock.now(),
  } as const;
  await services.platform.transaction((tx) => registerCustomer(tx, customer));
  await syncSubscription(then, sandbox.provider, paid.subscriptionId);
  return paid.subscriptionId;
}

/** The coupon that a subscription of the demo has. In percent. */
export const loyaltyCoupon = { code: 'DEMO-LOYALTY25', percentOff: 25 } as const;

const coupons: readonly CreateCoupon[] = [
  {
    code: loyaltyCoupon.code,
    name: '25 % for loyal customers (demo)',
    percent_off: loyaltyCoupon.percentOff,
    duration: 'forever',
  },
  {
    code: 'DEMO-WELCOME10',
    name: 'EUR 10.00 off the first invoice (demo)',
    amount_off: 1000,
    currency: 'eur',
    duration: 'once',
    max_redemptions: 100,
  },
];

/** Creates the coupons of the demo. Does nothing without the sandbox. */
export async function createDemoCoupons(services: Services): Promise<void> {
  if (services.sandbox === null) return;
  for (const coupon of coupons) {
    if ((await findCouponByCode(services.platform, coupon.code)) !== undefined) continue;
    const { id } = await createCoupon(services, systemActor, coupon);
    await services.platform.transaction((tx) => recordDemoRows(tx, 'coupons', [id]));
  }
}

/** Reads how often the coupons of the demo were redeemed. */
export async function countDemoRedemptions(services: Services): Promise<void> {
  for (const { code } of coupons) {
    const coupon = await findCouponByCode(services.platform, code);
    if (coupon !== undefined) await readCoupon(services, coupon.id);
  }
}

/** Stores the monthly recurring revenue of the days before now, as the subscriptions of each day make it. */
export async function writeRevenue(
  { platform, sandbox }: Services,
  present: Present,
  subscriptions: readonly PastSubscription[],
): Promise<void> {
  if (sandbox === null) return;
  const monthly: { readonly startedMs: number; readonly currency: string; readonly amount: number }[] = [];
  for (const { planCode, interval, startedMs, fate, coupon } of subscriptions) {
    if (fate === 'trialing') continue;
    const plan = await findPlanByCode(platform, planCode);
    const price = plan?.prices.find((one) => one.interval === interval);
    if (price === undefined) continue;
    const { currency } = price;
    const percentOff = coupon === loyaltyCoupon.code ? loyaltyCoupon.percentOff : 0;
    const amount = Math.round((price.amount * (100 - percentOff)) / (interval === 'month' ? 100 : 1200));
    monthly.push({ startedMs, currency, amount });
  }
  const rows: RevenueDaysTable[] = [];
  for (let ago = historyDays; ago >= 1; ago -= 1) {
    const atMs = present.nowMs - ago * dayMs;
    const running = monthly.filter(({ startedMs }) => startedMs < atMs);
    for (const [currency, ofCurrency] of Map.groupBy(running, (one) => one.currency)) {
      rows.push({ day: dayAt(atMs), currency, amount: ofCurrency.reduce((sum, { amount }) => sum + amount, 0) });
    }
  }
  await platform.transaction(async (tx) => {
    await createPastRevenue(tx, rows);
    await recordDemoRows(tx, 'revenue_days', [...new Set(rows.map(({ day }) => day))]);
  });
}
