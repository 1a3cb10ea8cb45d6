import { invalid, nowSeconds, type StripeAccount, type StripeObject } from './account.ts';
import { branch, type Form, leaf } from './form.ts';

/** One route of the API. `accepts` lists its parameters; any other is a 400. */
interface StripeRoute {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: RegExp;
  readonly accepts: readonly string[];
  readonly handle: (account: StripeAccount, id: string, form: Form) => StripeObject;
}

const list = (data: StripeObject[]) => ({ object: 'list', has_more: false, url: '/', data });

function route(
  method: StripeRoute['method'],
  path: string,
  accepts: string,
  handle: StripeRoute['handle'],
): StripeRoute {
  const pattern = new RegExp(`^/v1/${path.replace(':id', '([^/]+)')}$`);
  return { method, path: pattern, accepts: accepts.split(' '), handle };
}

const catalogRoutes = [
  route('GET', 'products/:id', '', (account, id) => account.get(id)),
  route('POST', 'products', 'id name', (account, _id, form) => {
    const id = leaf(form, 'id');
    if (account.objects.has(id)) throw invalid('Product already exists.', 'resource_already_exists');
    return account.add({ id, object: 'product', name: leaf(form, 'name') });
  }),
  route('GET', 'prices', 'lookup_keys.* active limit', (account, _id, form) => {
    const keys = Object.values(branch(form, 'lookup_keys'));
    return list(account.all('price').filter((price) => keys.includes(price.lookup_key)));
  }),
  route(
    'POST',
    'prices',
    'product currency unit_amount recurring.interval lookup_key metadata',
    (account, _id, form) => {
      const [product, lookup_key] = [account.get(leaf(form, 'product')).id, leaf(form, 'lookup_key')];
      if (account.all('price').some((price) => price.lookup_key === lookup_key)) {
        throw invalid('A price with this lookup key exists already.');
      }
      const recurring = { interval: leaf(branch(form, 'recurring'), 'interval'), interval_count: 1 };
      const amount = { currency: leaf(form, 'currency'), unit_amount: Number(leaf(form, 'unit_amount')) };
      const metadata = branch(form, 'metadata');
      return account.add({
        id: account.id('price'),
        object: 'price',
        product,
        lookup_key,
        recurring,
        ...amount,
        metadata,
      });
    },
  ),
];

const sessionFields =
  'mode client_reference_id customer_email line_items.*.price line_items.*.quantity subscription_data.metadata success_url cancel_url';

const checkoutRoutes = [
  route('POST', 'checkout/sessions', sessionFields, (account, _id, form) => {
    const id = account.id('cs_test');
    return account.add({
      id,
      object: 'checkout.session',
      status: 'open',
      url: `https://checkout.stripe.test/${id}`,
      client_reference_id: leaf(form, 'client_reference_id'),
      customer_email: leaf(form, 'customer_email'),
      customer: null,
      subscription: null,
      price: account.get(leaf(branch(branch(form, 'line_items'), '0'), 'price')),
      subscription_metadata: branch(branch(form, 'subscription_data'), 'metadata'),
    });
  }),
  route('GET', 'checkout/sessions/:id', '', (account, id) => account.get(id)),
  route('POST', 'checkout/sessions/:id/expire', '', (account, id) => {
    const session = account.get(id);
    if (session.status !== 'open') throw invalid('Only an open session can be expired.');
    return Object.assign(session, { status: 'expired', url: null });
  }),
];

const updateFields =
  'items.*.id items.*.price items.*.quantity proration_behavior payment_behavior cancel_at_period_end cancel_at';
const phaseFields =
  'end_behavior phases.*.items.*.price phases.*.items.*.quantity phases.*.start_date phases.*.end_date phases.*.duration.interval phases.*.duration.interval_count phases.*.proration_behavior';

const subscriptionRoutes = [
  route('GET', 'subscriptions/:id', '', (account, id, form) =>
    account.expandSubscription(account.get(id), Object.values(branch(form, 'expand')) as string[]),
  ),
  route('POST', 'subscriptions/:id', updateFields, (account, id, form) =>
    account.updateSubscription(account.get(id), form),
  ),
  route('DELETE', 'subscriptions/:id', '', (account, id) =>
    Object.assign(account.get(id), { status: 'canceled', canceled_at: nowSeconds() }),
  ),
  route('POST', 'subscription_schedules', 'from_subscription', (account, _id, form) =>
    account.schedule(account.get(leaf(form, 'from_subscription'))),
  ),
  route('POST', 'subscription_schedules/:id', phaseFields, (account, id, form) =>
    account.updateSchedule(account.get(id), form),
  ),
  route('POST', 'subscription_schedules/:id/release', '', (account, id) => account.releaseSchedule(account.get(id))),
];

const previewFields =
  'subscription subscription_details.items.*.id subscription_details.items.*.price subscription_details.items.*.quantity subscription_details.proration_behavior';

const invoiceRoutes = [
  route('GET', 'invoices', 'subscription limit', (account, _id, form) => {
    const ofSubscription = (invoice: StripeObject) =>
      invoice.parent.subscription_details.subscription === leaf(form, 'subscription');
    return list(account.all('invoice').filter(ofSubscription).reverse());
  }),
  route('GET', 'invoices/:id/lines', 'limit', (account, id) => list(account.get(id).all_lines)),
  route('POST', 'invoices/create_preview', previewFields, (account, _id, form) => {
    const subscription = account.get(leaf(form, 'subscription'));
    const old = subscription.items.data[0].price.unit_amount;
    const change = branch(branch(branch(form, 'subscription_details'), 'items'), '0');
    const price = leaf(change, 'price');
    const amounts = price === '' ? [old] : [-old / 2, account.get(price).unit_amount / 2];
    return account.invoiceOf(subscription, amounts, 'draft', 'upcoming_in_1');
  }),
  route('POST', 'invoices/:id/pay', '', (account, id) => account.payInvoice(account.get(id))),
  route('POST', 'invoices/:id/void', '', (account, id) => account.settleInvoice(account.get(id), 'void')),
  route('POST', 'invoices/:id/mark_uncollectible', '', (account, id) =>
    account.settleInvoice(account.get(id), 'uncollectible'),
  ),
];

const customerFields =
  'name email address address.line1 address.line2 address.city address.postal_code address.state address.country invoice_settings.custom_fields invoice_settings.custom_fields.*.name invoice_settings.custom_fields.*.value';

const customerRoutes = [
  route('POST', 'customers/:id', customerFields, (account, id, form) => Object.assign(account.get(id), form)),
  route('POST', 'customers/:id/balance_transactions', 'amount currency description', (account, id, form) => {
    account.get(id).balance += Number(leaf(form, 'amount'));
    return account.add({ id: account.id('cbtxn'), object: 'customer_balance_transaction' });
  }),
  route('POST', 'billing_portal/sessions', 'customer return_url', (account, _id, form) => {
    const customer = account.get(leaf(form, 'customer')).id;
    return { id: account.id('bps'), object: 'billing_portal.session', url: `https://billing.stripe.test/${customer}` };
  }),
];

/** The part of Stripe's API that the service uses. */
export const stripeRoutes: readonly StripeRoute[] = [
  ...catalogRoutes,
  ...checkoutRoutes,
  ...subscriptionRoutes,
  ...invoiceRoutes,
  ...customerRoutes,
];
