import { countryName } from '../../../lib/countries.ts';
import { hasVat } from '../../../lib/vat-id.ts';
import type { Discount, PlanPrice, TaxLine } from '../../provider.ts';
import type { CheckoutPreview } from '../previews.ts';
import type { CheckoutTerms, SandboxInvoice } from '../state.ts';
import {
  cardFields,
  dayOf,
  detailsFields,
  escapeHtml,
  type FormState,
  fieldOf,
  formOf,
  linkTo,
  money,
  pageOf,
  submitButton,
} from './html.ts';

/** The content of the page of an open checkout. */
interface CheckoutView {
  readonly terms: CheckoutTerms;
  readonly preview: CheckoutPreview;
  readonly state: FormState;
  /** The path of the checkout. */
  readonly path: string;
}

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

const intervalName = ({ interval }: PlanPrice) => `per ${interval}`;

/** Returns the amounts of a purchase: due today, and later. */
export function summaryOf({ price }: CheckoutTerms, preview: CheckoutPreview): string {
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
    { name: `Then from ${dayOf(next.at)}, ${intervalName(price)}`, value: format(next.total), kind: 'faint' },
  ];
  return `<dl class="sums">${rows.map(rowOf).join('')}</dl>`;
}

/** Returns the label of the buy button. */
export function buyText({ price }: CheckoutTerms, { trialEndsAt, dueToday }: CheckoutPreview): string {
  if (trialEndsAt !== null) return 'Start trial';
  return dueToday === 0 ? 'Subscribe' : `Pay ${money(dueToday, price.currency)}`;
}

/** Returns the page of an open checkout. */
export function checkoutPage({ terms, preview, state, path }: CheckoutView): string {
  const { price, trialDays, cancelUrl } = terms;
  const trial =
    trialDays === 0 ? '' : `<p class="trial">${trialDays} ${trialDays === 1 ? 'day' : 'days'} free, then</p>`;
  const needsCard = preview.dueToday > 0;
  const cardNote = needsCard
    ? ''
    : trialDays > 0
      ? '<p class="hint">You do not need a card for the trial. Without a card, you move to the Free plan when it ends.</p>'
      : '<p class="hint">Nothing is due today, so you do not need a card now.</p>';
  const coupon = fieldOf(
    { name: 'coupon', label: 'Coupon code', attributes: 'form="checkout" maxlength="64" autocomplete="off"' },
    state,
  );
  const apply = `<button type="submit" form="checkout" class="quiet" formaction="${escapeHtml(path)}/preview">Apply</button>`;
  const content = `<section class="offer">
        <h1>Subscribe to ${escapeHtml(price.planName)}</h1>
        ${trial}
        <p class="amount">${money(price.amount, price.currency)} ${intervalName(price)}</p>
        <div class="coupon">${coupon}${apply}</div>
        <div id="summary" aria-live="polite">${summaryOf(terms, preview)}</div>
      </section>
      <section class="payment">
      ${formOf(
        `${path}/pay`,
        state,
        `<h2>Billing details</h2>
        ${detailsFields(state)}
        <noscript><p class="hint">When you change the country or the VAT ID, select Apply to see the taxes.</p></noscript>
        <h2>Card${needsCard ? '' : ' (optional)'}</h2>
        ${cardNote}
        ${cardFields(state)}
        ${submitButton(buyText(terms, preview))}`,
        ` id="checkout" data-preview="${escapeHtml(path)}/preview"`,
      )}
      <p class="back">${linkTo(cancelUrl, 'Cancel and go back')}</p>
      </section>`;
  return pageOf({ title: `Subscribe to ${price.planName}`, content, layout: 'wide' });
}

/** Returns the page of a checkout that is over. A completed one leads on to the service. */
export function closedCheckoutPage(status: 'complete' | 'expired', terms: CheckoutTerms): string {
  if (status === 'expired') {
    const content = `<h1>This checkout has expired</h1><p>You were not charged. Go back to start a new checkout.</p>${linkTo(terms.cancelUrl, 'Go back', 'button')}`;
    return pageOf({ title: 'This checkout has expired', content });
  }
  const title = terms.trialDays > 0 ? 'Your trial has started' : 'Thank you for your payment';
  const content = `<h1>${title}</h1><p>This page continues automatically.</p>${linkTo(terms.successUrl, 'Continue', 'button')}`;
  return pageOf({ title, content, continueTo: terms.successUrl });
}

/** Returns the page of an invoice. Anybody with its URL may pay it. `path` is that of the page. */
export function invoicePage(path: string, invoice: SandboxInvoice, state: FormState): string {
  if (invoice.status !== 'open') {
    const title = `This invoice is ${invoice.status}`;
    const back = linkTo('/billing', 'Go to billing', 'button');
    return pageOf({ title, content: `<h1>${title}</h1><p>There is nothing to pay.</p>${back}` });
  }
  const amount = money(invoice.amountDue, invoice.currency);
  const content = `<h1>Pay invoice</h1>
      <p class="amount">${amount}</p>
      ${formOf(`${path}/pay`, state, cardFields(state) + submitButton(`Pay ${amount}`))}`;
  return pageOf({ title: 'Pay invoice', content });
}

/** Returns the page for an unknown, invalid or expired URL. */
export function notFoundPage(): string {
  const title = 'This link is not valid';
  const content = `<h1>${title}</h1><p>The link may have expired. Open it again from the page or mail where you found it.</p>`;
  return pageOf({ title, content });
}
