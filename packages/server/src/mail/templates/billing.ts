import type { Timestamp } from '../../lib/clock.ts';
import type { Mail } from '../transport.ts';
import { writeLetter } from './layout.ts';

interface BillingMail {
  readonly to: string;
  readonly tenantName: string;
  /** What is open, in words such as `USD 29.00`; null when it is not known. */
  readonly amount: string | null;
  /** Where it is paid without logging in. */
  readonly paymentUrl: string | null;
  readonly graceEndsAt: Timestamp | null;
  readonly publicUrl: string;
}

export type BillingMailKind = 'failed' | 'mid_grace' | 'last_day' | 'suspended' | 'restored';

function wordsOf(kind: BillingMailKind, { tenantName, amount, graceEndsAt }: BillingMail) {
  const what = amount === null ? 'A payment' : `A payment of ${amount}`;
  const until = graceEndsAt === null ? 'soon' : `on ${graceEndsAt.slice(0, 10)} at ${graceEndsAt.slice(11, 16)} UTC`;
  const consequence = `Unless it is paid, ${tenantName} is suspended ${until}: its API keys and its users are refused then.`;
  switch (kind) {
    case 'failed':
      return {
        subject: `${tenantName}: a payment failed`,
        paragraphs: [`${what} could not be collected.`, consequence],
      };
    case 'mid_grace':
      return {
        subject: `${tenantName}: a payment is still missing`,
        paragraphs: [`${what} is still open.`, consequence],
      };
    case 'last_day':
      return {
        subject: `${tenantName} will be suspended tomorrow`,
        paragraphs: [`${what} is still open, and the time of grace ends within a day.`, consequence],
      };
    case 'suspended':
      return {
        subject: `${tenantName} is suspended`,
        paragraphs: [
          `${what} is still open, so ${tenantName} is suspended: its API keys and its users are refused.`,
          'Nothing is deleted. A payment restores everything at once.',
        ],
      };
    case 'restored':
      return {
        subject: `${tenantName} is restored`,
        paragraphs: [`The payment has arrived. ${tenantName} is served again, with everything that it had.`],
      };
  }
}

/** The mails about a payment that is missing, and about its arrival. */
export function billingMail(kind: BillingMailKind, mail: BillingMail): Mail {
  const pays = kind !== 'restored' && mail.paymentUrl !== null;
  const letter = writeLetter({
    ...wordsOf(kind, mail),
    action: pays
      ? { label: 'Pay now', url: mail.paymentUrl ?? mail.publicUrl }
      : { label: 'Open the licensing service', url: mail.publicUrl },
    note: `You get this mail because you own ${mail.tenantName}, or because it names you for its bills.`,
  });
  return { to: mail.to, ...letter };
}
