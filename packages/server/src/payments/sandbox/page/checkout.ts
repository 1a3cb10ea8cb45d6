import type { RouteOptions } from 'fastify';
import { Type } from 'typebox';
import { Envelope, success } from '../../../http/envelope.ts';
import { publicRoute } from '../../../http/routes/public-route.ts';
import { countryName } from '../../../lib/countries.ts';
import { type ErrorDetail, validationError } from '../../../lib/error.ts';
import { hasVat } from '../../../lib/vat-id.ts';
import type { Discount, TaxLine } from '../../provider.ts';
import { type CheckoutPreview, previewCheckout } from '../checkout-preview.ts';
import { findCheckoutRow, payCheckout } from '../checkouts.ts';
import { readNow } from '../clock.ts';
import type { SandboxContext } from '../context.ts';
import { CouponRefusedError } from '../coupons.ts';
import type { CheckoutTerms } from '../state.ts';
import {
  CheckoutFields,
  formRoute,
  invalidLink,
  locationOfForm,
  missingCard,
  missingDetails,
  pageRoute,
  problemsOfTaxId,
  readCardFields,
  readCoupon,
  readDetails,
} from './forms.ts';
import {
  cardFields,
  dayOf,
  detailsFields,
  escapeHtml,
  type FormValues,
  fieldOf,
  formOf,
  linkTo,
  money,
  pageOf,
  submitButton,
} from './html.ts';

interface Row {
  readonly name: string;
  readonly value: string;
  readonly kind?: 'total' | 'faint';
}

function rowOf({ name, value, kind }: Row): string {
  const attribute = kind === undefined ? '' : ` class="${kind}"`;
  return `<div${attribute}><dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd></div>`;
}

function durationOf({ duration, endsAt }: Discount): string {
  switch (duration) {
    case 'forever':
      return '';
    case 'once':
      return 'once';
    case 'repeating':
      return endsAt === null ? '' : `until ${dayOf(endsAt)}`;
  }
}

function discountName(discount: Discount): string {
  const percent = discount.percentOff === null ? '' : `${discount.percentOff}% off`;
  const about = [percent, durationOf(discount)].filter((part) => part !== '').join(', ');
  return `Discount ${discount.couponCode}${about === '' ? '' : ` (${about})`}`;
}

function taxRow({ country, ratePercent, treatment, amount }: TaxLine, currency: string): Row {
  const name = country !== null && hasVat(country) ? 'VAT' : 'Tax';
  if (country === null) return { name, value: 'Choose your country', kind: 'faint' };
  const place = countryName(country);
  if (treatment === 'standard') return { name: `${name} ${ratePercent}% (${place})`, value: money(amount, currency) };
  const why = treatment === 'reverse_charge' ? 'reverse charge' : 'not collected';
  return { name: `${name} 0% (${place}, ${why})`, value: money(amount, currency) };
}

/** Returns the amounts of a purchase: due today, and later. */
function summaryOf({ price }: CheckoutTerms, preview: CheckoutPreview): string {
  const { currency } = price;
  const { first, discount, trialEndsAt, dueToday, next } = preview;
  const format = (amount: number) => money(amount, currency);
  const rows: Row[] = [
    { name: 'Subtotal', value: format(first.subtotal) },
    ...(discount === null ? [] : [{ name: discountName(discount), value: format(-first.discount) }]),
    ...first.taxes.map((line) => taxRow(line, currency)),
    ...(trialEndsAt === null
      ? []
      : [{ name: `Due on ${dayOf(trialEndsAt)}, after the trial`, value: format(first.total) }]),
    { name: 'Due today', value: format(dueToday), kind: 'total' },
    { name: `Then from ${dayOf(next.at)}, per ${price.interval}`, value: format(next.total), kind: 'faint' },
  ];
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
  const coupon = fieldOf({ name: 'coupon', label: 'Coupon code', attributes: 'maxlength="64" autocomplete="off"' });
  const content = `<h1>Subscribe to ${escapeHtml(price.planName)}</h1>
      ${trial}
      <p class="amount">${money(price.amount, price.currency)} per ${price.interval}</p>
      ${formOf(
        `${path}/pay`,
        `${coupon}
        <div id="summary" aria-live="polite">${summaryOf(terms, preview)}</div>
        <h2>Billing details</h2>
        ${detailsFields()}
        <h2>Card${needsCard ? '' : ' (optional)'}</h2>
        ${needsCard ? '' : `<p class="hint">${whyNoCard}</p>`}
        ${cardFields()}
        ${submitButton(buyText(terms, preview))}`,
        ` data-preview="${escapeHtml(path)}/preview"`,
      )}
      <p class="back">${linkTo(cancelUrl, 'Cancel and go back')}</p>`;
  return pageOf({ title: `Subscribe to ${price.planName}`, content });
}

/** Returns the page of a checkout that is over. A completed one leads on to the service. */
function closedCheckoutPage(status: 'complete' | 'expired', terms: CheckoutTerms): string {
  if (status === 'expired') {
    const content = `<h1>This checkout has expired</h1><p>You were not charged. Go back to start a new checkout.</p>${linkTo(terms.cancelUrl, 'Go back', 'button')}`;
    return pageOf({ title: 'This checkout has expired', content });
  }
  const title = terms.trialDays > 0 ? 'Your trial has started' : 'Thank you for your payment';
  const content = `<h1>${title}</h1><p>This page continues automatically.</p>${linkTo(terms.successUrl, 'Continue', 'button')}`;
  return pageOf({ title, content, continueTo: terms.successUrl });
}

const IdPath = Type.Object({ id: Type.String({ maxLength: 100 }) });

const Preview = Envelope(
  Type.Object({
    summary: Type.String({ description: 'The amounts, as HTML.' }),
    button: Type.String({ description: 'The label of the buy button.' }),
    problems: Type.Array(Type.Object({ field: Type.String(), message: Type.String() })),
  }),
);

/** Returns the cost of a purchase for the values entered so far, and the errors of the coupon and the tax id. */
async function previewForm(context: SandboxContext, terms: CheckoutTerms, values: FormValues) {
  const { query } = context.platform;
  const at = await readNow(query, context.clock);
  const [coupon, location, problems] = [readCoupon(values), locationOfForm(values), problemsOfTaxId(values)];
  try {
    return { preview: await previewCheckout(query, context, terms, { coupon, location }, at), problems };
  } catch (error) {
    if (!(error instanceof CouponRefusedError)) throw error;
    // A refused coupon has no effect.
    const preview = await previewCheckout(query, context, terms, { coupon: null, location }, at);
    return { preview, problems: [{ field: 'coupon', message: error.message }, ...problems] };
  }
}

/** Where taxes apply, they depend on the country. */
function problemsOfMissing({ taxRules }: SandboxContext, details: object | null): readonly ErrorDetail[] {
  const isTaxed = taxRules.sellerCountry !== null && taxRules.rates.size > 0;
  return isTaxed && details === null ? missingDetails : [];
}

/** Registers the page of a checkout, which needs no login, because its URL cannot be guessed. */
export function checkoutRoutes(context: SandboxContext): RouteOptions[] {
  async function termsOf(id: string): Promise<CheckoutTerms> {
    const checkout = await findCheckoutRow(context, id);
    if (checkout === undefined) throw invalidLink();
    return JSON.parse(checkout.terms_json);
  }
  return [
    pageRoute('/sandbox/checkout/:id', async ({ id = '' }) => {
      const checkout = await findCheckoutRow(context, id);
      if (checkout === undefined) return undefined;
      const { status, terms_json } = checkout;
      const terms: CheckoutTerms = JSON.parse(terms_json);
      if (status !== 'open') return closedCheckoutPage(status, terms);
      const { preview } = await previewForm(context, terms, {});
      return checkoutPage(`/sandbox/checkout/${id}`, terms, preview);
    }),
    formRoute({
      summary: 'Pay a checkout',
      url: '/sandbox/checkout/:id/pay',
      params: IdPath,
      body: CheckoutFields,
      async perform({ id = '' }, values) {
        const terms = await termsOf(id);
        const { preview, problems } = await previewForm(context, terms, values);
        const card = readCardFields(values, await readNow(context.platform.query, context.clock));
        const details = readDetails(values, '');
        const all = [
          ...problems.filter(({ field }) => field === 'coupon'),
          ...('problems' in details ? details.problems : problemsOfMissing(context, details.value)),
          ...('problems' in card ? card.problems : card.value === null && preview.dueToday > 0 ? missingCard : []),
        ];
        if ('problems' in details || 'problems' in card || all.length > 0) throw validationError(...all);
        const coupon = readCoupon(values);
        return await payCheckout(context, id, { card: card.value, coupon, details: details.value });
      },
    }),
    publicRoute({
      method: 'POST',
      url: '/sandbox/checkout/:id/preview',
      schema: {
        summary: 'Preview the amounts of a checkout',
        tags: ['Payment sandbox'],
        hide: true,
        params: IdPath,
        body: CheckoutFields,
        response: { 200: Preview },
      },
      async handler({ request }) {
        const terms = await termsOf(request.params.id);
        const { preview, problems } = await previewForm(context, terms, request.body);
        return success(request, {
          summary: summaryOf(terms, preview),
          button: buyText(terms, preview),
          problems: problems.map(({ field, message }) => ({ field, message })),
        });
      },
    }),
  ];
}
