import { loadModule, type Scoped } from './declarations.ts';

/** The modules of the objects that the fake account stores, by the value of their field `object`. */
const files: Readonly<Record<string, readonly [file: string, name: string]>> = {
  'billing_portal.session': ['BillingPortal/Sessions', 'Session'],
  'checkout.session': ['Checkout/Sessions', 'Session'],
  coupon: ['Coupons', 'Coupon'],
  credit_note: ['CreditNotes', 'CreditNote'],
  customer: ['Customers', 'Customer'],
  customer_balance_transaction: ['CustomerBalanceTransactions', 'CustomerBalanceTransaction'],
  discount: ['Discounts', 'Discount'],
  invoice: ['Invoices', 'Invoice'],
  invoiceitem: ['InvoiceItems', 'InvoiceItem'],
  line_item: ['InvoiceLineItems', 'InvoiceLineItem'],
  price: ['Prices', 'Price'],
  product: ['Products', 'Product'],
  promotion_code: ['PromotionCodes', 'PromotionCode'],
  subscription: ['Subscriptions', 'Subscription'],
  subscription_item: ['SubscriptionItems', 'SubscriptionItem'],
  subscription_schedule: ['SubscriptionSchedules', 'SubscriptionSchedule'],
  tax_id: ['TaxIds', 'TaxId'],
  tax_rate: ['TaxRates', 'TaxRate'],
};

/** Returns the type of an object of the API by the value of its field `object`. */
export function typeOfObject(kind: string): Scoped {
  const [file, name] = files[kind] ?? [];
  if (file === undefined || name === undefined) throw new Error(`The tests know no object ${kind} of Stripe.`);
  return { type: { kind: 'reference', path: [name], args: [] }, scope: loadModule(`resources/${file}`) };
}

/** Returns the type of an event; undefined for one that the library does not list. */
export function typeOfEvent(type: string): Scoped | undefined {
  const scope = loadModule('resources/Events');
  for (const [name, declaration] of scope.types) {
    const members = declaration.type.kind === 'object' ? declaration.type.members : [];
    const isEvent = members.some(
      (member) => member.name === 'type' && member.type.kind === 'literal' && member.type.value === type,
    );
    if (isEvent) return { type: { kind: 'reference', path: [name], args: [] }, scope };
  }
  return undefined;
}
