import type { Difference } from '../../api/comparisons.ts';
import type { Connection, Offer } from '../../api/connections.ts';
import type { Sale, SaleEvent } from '../../api/sales.ts';
import { count } from '../../lib/text.ts';

/** Returns the status to show: an active connection can have problems, or lack a secret. */
export function shownStatus(connection: Connection): 'active' | 'disabled' | 'incomplete' | 'problems' {
  const { status, provider, has_signing_secret, has_api_key, problems_count } = connection;
  if (status === 'disabled') return 'disabled';
  if (provider === 'gumroad' ? !has_api_key : !has_signing_secret) return 'incomplete';
  return problems_count > 0 ? 'problems' : 'active';
}

type Effect = SaleEvent['effects'][number]['effect'];

const effectWords: Readonly<Record<Effect, string>> = {
  issued: 'Issued',
  renewed: 'Renewed',
  changed: 'Changed',
  ended: 'Ended',
  suspended: 'Suspended',
  reinstated: 'Reinstated',
  revoked: 'Revoked',
  holder_changed: 'Changed the customer of',
};

/** Returns an effect of a message as the beginning of a sentence about a license. */
export const effectText = (effect: Effect): string => effectWords[effect];

/** Returns what an offer does when a payment is returned, as the end of a sentence. */
function refundText(offer: Pick<Offer, 'on_refund'>): string {
  if (offer.on_refund === 'nothing') return 'a refund changes nothing';
  return offer.on_refund === 'revoke' ? 'a refund revokes it' : 'a refund suspends it';
}

/** The fields of an offer that its sentence needs. */
export type OfferTerms = Pick<
  Offer,
  'quantity' | 'seats_per_unit' | 'on_refund' | 'on_payment_failure' | 'suspend_after_days'
>;

/** Returns what a sale of an item does, as one sentence: `A sale issues one license …`. */
export function offerSentence(offer: OfferTerms, policyName: string | undefined): string {
  if (offer.quantity === 'ignore') return 'A sale of this item changes nothing here.';
  const name = policyName === undefined ? '' : ` “${policyName}”`;
  const what =
    offer.quantity === 'licenses'
      ? `one license${name} per unit`
      : offer.quantity === 'policy'
        ? `one license${name} for as many devices as the policy allows`
        : `one license${name} with ${count(offer.seats_per_unit, 'device')} per unit`;
  const failure =
    offer.on_payment_failure === 'suspend_after_days'
      ? `, and a missing payment suspends it after ${count(offer.suspend_after_days ?? 0, 'day')}`
      : '';
  return `A sale issues ${what}; ${refundText(offer)}${failure}.`;
}

/** Returns what an offer makes of a quantity, for a table. */
export function quantityText({ quantity, seats_per_unit }: Pick<Offer, 'quantity' | 'seats_per_unit'>): string {
  if (quantity === 'ignore') return 'Nothing';
  if (quantity === 'policy') return 'Devices as the policy says';
  return quantity === 'licenses' ? 'One license per unit' : `${count(seats_per_unit, 'device')} per unit`;
}

/** Warns of an offer whose number of devices differs from that of the policy; null if both say the same. */
export function deviceWarning(
  { quantity, seats_per_unit }: Pick<Offer, 'quantity' | 'seats_per_unit'>,
  policy: { readonly name: string; readonly max_activations: number | null } | undefined,
): string | null {
  if (quantity !== 'seats' || policy === undefined || policy.max_activations === seats_per_unit) return null;
  const allowed = policy.max_activations === null ? 'any number of devices' : count(policy.max_activations, 'device');
  return `The policy “${policy.name}” allows ${allowed}, but one unit of this item makes a license for ${count(seats_per_unit, 'device')}. The offer decides.`;
}

/** Returns how people recognise a buyer. */
export function buyerName({ name, email, reference }: Sale['buyer']): string {
  return name ?? email ?? reference ?? 'Unknown customer';
}

/** Returns true for a sale that somebody sent from the dashboard as a test; the service names its buyer so. */
export const isTestSale = ({ buyer }: Pick<Sale, 'buyer'>): boolean => buyer.reference === 'test-buyer';

const problemWords: Readonly<Record<NonNullable<Sale['problem']>['code'] | 'any', string>> = {
  any: 'Any problem',
  unmapped: 'Not mapped',
  limit_reached: 'Limit of the plan',
  too_many: 'Too many licenses',
  refused: 'Refused',
  unusable: 'Paid for nothing',
};

/** Returns the kind of a problem in words. */
export const problemText = (code: keyof typeof problemWords): string => problemWords[code];

const kindWords: Readonly<Record<Difference['kind'], string>> = {
  missing_here: 'Paid in the shop, no license',
  active_here_only: 'Ended in the shop, license active',
  other_terms: 'Other terms',
  problem: 'Problem',
};

/** Returns the kind of a difference in words. */
export const differenceText = (kind: Difference['kind']): string => kindWords[kind];
