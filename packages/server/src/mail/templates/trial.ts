import type { Timestamp } from '../../lib/clock.ts';
import type { Mail } from '../transport.ts';
import { writeLetter } from './layout.ts';

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
  const letter = writeLetter({
    subject: `${tenantName}: your trial ends on ${day}`,
    paragraphs: [
      `The free trial of ${planName} for ${tenantName} ends on ${day} at ${trialEndsAt.slice(11, 16)} UTC.`,
      consequenceOf(mail),
    ],
    action: { label: isLosing ? 'Add a payment method' : 'Open the licensing service', url: publicUrl },
    note: `You receive this mail because you own ${tenantName} or because it lists you as a billing contact.`,
  });
  return { to, ...letter };
}
