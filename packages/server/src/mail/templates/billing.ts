import type { Timestamp } from '../../lib/clock.ts';
import type { Mail } from '../transport.ts';
import { openService, readableMoment, writeLetter } from './layout.ts';

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
  const consequence = `Unless it is paid, ${tenantName} will be suspended ${until}. Its API keys and users will then be refused.`;
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
          `${what} is still unpaid, so ${tenantName} is suspended. Its API keys and users are refused.`,
          'Nothing has been deleted. A payment restores everything immediately.',
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
    note: `You receive this mail because you own ${mail.tenantName} or because it lists you as a billing contact.`,
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
  if (isCanceled) return `You have canceled it, so nothing will be charged, and ${tenantName} then gets the free plan.`;
  return hasPaymentMethod
    ? `Your payment method will then be charged ${price}, plus tax where it applies. To avoid that, cancel before.`
    : `No payment method is stored, so ${tenantName} then gets the free plan. To keep ${planName} for ${price}, add one before.`;
}

/** Creates the mail that announces the end of a trial. */
export function trialEndsMail(mail: TrialMail): Mail {
  const { to, tenantName, planName, trialEndsAt, hasPaymentMethod, isCanceled, publicUrl } = mail;
  const day = trialEndsAt.slice(0, 10);
  const isLosing = !hasPaymentMethod && !isCanceled;
  return writeLetter({
    to,
    subject: `${tenantName}: your trial ends on ${day}`,
    paragraphs: [
      `The free trial of ${planName} for ${tenantName} ends on ${day} at ${trialEndsAt.slice(11, 16)} UTC.`,
      consequenceOf(mail),
    ],
    action: { label: isLosing ? 'Add a payment method' : 'Open the licensing service', url: publicUrl },
    note: `You receive this mail because you own ${tenantName} or because it lists you as a billing contact.`,
  });
}
