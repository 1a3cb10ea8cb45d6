import type { Timestamp } from '../../lib/clock.ts';
import type { Mail } from '../transport.ts';
import { writeLetter } from './layout.ts';

interface TrialEnding {
  readonly to: string;
  readonly tenantName: string;
  readonly trialEndsAt: Timestamp;
  /** What follows: the first payment, the free plan because a payment method is missing, or the requested end. */
  readonly outcome: 'charged' | 'free' | 'canceled';
  readonly publicUrl: string;
}

const outcomes = {
  charged: 'The subscription then continues, and its first payment is collected. There is nothing to do.',
  free: 'There is no payment method yet. Add one to keep the plan; otherwise the tenant then has the free plan.',
  canceled: 'The subscription is canceled, so the tenant then has the free plan. Resume it to keep the plan.',
} as const;

/** Creates the mail that reminds an owner that the trial of a tenant ends. */
export function trialEndingMail({ to, tenantName, trialEndsAt, outcome, publicUrl }: TrialEnding): Mail {
  const letter = writeLetter({
    subject: `${tenantName}: the trial ends on ${trialEndsAt.slice(0, 10)}`,
    paragraphs: [
      `The trial of ${tenantName} ends on ${trialEndsAt.slice(0, 10)} at ${trialEndsAt.slice(11, 16)} UTC.`,
      outcomes[outcome],
    ],
    action: {
      label: outcome === 'free' ? 'Add a payment method' : 'Open the subscription',
      url: `${publicUrl}/billing`,
    },
    note: `You receive this mail because you own ${tenantName}.`,
  });
  return { to, ...letter };
}
