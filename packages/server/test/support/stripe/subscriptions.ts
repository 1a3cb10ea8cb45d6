import { invalid, listOf, nowSeconds, type StripeAccount, StripeFailure, type StripeObject } from './account.ts';
import { branch, type Form, leaf, numberIn } from './form.ts';
import { addInvoice } from './invoices.ts';

const daySeconds = 86_400;
const monthSeconds = 30 * daySeconds;

/** What the customer enters on the hosted page. */
export interface Purchase {
  /** False for a trial without a card. */
  readonly hasCard?: boolean;
  readonly promotionCode?: string;
  readonly taxId?: { readonly type: string; readonly value: string };
}

/** Completes a checkout, as the customer does on the hosted page, and returns the subscription. */
export function completeCheckout(account: StripeAccount, sessionId: string, purchase: Purchase = {}): StripeObject {
  const { hasCard = true, promotionCode, taxId } = purchase;
  const session = account.get(sessionId);
  const { form, price } = account.hidden.get(sessionId);
  const data = branch(form, 'subscription_data');
  const address = { line1: '1 Main St', line2: null, city: 'Berlin', postal_code: '10115', state: null, country: 'DE' };
  const customer = account.add({
    id: account.id('cus'),
    object: 'customer',
    email: session.customer_email,
    name: 'Acme GmbH',
    address,
  });
  if (taxId !== undefined) addTaxId(account, customer.id, taxId.type, taxId.value);
  const created = nowSeconds();
  const trialDays = numberIn(data, 'trial_period_days');
  const trialEnd = trialDays === 0 ? null : created + trialDays * daySeconds;
  const subscription = account.add({
    id: account.id('sub'),
    object: 'subscription',
    status: trialEnd === null ? 'active' : 'trialing',
    customer: customer.id,
    currency: price.currency,
    metadata: branch(data, 'metadata'),
    collection_method: 'charge_automatically',
    default_payment_method: hasCard ? account.id('pm') : null,
    automatic_tax: { enabled: leaf(branch(form, 'automatic_tax'), 'enabled') === 'true' },
    created,
    trial_start: trialEnd === null ? null : created,
    trial_end: trialEnd,
  });
  const period = { current_period_start: created, current_period_end: trialEnd ?? created + monthSeconds };
  const item = { id: account.id('si'), object: 'subscription_item', price, subscription: subscription.id, ...period };
  subscription.items = listOf([account.add(item)]);
  if (promotionCode !== undefined) redeem(account, subscription, promotionCode);
  Object.assign(session, { status: 'complete', customer: customer.id, subscription: subscription.id, url: null });
  addInvoice(account, subscription, [trialEnd === null ? price.unit_amount : 0], 'paid');
  return subscription;
}

/** Redeems a promotion code, by its id or by the code that customers enter. */
function redeem(account: StripeAccount, subscription: StripeObject, idOrCode: string): void {
  const promotion = account.all('promotion_code').find(({ id, code }) => id === idOrCode || code === idOrCode);
  const isExpired = promotion?.expires_at !== null && promotion?.expires_at <= nowSeconds();
  if (promotion?.active !== true || isExpired) throw invalid('This promotion code is not active.', 'coupon_expired');
  const coupon = account.get(promotion.promotion.coupon);
  if (coupon.currency !== null && coupon.currency !== subscription.currency) throw invalid('Another currency.');
  promotion.times_redeemed += 1;
  coupon.times_redeemed += 1;
  promotion.active = promotion.max_redemptions === null || promotion.times_redeemed < promotion.max_redemptions;
  const start = nowSeconds();
  const discount = account.add({
    id: account.id('di'),
    object: 'discount',
    promotion_code: promotion.id,
    source: { type: 'coupon', coupon: coupon.id },
    start,
    end: coupon.duration === 'repeating' ? start + coupon.duration_in_months * monthSeconds : null,
    subscription: subscription.id,
  });
  subscription.discounts = [discount.id];
}

/** Adds a tax id to a customer. Throws a 400 for a value that Stripe would refuse: here, one that contains `0000`. */
export function addTaxId(account: StripeAccount, customer: string, type: string, value: string): StripeObject {
  if (value.includes('0000')) throw invalid(`Invalid value for ${type}.`, 'tax_id_invalid');
  const id = account.id('txi');
  return account.add({ id, object: 'tax_id', customer: account.get(customer).id, type, value, country: 'DE' });
}

/** Updates the plan, the discounts, the trial or the cancellation of a subscription. */
export function updateSubscription(account: StripeAccount, subscription: StripeObject, form: Form): StripeObject {
  const change = branch(branch(form, 'items'), '0');
  if (leaf(change, 'price') !== '') changePrice(account, subscription, form, change);
  const discount = branch(branch(form, 'discounts'), '0');
  if (leaf(discount, 'promotion_code') !== '') redeem(account, subscription, leaf(discount, 'promotion_code'));
  if (form['trial_end'] !== undefined) moveTrialEnd(subscription, numberIn(form, 'trial_end'));
  const [item] = subscription.items.data;
  if (form['cancel_at_period_end'] !== undefined) {
    if (subscription.schedule !== null) throw invalid('The subscription is managed by a schedule: release it.');
    subscription.cancel_at_period_end = form['cancel_at_period_end'] === 'true';
    subscription.canceled_at = subscription.cancel_at_period_end ? nowSeconds() : null;
    subscription.cancel_at = subscription.cancel_at_period_end ? item.current_period_end : null;
  }
  if (form['cancel_at'] === '') Object.assign(subscription, { cancel_at: null, canceled_at: null });
  return subscription;
}

function moveTrialEnd(subscription: StripeObject, end: number): void {
  if (end <= nowSeconds()) throw invalid('trial_end must be in the future.');
  subscription.trial_end = end;
  subscription.items.data[0].current_period_end = end;
}

function changePrice(account: StripeAccount, subscription: StripeObject, form: Form, change: Form): void {
  const [item] = subscription.items.data;
  if (leaf(change, 'id') !== item.id) throw invalid('The item does not belong to this subscription.');
  const price = account.get(leaf(change, 'price'));
  if (price.currency !== subscription.currency) throw invalid('The price has another currency than the subscription.');
  if (leaf(form, 'proration_behavior') === 'always_invoice') {
    // With `error_if_incomplete` a declined payment is a 402 and changes nothing.
    if (leaf(form, 'payment_behavior') !== 'error_if_incomplete') throw new StripeFailure(402, declined);
    account.pay();
    addInvoice(account, subscription, [-item.price.unit_amount / 2, price.unit_amount / 2], 'paid');
  }
  item.price = price;
}

const declined = { type: 'card_error', code: 'card_declined', message: 'Your card was declined.' };

/** Creates the schedule of a subscription with one phase: its present period. */
export function createSchedule(account: StripeAccount, subscription: StripeObject): StripeObject {
  if (subscription.schedule !== null) throw invalid('The subscription already has a schedule.');
  const [item] = subscription.items.data;
  const current = { start_date: item.current_period_start, end_date: item.current_period_end };
  const { id, currency, customer } = subscription;
  const made = account.add({
    id: account.id('sub_sched'),
    object: 'subscription_schedule',
    status: 'active',
    customer,
    current_phase: current,
    phases: [{ ...current, currency, items: [{ price: item.price.id, quantity: 1 }] }],
    subscription: id,
  });
  subscription.schedule = made.id;
  return made;
}

/** Replaces the phases of a schedule. As at Stripe, a phase without discounts or trial has none. */
export function updateSchedule(account: StripeAccount, schedule: StripeObject, form: Form): StripeObject {
  if (schedule.status !== 'active') throw invalid('Only an active schedule can be updated.');
  const phases = Object.values(branch(form, 'phases')).map((phase) => phase as Form);
  const [current] = phases;
  if (current === undefined || numberIn(current, 'start_date') !== schedule.phases[0].start_date) {
    throw invalid('The start of the current phase cannot be changed.');
  }
  const subscription = account.get(schedule.subscription);
  let start = schedule.phases[0].start_date;
  schedule.phases = phases.map((phase) => {
    const end_date = numberIn(phase, 'end_date') || start + monthSeconds;
    const price = account.get(leaf(branch(branch(phase, 'items'), '0'), 'price')).id;
    const discounts = Object.values(branch(phase, 'discounts')).map((discount) => leaf(discount as Form, 'discount'));
    const made = { start_date: start, end_date, items: [{ price, quantity: 1 }], currency: subscription.currency };
    start = end_date;
    return { ...made, discounts: discounts.map((discount) => ({ coupon: null, discount, promotion_code: null })) };
  });
  subscription.discounts = schedule.phases[0].discounts.map(({ discount }: StripeObject) => discount);
  if (leaf(current, 'trial') !== 'true' && subscription.status === 'trialing') {
    Object.assign(subscription, { status: 'active', trial_end: nowSeconds() });
  }
  return account.add(schedule);
}

/** Releases a subscription from its schedule. */
export function releaseSchedule(account: StripeAccount, schedule: StripeObject): StripeObject {
  if (schedule.status !== 'active') throw invalid('Only an active schedule can be released.');
  account.get(schedule.subscription).schedule = null;
  return Object.assign(schedule, { status: 'released' });
}
