import { Type } from 'typebox';
import { strictObject } from '../../../http/schema.ts';
import { countryCodes, countryName, isCountryCode } from '../../../lib/countries.ts';
import { type ErrorDetail, validationError } from '../../../lib/error.ts';
import { escapeHtml } from '../../../lib/escape-html.ts';
import { once } from '../../../lib/memoize.ts';
import { readVatId } from '../../../lib/vat-id.ts';
import type { CustomerDetails } from '../../provider.ts';
import { type Card, findTestCard, problemOfExpiry } from '../cards.ts';

/** Values by field name. A field that is left empty is sent as an empty text, and may be absent. */
export type FormValues = Readonly<Record<string, string | undefined>>;

interface Field {
  readonly label: string;
  readonly maxLength: number;
  /** Further attributes, as HTML. */
  readonly attributes: string;
  /** What to enter; absent for an optional field. */
  readonly missing?: string;
}

type Fields = Readonly<Record<string, Field>>;

/** The field of a coupon. */
export const couponField: Fields = {
  coupon: { label: 'Coupon code', maxLength: 64, attributes: 'autocomplete="off"' },
};

/** The fields of a card. */
export const cardFields: Fields = {
  card_number: {
    label: 'Card number',
    maxLength: 30,
    attributes: 'inputmode="numeric" autocomplete="off" placeholder="4242 4242 4242 4242"',
  },
  expiry: { label: 'Expiry', maxLength: 9, attributes: 'placeholder="MM / YY" autocomplete="off"' },
  cvc: { label: 'CVC', maxLength: 4, attributes: 'inputmode="numeric" placeholder="CVC" autocomplete="off"' },
};

const detail = (label: string, maxLength: number, autocomplete: string, missing?: string): Field => {
  return { label, maxLength, attributes: `autocomplete="${autocomplete}"`, ...(missing && { missing }) };
};

/** The fields of the recipient of the invoices. */
export const detailsFields: Fields = {
  name: detail('Company or full name', 200, 'organization', 'Enter your company or your full name.'),
  country: detail('Country', 2, 'country', 'Choose your country.'),
  line1: detail('Address', 200, 'address-line1', 'Enter your address.'),
  line2: detail('Address, second line (optional)', 200, 'address-line2'),
  postal_code: detail('Postal code', 20, 'postal-code'),
  city: detail('City', 100, 'address-level2', 'Enter your city.'),
  state: detail('State or province (optional)', 100, 'address-level1'),
  tax_id: detail('VAT ID (optional)', 50, 'off'),
};

/** Returns the schema of a form with fields. */
export function bodyOf(fields: Fields) {
  const texts = Object.entries(fields).map(([name, { maxLength }]) => [
    name,
    Type.Optional(Type.String({ maxLength })),
  ]);
  return strictObject(Object.fromEntries(texts) as Record<string, ReturnType<typeof Type.String>>);
}

const countries = once(() => {
  const named = countryCodes.map((code) => [code, countryName(code)] as const);
  return named.toSorted(([, one], [, other]) => one.localeCompare(other, 'en'));
});

function countryOptions(chosen: string): string {
  const options = [['', 'Choose a country'] as const, ...countries()].map(([code, text]) => {
    return `<option value="${code}"${code === chosen ? ' selected' : ''}>${escapeHtml(text)}</option>`;
  });
  return options.join('');
}

/** Returns labelled fields as HTML. The script of the page shows the problem of a field at it. */
export function fieldsHtml(fields: Fields, values: FormValues = {}): string {
  const all = Object.entries(fields).map(([name, { label, maxLength, attributes }]) => {
    const value = values[name] ?? '';
    const common = `id="${name}" name="${name}" aria-describedby="${name}-problem" ${attributes}`;
    const control =
      name === 'country'
        ? `<select ${common}>${countryOptions(value)}</select>`
        : `<input ${common} maxlength="${maxLength}" value="${escapeHtml(value)}">`;
    return `<div class="field"><label for="${name}">${label}</label>${control}<p class="problem" id="${name}-problem"></p></div>`;
  });
  return all.join('\n        ');
}

const given = (values: FormValues, name: string) => values[name]?.trim() ?? '';

/** Returns whether any of the fields has a value. */
export function hasAny(values: FormValues, fields: Fields): boolean {
  return Object.keys(fields).some((name) => given(values, name) !== '');
}

/** The result of reading a part of a form: its value, or the problems of its fields. */
export type Reading<Value> = { readonly value: Value } | { readonly problems: readonly ErrorDetail[] };

/** Returns the value of a reading. Throws 422 with the problems of its fields. */
export function requireValue<Value>(reading: Reading<Value>): Value {
  if ('problems' in reading) throw validationError(...reading.problems);
  return reading.value;
}

/** Reads the test card of a form. `now` is by the sandbox's clock. */
export function readCard(values: FormValues, now: string): Reading<Card> {
  const card = findTestCard(given(values, 'card_number'));
  const problems: ErrorDetail[] = [];
  if (card === undefined) {
    problems.push({ field: 'card_number', message: 'Enter one of the test cards, such as 4242 4242 4242 4242.' });
  }
  const expiryProblem = problemOfExpiry(given(values, 'expiry'), now);
  if (expiryProblem !== undefined) problems.push({ field: 'expiry', message: expiryProblem });
  if (!/^\d{3}$/.test(given(values, 'cvc'))) {
    problems.push({ field: 'cvc', message: 'Enter the three digits of the security code.' });
  }
  return card === undefined || problems.length > 0 ? { problems } : { value: card };
}

/** Returns the coupon code of a form, or null. */
export function readCoupon(values: FormValues): string | null {
  return given(values, 'coupon').toUpperCase() || null;
}

/** Returns the problem of a form's tax id. It is checked once a country is chosen. */
export function problemsOfTaxId(values: FormValues): ErrorDetail[] {
  const [country, taxId] = [given(values, 'country'), given(values, 'tax_id')];
  if (!isCountryCode(country) || taxId === '') return [];
  const reading = readVatId(taxId, country);
  return 'problem' in reading ? [{ field: 'tax_id', message: reading.problem }] : [];
}

/** Returns the recipient of the invoices from the fields that are filled in; null until a country is chosen. */
export function detailsOf(values: FormValues, email: string): CustomerDetails | null {
  const country = given(values, 'country');
  if (!isCountryCode(country)) return null;
  const optional = (name: string) => given(values, name) || null;
  const address = {
    line1: given(values, 'line1'),
    line2: optional('line2'),
    city: given(values, 'city'),
    postal_code: optional('postal_code'),
    state: optional('state'),
    country,
  };
  const vat = readVatId(given(values, 'tax_id'), country);
  const taxId = ('vatId' in vat && vat.vatId) || optional('tax_id');
  return { name: given(values, 'name'), email, address, taxId };
}

/** Reads the recipient of the invoices. The email address stays as it is: the form does not ask for it. */
export function readDetails(values: FormValues, email: string): Reading<CustomerDetails> {
  const problems = Object.entries(detailsFields).flatMap(([field, { missing }]): ErrorDetail[] => {
    const text = given(values, field);
    if (/[\u0000-\u001f\u007f]/.test(text)) return [{ field, message: 'Enter one line of text.' }];
    return text === '' && missing !== undefined ? [{ field, message: missing }] : [];
  });
  const value = detailsOf(values, email);
  if (value === null && given(values, 'country') !== '') {
    problems.push({ field: 'country', message: 'Choose a country of the list.' });
  }
  problems.push(...problemsOfTaxId(values));
  return value === null || problems.length > 0 ? { problems } : { value };
}
