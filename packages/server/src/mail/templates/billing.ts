import type { Timestamp } from '../../lib/clock.ts';
import type { Mail } from '../transport.ts';
import { writeLetter } from './layout.ts';

interface BillingMail {
  readonly to: string;
  readonly tenantName: string;
  /** The unpaid amount as text, such as `USD 29.00`; null if it is unknown. */
  readonly amount: string | null;
  /** The page on which the invoice can be paid without logging in; null if there is none. */
  readonly paymentUrl: string | null;
  readonly graceEndsAt: Timestamp | null;
  readonly publicUrl: string;
}

export type BillingMailKind = 'failed' | 'mid_grace' | 'last_day' | 'suspended' | 'restored';

function contentOf(kind: BillingMailKind, { tenantName, amount, graceEndsAt }: BillingMail) {
  const what = amount === null ? 'A payment' : `A payment of ${amount}`;
  const until = graceEndsAt === null ? 'soon' : `on ${graceEndsAt.slice(0, 10)} at ${graceEndsAt.slice(11, 16)} UTC`;
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
  const letter = writeLetter({
    ...contentOf(kind, mail),
    action: isUnpaid
      ? { label: 'Pay now', url: mail.paymentUrl ?? mail.publicUrl }
      : { label: 'Open the licensing service', url: mail.publicUrl },
    note: `You receive this mail because you own ${mail.tenantName} or because it lists you as a billing contact.`,
  });
  return { to: mail.to, ...letter };
}
