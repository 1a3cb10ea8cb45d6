import { Type } from 'typebox';
import { strictObject } from '../../../http/schema.ts';
import { isCountryCode } from '../../../lib/countries.ts';
import type { ErrorDetail } from '../../../lib/error.ts';
import { readVatId } from '../../../lib/vat-id.ts';
import type { CustomerDetails } from '../../provider.ts';
import type { TaxLocation } from '../../tax/taxes.ts';
import { type Card, type CardInput, readCard } from '../cards.ts';
import type { FormValues } from './html.ts';

/** A text of a form. A field that is left empty is sent as an empty text, and may be absent in JSON. */
const text = (maxLength: number) => Type.Optional(Type.String({ maxLength }));

const cardTexts = { card_number: text(30), expiry: text(9), cvc: text(4) };
const detailTexts = {
  name: text(200),
  country: text(2),
  line1: text(200),
  line2: text(200),
  postal_code: text(20),
  city: text(100),
  state: text(100),
  tax_id: text(50),
};

/** The fields of a card. */
export const CardFields = strictObject(cardTexts);
/** The fields of the recipient of the invoices. */
export const DetailsFields = strictObject(detailTexts);
/** The fields of a checkout. */
export const CheckoutFields = strictObject({ ...cardTexts, ...detailTexts, coupon: text(64) });

const trimmed = (values: FormValues, name: string) => values[name]?.trim() ?? '';

/** The result of reading a part of a form: its value, or the problems of its fields. */
export type Reading<Value> = { readonly value: Value } | { readonly problems: readonly ErrorDetail[] };

/** Returns the test card of a form; null when its fields are empty. `now` is by the sandbox's clock. */
export function readCardFields(values: FormValues, now: string): Reading<Card | null> {
  const [card_number, expiry, cvc] = ['card_number', 'expiry', 'cvc'].map((name) => trimmed(values, name));
  if (card_number === '' && expiry === '' && cvc === '') return { value: null };
  const input: CardInput = { card_number: card_number ?? '', expiry: expiry ?? '', cvc: cvc ?? '' };
  const card = readCard(input, now);
  return 'last4' in card ? { value: card } : { problems: card };
}

/** The errors of a form without a card: all of them at once, so that nobody corrects one after the other. */
export const missingCard: readonly ErrorDetail[] = [
  { field: 'card_number', message: 'Enter the card number.' },
  { field: 'expiry', message: 'Enter the month and the year on the card, such as 12/34.' },
  { field: 'cvc', message: 'Enter the three digits of the security code.' },
];

/** Returns the coupon code of a form, or null. */
export function readCoupon(values: FormValues): string | null {
  return trimmed(values, 'coupon').toUpperCase() || null;
}

/** Returns the country and the tax id of a form, complete or not, for a preview of the taxes. */
export function locationOfForm(values: FormValues): TaxLocation {
  const country = trimmed(values, 'country');
  return { country: isCountryCode(country) ? country : null, taxId: trimmed(values, 'tax_id') || null };
}

/** Returns the problem of a form's tax id. It is checked once a country is chosen. */
export function problemsOfTaxId(values: FormValues): ErrorDetail[] {
  const { country, taxId } = locationOfForm(values);
  const reading = country === null || taxId === null ? undefined : readVatId(taxId, country);
  return reading !== undefined && 'problem' in reading ? [{ field: 'tax_id', message: reading.problem }] : [];
}

const requiredFields: Readonly<Record<string, string>> = {
  name: 'Enter your company or your full name.',
  country: 'Choose your country.',
  line1: 'Enter your address.',
  city: 'Enter your city.',
};

/** The errors of a form without a recipient where taxes need one. */
export const missingDetails: readonly ErrorDetail[] = Object.entries(requiredFields).map(([field, message]) => ({
  field,
  message,
}));

/**
 * Returns the recipient of the invoices; null when all fields are empty. The email address stays as it is: the form
 * does not ask for it.
 */
export function readDetails(values: FormValues, email: string): Reading<CustomerDetails | null> {
  const names = Object.keys(detailTexts);
  const given = (name: string) => trimmed(values, name);
  if (names.every((name) => given(name) === '')) return { value: null };
  const problems: ErrorDetail[] = [];
  for (const name of names) {
    const missing = requiredFields[name];
    if (/[\u0000-\u001f\u007f]/.test(given(name))) problems.push({ field: name, message: 'Enter one line of text.' });
    else if (given(name) === '' && missing !== undefined) problems.push({ field: name, message: missing });
  }
  const country = given('country');
  if (country !== '' && !isCountryCode(country))
    problems.push({ field: 'country', message: 'Choose a country of the list.' });
  problems.push(...problemsOfTaxId(values));
  if (problems.length > 0) return { problems };
  const optional = (name: string) => given(name) || null;
  const address = {
    line1: given('line1'),
    line2: optional('line2'),
    city: given('city'),
    postal_code: optional('postal_code'),
    state: optional('state'),
    country,
  };
  return { value: { name: given('name'), email, address, taxId: taxIdOf(given('tax_id'), country) } };
}

function taxIdOf(entered: string, country: string): string | null {
  if (entered === '') return null;
  const reading = readVatId(entered, country);
  return 'vatId' in reading ? reading.vatId : entered;
}

/** Returns the values with which a form shows the stored recipient. */
export function valuesOf(details: CustomerDetails | null): FormValues {
  const { line2, postal_code, state, ...address } = details?.address ?? { line2: null, postal_code: null, state: null };
  return {
    ...address,
    line2: line2 ?? '',
    postal_code: postal_code ?? '',
    state: state ?? '',
    name: details?.name ?? '',
    tax_id: details?.taxId ?? '',
  };
}
