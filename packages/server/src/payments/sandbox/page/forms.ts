import type { RouteOptions } from 'fastify';
import type { TObject } from 'typebox';
import { Type } from 'typebox';
import { Envelope, success } from '../../../http/envelope.ts';
import { sendPage } from '../../../http/hosted-page.ts';
import { publicRoute } from '../../../http/routes/public-route.ts';
import { Nullable, strictObject } from '../../../http/schema.ts';
import { isCountryCode } from '../../../lib/countries.ts';
import { AppError, type ErrorDetail, validationError } from '../../../lib/error.ts';
import { readVatId } from '../../../lib/vat-id.ts';
import { toAppError } from '../../call-provider.ts';
import { type CustomerDetails, PaymentProviderError } from '../../provider.ts';
import type { TaxLocation } from '../../tax/taxes.ts';
import { type Card, readCard } from '../cards.ts';
import { CouponRefusedError } from '../coupons.ts';
import { type FormValues, pageOf } from './html.ts';

/** A text of a form. A field that is left empty is sent as an empty text, and may be absent. */
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
const problemsOfFields = (messages: Readonly<Record<string, string>>): readonly ErrorDetail[] =>
  Object.entries(messages).map(([field, message]) => ({ field, message }));

/** The result of reading a part of a form: its value, or the problems of its fields. */
type Reading<Value> = { readonly value: Value } | { readonly problems: readonly ErrorDetail[] };

/** The errors of a form without a card: all of them at once, so that nobody corrects one after the other. */
export const missingCard = problemsOfFields({
  card_number: 'Enter the card number.',
  expiry: 'Enter the month and the year on the card, such as 12/34.',
  cvc: 'Enter the three digits of the security code.',
});

/** Returns the test card of a form; null when its fields are empty. `now` is by the sandbox's clock. */
export function readCardFields(values: FormValues, now: string): Reading<Card | null> {
  const [card_number, expiry, cvc] = [
    trimmed(values, 'card_number'),
    trimmed(values, 'expiry'),
    trimmed(values, 'cvc'),
  ] as const;
  if (card_number === '' && expiry === '' && cvc === '') return { value: null };
  const card = readCard({ card_number, expiry, cvc }, now);
  return 'last4' in card ? { value: card } : { problems: card };
}

/** Returns the test card of a form. Throws 422 with the problems of its fields, and without a card. */
export function requireCard(values: FormValues, now: string): Card {
  const card = requireValue(readCardFields(values, now));
  if (card === null) throw validationError(...missingCard);
  return card;
}

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
export const missingDetails = problemsOfFields(requiredFields);

/**
 * Returns the recipient of the invoices; null when all fields are empty. The email address stays as it is: the form
 * does not ask for it.
 */
export function readDetails(values: FormValues, email: string): Reading<CustomerDetails | null> {
  const names = Object.keys(detailTexts);
  const given = (name: string) => trimmed(values, name);
  if (names.every((name) => given(name) === '')) return { value: null };
  const country = given('country');
  const problems = names.flatMap((field): ErrorDetail[] => {
    const missing = requiredFields[field];
    if (/[\u0000-\u001f\u007f]/.test(given(field))) return [{ field, message: 'Enter one line of text.' }];
    return given(field) === '' && missing !== undefined ? [{ field, message: missing }] : [];
  });
  if (country !== '' && !isCountryCode(country)) {
    problems.push({ field: 'country', message: 'Choose a country of the list.' });
  }
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
  const vat = readVatId(given('tax_id'), country);
  return { value: { name: given('name'), email, address, taxId: 'vatId' in vat ? vat.vatId : optional('tax_id') } };
}

const Redirect = Envelope(
  Type.Object({ redirect_url: Nullable(Type.String({ description: 'Null to reload the page.' })) }),
);

/** The parameters of a path. */
export type Params = Readonly<Record<string, string>>;

/** Returns the error of a link that leads nowhere. */
export function invalidLink(): AppError {
  return new AppError(
    'RESOURCE.NOT_FOUND',
    'This link is not valid or has expired. Open it again from the page or mail that you got it from.',
  );
}

/** Converts an error of the sandbox to the error of the API. Returns any other error unchanged. */
function toPageError(error: unknown): unknown {
  if (error instanceof CouponRefusedError) return validationError({ field: 'coupon', message: error.message });
  if (!(error instanceof PaymentProviderError)) return error;
  return error.reason === 'not_found' ? invalidLink() : toAppError(error, error.message);
}

/** Returns the value of a reading. Throws 422 with the problems of its fields. */
export function requireValue<Value>(reading: Reading<Value>): Value {
  if ('problems' in reading) throw validationError(...reading.problems);
  return reading.value;
}

/** Defines the route of a page. An unknown link is a 404 with a page of its own. */
export function pageRoute(url: string, show: (params: Params) => Promise<string | undefined>): RouteOptions {
  const title = 'This link is not valid';
  const unknown = `<h1>${title}</h1><p>The link may have expired. Open it again from the page or mail where you found it.</p>`;
  return {
    method: 'GET',
    url,
    schema: { hide: true },
    async handler(request, reply) {
      const page = await show(request.params as Params);
      return page === undefined ? sendPage(reply, pageOf({ title, content: unknown }), 404) : sendPage(reply, page);
    },
  };
}

interface FormRoute {
  readonly summary: string;
  readonly url: string;
  readonly params: TObject;
  readonly body: TObject;
  /** Performs what the form asks for. Returns the URL that follows; null to reload the page. */
  readonly perform: (params: Params, values: FormValues) => Promise<string | null>;
}

/** Defines the route to which the script of a page sends a form. */
export function formRoute({ summary, url, params, body, perform }: FormRoute): RouteOptions {
  return publicRoute({
    method: 'POST',
    url,
    schema: { summary, tags: ['Payment sandbox'], hide: true, params, body, response: { 200: Redirect } },
    async handler({ request }) {
      try {
        return success(request, { redirect_url: await perform(request.params as Params, request.body as FormValues) });
      } catch (error) {
        throw toPageError(error);
      }
    },
  });
}
