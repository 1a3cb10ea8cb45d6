import type Stripe from 'stripe';
import { type CustomerDetails, PaymentProviderError, type ProviderCard } from '../provider.ts';
import { callStripe, find, once, pageSizeMax, type StripeContext, shorten, stripeAmount } from './context.ts';
import { type StripeTaxId, toStripeTaxId } from './taxes.ts';

/** The metadata key of a customer that holds the id of its tenant. */
const tenantKey = 'licensing_tenant';
const taxIdField = 'Tax ID';
const creditReasonMax = 350;

/**
 * Implements `createCustomer` of the provider. The customer is created without details, so that the same idempotency key
 * has the same parameters; after a day, when the key has expired at Stripe, the search finds the customer.
 */
export async function createStripeCustomer(
  context: StripeContext,
  tenantId: string,
  details: CustomerDetails,
): Promise<string> {
  const { client } = context;
  const query = `metadata['${tenantKey}']:'${tenantId}'`;
  const { data } = await callStripe(() => client.customers.search({ query, limit: 1 }));
  const params = { metadata: { [tenantKey]: tenantId } };
  const { id } = data[0] ?? (await callStripe(() => client.customers.create(params, once(`customer-${tenantId}`))));
  await updateStripeCustomer(context, id, details);
  return id;
}

/** Implements `findCustomerDetails` of the provider. */
export async function findStripeCustomerDetails(
  { client }: StripeContext,
  id: string,
): Promise<CustomerDetails | undefined> {
  const customer = await find(() => client.customers.retrieve(id, { expand: ['tax_ids'] }));
  if (customer === undefined || customer.deleted) return undefined;
  const { name, email, address, tax_ids, invoice_settings } = customer;
  if (!name && !address) return undefined;
  const field = invoice_settings.custom_fields?.find((candidate) => candidate.name === taxIdField);
  return {
    name: name ?? '',
    email: email ?? '',
    address: address?.country ? fromAddress(address, address.country) : null,
    taxId: tax_ids?.data[0]?.value ?? field?.value ?? null,
  };
}

/** Implements `findCard` of the provider: the newest card of the customer. */
export async function findStripeCard({ client }: StripeContext, id: string): Promise<ProviderCard | undefined> {
  const cards = await find(() => client.customers.listPaymentMethods(id, { type: 'card', limit: 1 }));
  const card = cards?.data[0]?.card;
  if (card == null) return undefined;
  const brand = card.brand.charAt(0).toUpperCase() + card.brand.slice(1);
  return { brand, last4: card.last4, expMonth: card.exp_month, expYear: card.exp_year };
}

function fromAddress(address: Stripe.Address, country: string): CustomerDetails['address'] {
  const { line1, line2, city, postal_code, state } = address;
  // Stripe returns the empty text for a part that was removed.
  return {
    line1: line1 ?? '',
    line2: line2 || null,
    city: city ?? '',
    postal_code: postal_code || null,
    state: state || null,
    country,
  };
}

/**
 * Implements `updateCustomer` of the provider. A tax id of a type that Stripe does not know, or that it refuses, becomes a
 * custom field of the invoices: they show it, and Stripe Tax ignores it.
 */
export async function updateStripeCustomer(
  context: StripeContext,
  id: string,
  details: CustomerDetails,
): Promise<void> {
  const { name, email, address, taxId } = details;
  const wanted = taxId === null ? undefined : toStripeTaxId(taxId, address?.country ?? null);
  const isStored = await replaceTaxIds(context, id, wanted);
  const params: Stripe.CustomerUpdateParams = {
    name,
    email,
    address: address === null ? '' : toAddressParams(address),
    invoice_settings: { custom_fields: taxId === null || isStored ? '' : [{ name: taxIdField, value: taxId }] },
  };
  await callStripe(() => context.client.customers.update(id, params, once()));
}

function toAddressParams(address: NonNullable<CustomerDetails['address']>): Stripe.AddressParam {
  const { line1, line2, city, postal_code, state, country } = address;
  return { line1, line2: line2 ?? '', city, postal_code: postal_code ?? '', state: state ?? '', country };
}

/** Makes a tax id the only one of a customer. Returns false if Stripe does not store it. */
async function replaceTaxIds({ client }: StripeContext, id: string, wanted: StripeTaxId | undefined): Promise<boolean> {
  const { data } = await callStripe(() => client.customers.listTaxIds(id, { limit: pageSizeMax }));
  const isWanted = ({ type, value }: Stripe.TaxId) => type === wanted?.type && value === wanted.value;
  const kept = data.find(isWanted);
  const isCreated = kept === undefined && wanted !== undefined && (await addTaxId(client, id, wanted));
  for (const taxId of data) {
    if (taxId !== kept) await find(() => client.customers.deleteTaxId(id, taxId.id, {}, once()));
  }
  return kept !== undefined || isCreated;
}

/** Returns false when Stripe refuses the tax id. */
async function addTaxId(client: Stripe, id: string, taxId: StripeTaxId): Promise<boolean> {
  try {
    await callStripe(() => client.customers.createTaxId(id, taxId, once()));
    return true;
  } catch (error) {
    if (error instanceof PaymentProviderError && error.reason === 'refused') return false;
    throw error;
  }
}

/** Implements `addCredit` of the provider. At Stripe a negative balance is a credit of the customer. */
export async function addStripeCredit(
  { client }: StripeContext,
  customerId: string,
  credit: { readonly amount: number; readonly currency: string; readonly reason: string },
  key: string,
): Promise<void> {
  const { currency, reason } = credit;
  const params = {
    amount: -stripeAmount(credit.amount, currency),
    currency,
    description: shorten(reason, creditReasonMax),
  };
  await callStripe(() =>
    client.customers.createBalanceTransaction(customerId, params, once(`credit-${customerId}-${key}`)),
  );
}
