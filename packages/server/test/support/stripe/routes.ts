import { invalid, listOf, nowSeconds, type StripeAccount, type StripeObject } from './account.ts';
import { branch, type Form, leaf, numberIn } from './form.ts';
import { addInvoice, addItem, closeInvoice, createCreditNote, createDraft, finalize, payInvoice } from './invoices.ts';
import { addTaxId, createSchedule, releaseSchedule, updateSchedule, updateSubscription } from './subscriptions.ts';

/** One route of the API. The parameters were checked before it is called. */
interface StripeRoute {
  readonly method: string;
  readonly path: RegExp;
  readonly handle: (account: StripeAccount, ids: readonly string[], form: Form) => StripeObject;
}

function route(method: 'GET' | 'POST' | 'DELETE', path: string, handle: StripeRoute['handle']): StripeRoute {
  return { method, path: new RegExp(`^/v1/${path.replaceAll(':id', '([^/]+)')}$`), handle };
}

const at = (ids: readonly string[], position = 0) => ids[position] ?? '';

/** Returns the page of a list that a request asks for, the newest objects first. */
function page(objects: readonly StripeObject[], form: Form): StripeObject {
  const after = leaf(form, 'starting_after');
  const start = after === '' ? 0 : objects.findIndex(({ id }) => id === after) + 1;
  const end = start + (numberIn(form, 'limit') || 10);
  return { ...listOf(objects.slice(start, end)), has_more: end < objects.length };
}

/** Returns an optional number of a form; null if there is none. */
const optional = (form: Form, name: string) => (form[name] === undefined ? null : numberIn(form, name));

const catalogRoutes = [
  route('GET', 'products/:id', (account, ids) => account.get(at(ids))),
  route('POST', 'products', (account, _ids, form) => {
    const id = leaf(form, 'id');
    if (account.objects.has(id)) throw invalid('Product already exists.', 'resource_already_exists');
    return account.add({ id, object: 'product', name: leaf(form, 'name'), updated: nowSeconds() });
  }),
  route('GET', 'prices', (account, _ids, form) => {
    const keys = Object.values(branch(form, 'lookup_keys'));
    return listOf(account.all('price').filter((price) => keys.includes(price.lookup_key)));
  }),
  route('POST', 'prices', (account, _ids, form) => {
    const [product, lookup_key] = [account.get(leaf(form, 'product')).id, leaf(form, 'lookup_key')];
    if (account.all('price').some((price) => price.lookup_key === lookup_key)) {
      throw invalid('A price with this lookup key exists already.');
    }
    return account.add({
      id: account.id('price'),
      object: 'price',
      active: true,
      product,
      lookup_key,
      type: 'recurring',
      recurring: { interval: leaf(branch(form, 'recurring'), 'interval'), interval_count: 1 },
      currency: leaf(form, 'currency'),
      unit_amount: numberIn(form, 'unit_amount'),
      tax_behavior: leaf(form, 'tax_behavior') || 'unspecified',
      metadata: branch(form, 'metadata'),
    });
  }),
  route('POST', 'prices/:id', (account, ids, form) => {
    const price = account.get(at(ids));
    if (price.tax_behavior !== 'unspecified') throw invalid('The tax behavior cannot be changed.');
    return Object.assign(price, { tax_behavior: leaf(form, 'tax_behavior') });
  }),
  route('GET', 'tax_rates/:id', (account, ids) => account.get(at(ids))),
];

const couponRoutes = [
  route('GET', 'coupons/:id', (account, ids) => account.get(at(ids))),
  route('POST', 'coupons', (account, _ids, form) => {
    const id = leaf(form, 'id');
    if (account.objects.has(id)) throw invalid('Coupon already exists.', 'resource_already_exists');
    const [percent_off, amount_off] = [optional(form, 'percent_off'), optional(form, 'amount_off')];
    if ((percent_off === null) === (amount_off === null)) throw invalid('Pass percent_off or amount_off.');
    return account.add({
      id,
      object: 'coupon',
      name: leaf(form, 'name'),
      percent_off,
      amount_off,
      currency: leaf(form, 'currency') || null,
      duration: leaf(form, 'duration'),
      duration_in_months: optional(form, 'duration_in_months'),
      metadata: branch(form, 'metadata'),
      valid: true,
    });
  }),
  route('GET', 'promotion_codes', (account, _ids, form) => {
    const code = leaf(form, 'code').toLowerCase();
    const found = account.all('promotion_code').filter((promotion) => promotion.code.toLowerCase() === code);
    return page(found.reverse(), form);
  }),
  route('POST', 'promotion_codes', (account, _ids, form) => {
    const code = leaf(form, 'code');
    if (account.all('promotion_code').some((promotion) => promotion.active && promotion.code === code)) {
      throw invalid('An active promotion code with this code already exists.');
    }
    return account.add({
      id: account.id('promo'),
      object: 'promotion_code',
      active: true,
      code,
      promotion: { type: 'coupon', coupon: account.get(leaf(branch(form, 'promotion'), 'coupon')).id },
      expires_at: optional(form, 'expires_at'),
      max_redemptions: optional(form, 'max_redemptions'),
      metadata: branch(form, 'metadata'),
    });
  }),
  route('POST', 'promotion_codes/:id', (account, ids, form) =>
    Object.assign(account.get(at(ids)), { active: leaf(form, 'active') === 'true' }),
  ),
];

const checkoutRoutes = [
  route('POST', 'checkout/sessions', (account, _ids, form) => {
    const id = account.id('cs_test');
    const price = account.get(leaf(branch(branch(form, 'line_items'), '0'), 'price'));
    account.hidden.set(id, { form, price });
    return account.add({
      id,
      object: 'checkout.session',
      mode: leaf(form, 'mode'),
      status: 'open',
      url: `https://checkout.stripe.test/${id}`,
      client_reference_id: leaf(form, 'client_reference_id'),
      customer_email: leaf(form, 'customer_email'),
      payment_method_types: ['card'],
    });
  }),
  route('GET', 'checkout/sessions/:id', (account, ids) => account.get(at(ids))),
  route('POST', 'checkout/sessions/:id/expire', (account, ids) => {
    const session = account.get(at(ids));
    if (session.status !== 'open') throw invalid('Only an open session can be expired.');
    return Object.assign(session, { status: 'expired', url: null });
  }),
];

const subscriptionRoutes = [
  route('GET', 'subscriptions/:id', (account, ids) => account.get(at(ids))),
  route('POST', 'subscriptions/:id', (account, ids, form) => updateSubscription(account, account.get(at(ids)), form)),
  route('DELETE', 'subscriptions/:id', (account, ids) =>
    Object.assign(account.get(at(ids)), { status: 'canceled', canceled_at: nowSeconds(), ended_at: nowSeconds() }),
  ),
  route('POST', 'subscription_schedules', (account, _ids, form) =>
    createSchedule(account, account.get(leaf(form, 'from_subscription'))),
  ),
  route('POST', 'subscription_schedules/:id', (account, ids, form) =>
    updateSchedule(account, account.get(at(ids)), form),
  ),
  route('POST', 'subscription_schedules/:id/release', (account, ids) => releaseSchedule(account, account.get(at(ids)))),
];

const invoiceRoutes = [
  route('GET', 'invoices', (account, _ids, form) => {
    const [subscription, customer] = [leaf(form, 'subscription'), leaf(form, 'customer')];
    const isWanted = (invoice: StripeObject) =>
      subscription === ''
        ? invoice.customer === customer
        : invoice.parent?.subscription_details.subscription === subscription;
    return page(account.all('invoice').filter(isWanted).reverse(), form);
  }),
  route('POST', 'invoices', (account, _ids, form) => createDraft(account, form)),
  route('POST', 'invoices/create_preview', (account, _ids, form) => {
    const subscription = account.get(leaf(form, 'subscription'));
    const old = subscription.items.data[0].price.unit_amount;
    const change = branch(branch(branch(form, 'subscription_details'), 'items'), '0');
    const price = leaf(change, 'price');
    const amounts = price === '' ? [old] : [-old / 2, account.get(price).unit_amount / 2];
    const preview = addInvoice(account, subscription, amounts, 'draft');
    account.objects.delete(preview.id);
    return { ...preview, id: 'upcoming_in_1' };
  }),
  route('GET', 'invoices/:id', (account, ids) => account.get(at(ids))),
  route('DELETE', 'invoices/:id', (account, ids) => {
    const { id, status } = account.get(at(ids));
    if (status !== 'draft') throw invalid('You can only delete draft invoices.');
    account.objects.delete(id);
    return { id, object: 'invoice', deleted: true };
  }),
  route('GET', 'invoices/:id/lines', (account, ids, form) => page(account.get(at(ids)).lines.data, form)),
  route('POST', 'invoices/:id/finalize', (account, ids) => finalize(account, account.get(at(ids)), false)),
  route('POST', 'invoices/:id/pay', (account, ids) => payInvoice(account, account.get(at(ids)))),
  route('POST', 'invoices/:id/void', (account, ids) => closeInvoice(account.get(at(ids)), 'void')),
  route('POST', 'invoices/:id/mark_uncollectible', (account, ids) =>
    closeInvoice(account.get(at(ids)), 'uncollectible'),
  ),
  route('POST', 'invoiceitems', (account, _ids, form) => addItem(account, form)),
  route('GET', 'credit_notes', (account, _ids, form) => {
    const notes = account.all('credit_note').filter(({ invoice }) => invoice === leaf(form, 'invoice'));
    return page(notes.reverse(), form);
  }),
  route('POST', 'credit_notes', (account, _ids, form) => createCreditNote(account, form)),
];

/** Returns the fields of a form that a customer has. The empty text removes a field. */
function customerFields(form: Form): StripeObject {
  const { address, invoice_settings, ...others } = form;
  const fields = branch(form, 'invoice_settings')['custom_fields'];
  const custom_fields = typeof fields === 'object' ? Object.values(fields) : null;
  return {
    ...others,
    ...(address !== undefined && { address: address === '' ? null : address }),
    ...(invoice_settings !== undefined && {
      invoice_settings: { custom_fields, default_payment_method: null, footer: null, rendering_options: null },
    }),
  };
}

const customerRoutes = [
  route('GET', 'customers/search', (account, _ids, form) => {
    const [, key = '', value] = /^metadata\['(\w+)'\]:'([^']+)'$/.exec(leaf(form, 'query')) ?? [];
    const found = account.all('customer').filter(({ metadata }) => metadata[key] === value);
    return { ...listOf(account.isSearchStale ? [] : found), object: 'search_result', next_page: null };
  }),
  route('GET', 'customers/:id', (account, ids) => account.get(at(ids))),
  route('POST', 'customers', (account, _ids, form) =>
    account.add({ id: account.id('cus'), object: 'customer', ...customerFields(form) }),
  ),
  route('POST', 'customers/:id', (account, ids, form) => Object.assign(account.get(at(ids)), customerFields(form))),
  route('GET', 'customers/:id/payment_methods', (account, ids) =>
    listOf(account.all('payment_method').filter(({ customer }) => customer === at(ids))),
  ),
  route('GET', 'customers/:id/tax_ids', (account, ids, form) =>
    page(
      account.all('tax_id').filter(({ customer }) => customer === at(ids)),
      form,
    ),
  ),
  route('POST', 'customers/:id/tax_ids', (account, ids, form) =>
    addTaxId(account, at(ids), leaf(form, 'type'), leaf(form, 'value')),
  ),
  route('DELETE', 'customers/:id/tax_ids/:id', (account, ids) => {
    const { id } = account.get(at(ids, 1));
    account.objects.delete(id);
    return { id, object: 'tax_id', deleted: true };
  }),
  route('POST', 'customers/:id/balance_transactions', (account, ids, form) => {
    const customer = account.get(at(ids));
    const amount = numberIn(form, 'amount');
    customer.balance += amount;
    const made = { id: account.id('cbtxn'), object: 'customer_balance_transaction', customer: customer.id, amount };
    const currency = leaf(form, 'currency');
    return account.add({ ...made, currency, type: 'adjustment', ending_balance: customer.balance });
  }),
  route('POST', 'billing_portal/sessions', (account, _ids, form) => {
    const customer = account.get(leaf(form, 'customer')).id;
    const url = `https://billing.stripe.test/${customer}`;
    return account.add({
      id: account.id('bps'),
      object: 'billing_portal.session',
      configuration: 'bpc_1',
      customer,
      url,
    });
  }),
];

/** The part of Stripe's API that the service uses. */
export const stripeRoutes: readonly StripeRoute[] = [
  ...catalogRoutes,
  ...couponRoutes,
  ...checkoutRoutes,
  ...subscriptionRoutes,
  ...invoiceRoutes,
  ...customerRoutes,
];
