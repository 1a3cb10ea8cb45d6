import type { Timestamp } from '../../lib/clock.ts';
import { readableDay, readableMoment } from '../../lib/readable-time.ts';
import type { Mail } from '../transport.ts';
import { openService, writeLetter } from './layout.ts';

interface BillingMail {
  readonly to: string;
  readonly tenantName: string;
  /** The unpaid amount as text, such as `USD 29.00`; null if it is unknown. */
  readonly amount: string | null;
  /** The page on which the invoice can be paid without logging in, or null. */
  readonly paymentUrl: string | null;
  readonly graceEndsAt: Timestamp | null;
  readonly publicUrl: string;
}

export type BillingMailKind = 'failed' | 'mid_grace' | 'last_day' | 'suspended' | 'restored';

function contentOf(kind: BillingMailKind, { tenantName, amount, graceEndsAt }: BillingMail) {
  const what = amount === null ? 'A payment' : `A payment of ${amount}`;
  const until = graceEndsAt === null ? 'soon' : `on ${readableMoment(graceEndsAt)}`;
  const consequence = `If it is not paid, ${tenantName} will be suspended ${until}. Its licenses, API keys and members will then stop working.`;
  switch (kind) {
    case 'failed':
      return {
        subject: `${tenantName}: a payment failed`,
        paragraphs: [`${what} could not be collected.`, consequence],
      };
    case 'mid_grace':
      return {
        subject: `${tenantName}: a payment is still due`,
        paragraphs: [`${what} is still unpaid.`, consequence],
      };
    case 'last_day':
      return {
        subject: `${tenantName} will be suspended tomorrow`,
        paragraphs: [`${what} is still unpaid, and the grace period ends within a day.`, consequence],
      };
    case 'suspended':
      return {
        subject: `${tenantName} is suspended`,
        paragraphs: [
          `${what} is still unpaid, so ${tenantName} is suspended. Its licenses, API keys and members have stopped working.`,
          'Nothing has been deleted. Pay the invoice to restore everything immediately.',
        ],
      };
    case 'restored':
      return {
        subject: `${tenantName} is active again`,
        paragraphs: [`We have received your payment. ${tenantName} is active again with all its data.`],
      };
  }
}

/** Creates a mail about an unpaid invoice, or about the payment that settled it. */
export function billingMail(kind: BillingMailKind, mail: BillingMail): Mail {
  const isUnpaid = kind !== 'restored' && mail.paymentUrl !== null;
  return writeLetter({
    to: mail.to,
    ...contentOf(kind, mail),
    action: isUnpaid ? { label: 'Pay now', url: mail.paymentUrl ?? mail.publicUrl } : openService(mail),
    note: `You received this email because you own ${mail.tenantName}, or because you are its billing contact.`,
  });
}

interface TrialMail {
  readonly to: string;
  readonly tenantName: string;
  readonly planName: string;
  readonly trialEndsAt: Timestamp;
  /** The price per interval as text, such as `USD 29.00 per month`. */
  readonly price: string;
  /** Whether the payment method for the first invoice is known. */
  readonly hasPaymentMethod: boolean;
  /** True when the subscription was canceled, so that nothing will be charged. */
  readonly isCanceled: boolean;
  readonly publicUrl: string;
}

function consequenceOf({ tenantName, planName, price, hasPaymentMethod, isCanceled }: TrialMail): string {
  if (isCanceled)
    return `You canceled the subscription, so you will not be charged. ${tenantName} then moves to the Free plan.`;
  return hasPaymentMethod
    ? `We will then charge your payment method ${price}, plus tax where it applies. If you do not want this, cancel before then.`
    : `You have not added a payment method, so ${tenantName} then moves to the Free plan. To keep ${planName} for ${price}, add a payment method before then.`;
}

/** Creates the mail that announces the end of a trial. */
export function trialEndsMail(mail: TrialMail): Mail {
  const { to, tenantName, planName, trialEndsAt, hasPaymentMethod, isCanceled, publicUrl } = mail;
  const day = readableDay(trialEndsAt);
  const isLosing = !hasPaymentMethod && !isCanceled;
  return writeLetter({
    to,
    subject: `${tenantName}: your trial ends on ${day}`,
    paragraphs: [
      `The free trial of ${planName} for ${tenantName} ends on ${readableMoment(trialEndsAt)}.`,
      consequenceOf(mail),
    ],
    action: { label: isLosing ? 'Add payment method' : 'Open dashboard', url: publicUrl },
    note: `You received this email because you own ${tenantName}, or because you are its billing contact.`,
  });
}
