import { branch, type Form, leaf } from './form.ts';

// A simulated Stripe account, reduced to the needs of the tests. Its objects have the fields that the service reads, at
// the paths of the pinned API version.

// biome-ignore lint/suspicious/noExplicitAny: objects of an external API; the service uses the library's types.
export type StripeObject = any;

/** An error response of the API. */
export class StripeFailure extends Error {
  readonly status: number;
  readonly body: object;

  constructor(status: number, error: { type: string; code?: string; message: string; param?: string }) {
    super(error.message);
    this.status = status;
    this.body = { error };
  }
}

function missing(id: string): StripeFailure {
  return new StripeFailure(404, { type: 'invalid_request_error', code: 'resource_missing', message: `No such: ${id}` });
}

export function invalid(message: string, code = 'invalid'): StripeFailure {
  return new StripeFailure(400, { type: 'invalid_request_error', code, message });
}

export const nowSeconds = () => Math.floor(Date.now() / 1000);
const monthSeconds = 30 * 86_400;

/** One account and all of its objects. */
export class StripeAccount {
  readonly objects = new Map<string, StripeObject>();
  /** The number of following payments that fail. */
  declines = 0;
  #last = 0;

  id(prefix: string): string {
    this.#last += 1;
    return `${prefix}_${this.#last}`;
  }

  add(object: StripeObject): StripeObject {
    this.objects.set(object.id, object);
    return object;
  }

  get(id: string): StripeObject {
    const object = this.objects.get(id);
    if (object === undefined) throw missing(id);
    return object;
  }

  all(kind: string): StripeObject[] {
    return [...this.objects.values()].filter((object) => object.object === kind);
  }

  #pay(): void {
    if (this.declines === 0) return;
    this.declines -= 1;
    throw new StripeFailure(402, { type: 'card_error', code: 'card_declined', message: 'Your card was declined.' });
  }

  /** Completes a checkout, as the customer does on the hosted page, and returns the subscription. */
  completeCheckout(sessionId: string): StripeObject {
    const session = this.get(sessionId);
    const customer = this.add({ id: this.id('cus'), object: 'customer', email: session.customer_email, balance: 0 });
    const created = nowSeconds();
    const subscription = this.add({
      id: this.id('sub'),
      object: 'subscription',
      status: 'active',
      customer: customer.id,
      currency: session.price.currency,
      metadata: session.subscription_metadata,
      cancel_at: null,
      cancel_at_period_end: false,
      canceled_at: null,
      trial_end: null,
      schedule: null,
      created,
      items: { object: 'list', has_more: false, data: [] },
    });
    const period = { current_period_start: created, current_period_end: created + monthSeconds };
    subscription.items.data.push({ id: this.id('si'), object: 'subscription_item', price: session.price, ...period });
    Object.assign(session, { status: 'complete', customer: customer.id, subscription: subscription.id, url: null });
    this.addInvoice(subscription, [session.price.unit_amount], 'paid');
    return subscription;
  }

  addInvoice(subscription: StripeObject, amounts: readonly number[], status: 'open' | 'paid'): StripeObject {
    return this.add(this.invoiceOf(subscription, amounts, status, this.id('in')));
  }

  invoiceOf(subscription: StripeObject, amounts: readonly number[], status: string, id: string): StripeObject {
    const [item] = subscription.items.data;
    const period = { start: item.current_period_start, end: item.current_period_end };
    const total = amounts.reduce((sum, amount) => sum + amount, 0);
    const created = nowSeconds();
    const lines = amounts.map((amount, position) => ({
      id: `il_${position}`,
      object: 'line_item',
      amount,
      description: `Line ${position + 1}`,
      quantity: 1,
      period,
    }));
    return {
      id,
      object: 'invoice',
      customer: subscription.customer,
      parent: { subscription_details: { subscription: subscription.id, metadata: subscription.metadata } },
      status,
      currency: subscription.currency,
      subtotal: total,
      total_taxes: [],
      total,
      amount_due: total,
      amount_paid: status === 'paid' ? total : 0,
      lines: { object: 'list', has_more: lines.length > 10, data: lines.slice(0, 10) },
      all_lines: lines,
      attempt_count: 1,
      next_payment_attempt: status === 'open' ? created + 86_400 : null,
      due_date: null,
      hosted_invoice_url: `https://invoice.stripe.test/${id}`,
      created,
      status_transitions: { finalized_at: created, paid_at: status === 'paid' ? created : null },
    };
  }

  updateSubscription(subscription: StripeObject, form: Form): StripeObject {
    const [item] = subscription.items.data;
    const change = branch(branch(form, 'items'), '0');
    if (leaf(change, 'price') !== '') {
      if (leaf(change, 'id') !== item.id) throw invalid('The item does not belong to this subscription.');
      const price = this.get(leaf(change, 'price'));
      if (price.currency !== subscription.currency)
        throw invalid('The price has another currency than the subscription.');
      // With `error_if_incomplete` a declined payment is a 402 and changes nothing.
      this.#pay();
      this.addInvoice(subscription, [-item.price.unit_amount / 2, price.unit_amount / 2], 'paid');
      item.price = price;
    }
    if (form['cancel_at_period_end'] !== undefined) {
      if (subscription.schedule !== null) throw invalid('The subscription is managed by a schedule: release it.');
      subscription.cancel_at_period_end = form['cancel_at_period_end'] === 'true';
      subscription.canceled_at = subscription.cancel_at_period_end ? nowSeconds() : null;
      subscription.cancel_at = subscription.cancel_at_period_end ? item.current_period_end : null;
    }
    if (form['cancel_at'] === '') Object.assign(subscription, { cancel_at: null, canceled_at: null });
    return subscription;
  }

  payInvoice(invoice: StripeObject): StripeObject {
    if (invoice.status !== 'open') throw invalid('Invoice is already paid', 'invoice_already_paid');
    invoice.attempt_count += 1;
    this.#pay();
    invoice.status_transitions.paid_at = nowSeconds();
    return Object.assign(invoice, { status: 'paid', amount_paid: invoice.amount_due, next_payment_attempt: null });
  }

  settleInvoice(invoice: StripeObject, status: 'void' | 'uncollectible'): StripeObject {
    if (invoice.status !== 'open') throw invalid(`You can only pass in open invoices. This one is ${invoice.status}.`);
    return Object.assign(invoice, { status, next_payment_attempt: null });
  }

  schedule(subscription: StripeObject): StripeObject {
    if (subscription.schedule !== null) throw invalid('The subscription already has a schedule.');
    const [item] = subscription.items.data;
    const current = { start_date: item.current_period_start, end_date: item.current_period_end };
    const phases = [{ ...current, items: [{ price: item.price.id }] }];
    const id = this.id('sub_sched');
    subscription.schedule = id;
    const schedule = { id, object: 'subscription_schedule', status: 'active', current_phase: current, phases };
    return this.add({ ...schedule, subscription: subscription.id });
  }

  updateSchedule(schedule: StripeObject, form: Form): StripeObject {
    if (schedule.status !== 'active') throw invalid('Only an active schedule can be updated.');
    const phases = Object.values(branch(form, 'phases')).map((phase) => phase as Form);
    const [current] = phases;
    if (current === undefined || Number(leaf(current, 'start_date')) !== schedule.phases[0].start_date) {
      throw invalid('The start of the current phase cannot be changed.');
    }
    let start = schedule.phases[0].start_date;
    schedule.phases = phases.map((phase) => {
      const end_date = Number(leaf(phase, 'end_date')) || start + monthSeconds;
      const price = this.get(leaf(branch(branch(phase, 'items'), '0'), 'price')).id;
      const made = { start_date: start, end_date, items: [{ price }] };
      start = end_date;
      return made;
    });
    return schedule;
  }

  releaseSchedule(schedule: StripeObject): StripeObject {
    if (schedule.status !== 'active') throw invalid('Only an active schedule can be released.');
    this.get(schedule.subscription).schedule = null;
    return Object.assign(schedule, { status: 'released' });
  }

  /** Returns a subscription with the objects that `expand` requests. */
  expandSubscription(subscription: StripeObject, expand: readonly string[]): StripeObject {
    if (subscription.schedule === null || !expand.some((path) => path.startsWith('schedule'))) return subscription;
    const schedule = this.get(subscription.schedule);
    const withPrices = expand.includes('schedule.phases.items.price');
    const phases = schedule.phases.map((phase: StripeObject) => ({
      ...phase,
      items: phase.items.map(({ price }: StripeObject) => ({ price: withPrices ? this.get(price) : price })),
    }));
    return { ...subscription, schedule: { ...schedule, phases } };
  }
}
