import type { RouteOptions } from 'fastify';
import { Type } from 'typebox';
import { findRow } from '../../../db/rows.ts';
import { countryName } from '../../../lib/countries.ts';
import { orThrow, validationError } from '../../../lib/error.ts';
import { escapeHtml } from '../../../lib/escape-html.ts';
import { readableDay } from '../../../lib/readable-time.ts';
import { hasVat } from '../../../lib/vat-id.ts';
import type { CustomerDetails, Discount, TaxLine } from '../../provider.ts';
import type { Card } from '../cards.ts';
import { type CheckoutPreview, payCheckout, previewCheckout } from '../checkouts.ts';
import { readNow } from '../clock.ts';
import type { SandboxContext } from '../context.ts';
import { CouponRefusedError } from '../coupons.ts';
import type { CheckoutTerms } from '../state.ts';
import {
  bodyOf,
  cardFields,
  couponField,
  detailsFields,
  detailsOf,
  type FormValues,
  fieldsHtml,
  hasAny,
  problemsOfTaxId,
  type Reading,
  readCard,
  readCoupon,
  readDetails,
  requireValue,
} from './fields.ts';
import { formRoute, invalidLink, type Params, pageRoute } from './forms.ts';
import { formOf, linkTo, messagePage, money, pageOf, submitButton } from './html.ts';

type Row = readonly [name: string, value: string, kind?: 'total' | 'faint'];

function rowOf([name, value, kind]: Row): string {
  const attribute = kind === undefined ? '' : ` class="${kind}"`;
  return `<div${attribute}><dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd></div>`;
}

function discountName({ couponCode, percentOff, duration, endsAt }: Discount): string {
  const percent = percentOff === null ? [] : [`${percentOff}% off`];
  const end = endsAt === null ? [] : [`until ${readableDay(endsAt)}`];
  const about = [...percent, ...(duration === 'once' ? ['once'] : end)].join(', ');
  return `Discount ${couponCode}${about === '' ? '' : ` (${about})`}`;
}

function taxRow({ country, ratePercent, treatment, amount }: TaxLine, currency: string): Row {
  if (country === null) return ['Tax', 'Choose your country', 'faint'];
  const name = hasVat(country) ? 'VAT' : 'Tax';
  const place = countryName(country);
  const value = money(amount, currency);
  if (treatment === 'standard') return [`${name} ${ratePercent}% (${place})`, value];
  const why = treatment === 'reverse_charge' ? 'reverse charge' : 'not collected';
  return [`${name} 0% (${place}, ${why})`, value];
}

/** Returns the amounts of a purchase: due today, and later. */
function summaryOf({ price }: CheckoutTerms, preview: CheckoutPreview): string {
  const { currency } = price;
  const { first, discount, trialEndsAt, dueToday, next } = preview;
  const format = (amount: number) => money(amount, currency);
  const rows: Row[] = [['Subtotal', format(first.subtotal)]];
  if (discount !== null) rows.push([discountName(discount), format(-first.discount)]);
  rows.push(...first.taxes.map((line) => taxRow(line, currency)));
  if (trialEndsAt !== null) rows.push([`Due on ${readableDay(trialEndsAt)}, after the trial`, format(first.total)]);
  rows.push(['Due today', format(dueToday), 'total']);
  rows.push([`Then from ${readableDay(next.createdAt)}, per ${price.interval}`, format(next.total), 'faint']);
  return `<dl class="sums">${rows.map(rowOf).join('')}</dl>`;
}

/** Returns the label of the buy button. */
function buyText({ price }: CheckoutTerms, { trialEndsAt, dueToday }: CheckoutPreview): string {
  if (trialEndsAt !== null) return 'Start trial';
  return dueToday === 0 ? 'Subscribe' : `Pay ${money(dueToday, price.currency)}`;
}

/** Returns the page of an open checkout. `path` is that of the page. */
function checkoutPage(path: string, terms: CheckoutTerms, preview: CheckoutPreview): string {
  const { price, trialDays, cancelUrl } = terms;
  const trial =
    trialDays === 0 ? '' : `<p class="hint">${trialDays} ${trialDays === 1 ? 'day' : 'days'} free, then</p>`;
  const needsCard = preview.dueToday > 0;
  const whyNoCard =
    trialDays > 0
      ? 'You do not need a card for the trial. Without a card, you move to the Free plan when it ends.'
      : 'Nothing is due today, so you do not need a card now.';
  const content = `<h1>Subscribe to ${escapeHtml(price.planName)}</h1>
      ${trial}
      <p class="amount">${money(price.amount, price.currency)} per ${price.interval}</p>
      ${formOf(
        `${path}/pay`,
        `${fieldsHtml(couponField)}
        <div id="summary" aria-live="polite">${summaryOf(terms, preview)}</div>
        <h2>Billing details</h2>
        ${fieldsHtml(detailsFields)}
        <h2>Card${needsCard ? '' : ' (optional)'}</h2>
        ${needsCard ? '' : `<p class="hint">${whyNoCard}</p>`}
        ${fieldsHtml(cardFields)}
        ${submitButton(buyText(terms, preview))}`,
        ` data-preview="${escapeHtml(path)}/preview"`,
      )}
      <p class="back">${linkTo(cancelUrl, 'Cancel and go back')}</p>`;
  return pageOf(`Subscribe to ${price.planName}`, content);
}

/** Returns the page of a checkout that is over. A completed one leads on to the service. */
function closedCheckoutPage(status: 'complete' | 'expired', terms: CheckoutTerms): string {
  if (status === 'expired') {
    const back = linkTo(terms.cancelUrl, 'Go back', 'button');
    return messagePage('This checkout has expired', 'You were not charged. Go back to start a new checkout.', back);
  }
  const title = terms.trialDays > 0 ? 'Your trial has started' : 'Thank you for your payment';
  const link = linkTo(terms.successUrl, 'Continue', 'button');
  return messagePage(title, 'This page continues automatically.', link, terms.successUrl);
}

const CheckoutBody = bodyOf({ ...couponField, ...cardFields, ...detailsFields });

const Preview = Type.Object({
  summary: Type.String({ description: 'The amounts, as HTML.' }),
  button: Type.String({ description: 'The label of the buy button.' }),
  problems: Type.Array(Type.Object({ field: Type.String(), message: Type.String() })),
});

/** Returns the cost of a purchase for the values entered so far, and the errors of the coupon and the tax id. */
async function previewForm(context: SandboxContext, terms: CheckoutTerms, values: FormValues) {
  const [coupon, details, problems] = [readCoupon(values), detailsOf(values, ''), problemsOfTaxId(values)];
  try {
    return { preview: await previewCheckout(context, terms, { coupon, details }), problems };
  } catch (error) {
    if (!(error instanceof CouponRefusedError)) throw error;
    // A refused coupon has no effect.
    const preview = await previewCheckout(context, terms, { coupon: null, details });
    return { preview, problems: [{ field: 'coupon', message: error.message }, ...problems] };
  }
}

const nothing: Reading<null> = { value: null };
const problemsOf = (reading: Reading<unknown>) => ('problems' in reading ? reading.problems : []);

/** Pays a checkout with the values of its form. Throws 422 with the problems of all fields. */
async function payForm(context: SandboxContext, id: string, terms: CheckoutTerms, values: FormValues) {
  const { preview, problems } = await previewForm(context, terms, values);
  const { sellerCountry, rates } = context.taxRules;
  // Where taxes apply, they depend on the country.
  const needsDetails = sellerCountry !== null && rates.size > 0;
  const details: Reading<CustomerDetails | null> =
    needsDetails || hasAny(values, detailsFields) ? readDetails(values, '') : nothing;
  const now = await readNow(context.platform.query, context.clock);
  const card: Reading<Card | null> =
    preview.dueToday > 0 || hasAny(values, cardFields) ? readCard(values, now) : nothing;
  const ofCoupon = problems.filter(({ field }) => field === 'coupon');
  const all = [...ofCoupon, ...problemsOf(details), ...problemsOf(card)];
  if (all.length > 0) throw validationError(...all);
  const coupon = readCoupon(values);
  const input = { card: requireValue(card), coupon, details: requireValue(details) };
  return { redirect_url: await payCheckout(context, id, input) };
}

/** Registers the page of a checkout, which needs no login, because its URL cannot be guessed. */
export function checkoutRoutes(context: SandboxContext): RouteOptions[] {
  const url = '/sandbox/checkout/:id';
  async function read({ id = '' }: Params) {
    const checkout = orThrow(await findRow(context.platform.query, 'sandbox_checkouts', id), invalidLink);
    const terms: CheckoutTerms = JSON.parse(checkout.terms_json);
    return { id, status: checkout.status, terms };
  }
  return [
    pageRoute(url, async (params) => {
      const { id, status, terms } = await read(params);
      if (status !== 'open') return closedCheckoutPage(status, terms);
      const { preview } = await previewForm(context, terms, {});
      return checkoutPage(`/sandbox/checkout/${id}`, terms, preview);
    }),
    formRoute({
      summary: 'Pay a checkout',
      url: `${url}/pay`,
      body: CheckoutBody,
      async perform(params, values) {
        const { id, terms } = await read(params);
        return await payForm(context, id, terms, values);
      },
    }),
    formRoute({
      summary: 'Preview the amounts of a checkout',
      url: `${url}/preview`,
      body: CheckoutBody,
      answer: Preview,
      async perform(params, values) {
        const { terms } = await read(params);
        const { preview, problems } = await previewForm(context, terms, values);
        return { summary: summaryOf(terms, preview), button: buyText(terms, preview), problems };
      },
    }),
  ];
}
