import type { Timestamp } from '../../../lib/clock.ts';
import type { SaleFact } from '../shops/sale-fact.ts';
import type { Reading } from '../shops/shop.ts';
import { entitledBy, type LicenseTerms, type SoldOffer } from './rule.ts';
import { addFact, type SaleState } from './sale.ts';

/** Returns the facts of readings under the id of their sale, as the job of messages stores them. */
function factsOf(readings: readonly Reading[]): readonly SaleFact[] {
  const aliases = new Map(readings.flatMap((one) => one.aliases).map(({ alias, saleId }) => [alias, saleId]));
  const saleOf = (id: string): string => {
    const next = aliases.get(id);
    return next === undefined ? id : saleOf(next);
  };
  return readings.flatMap(({ facts }) => facts).map((fact) => ({ ...fact, saleId: saleOf(fact.saleId) }));
}

/** Returns what is known of the only sale of some readings. Fails if they are about several. */
export function stateOf(...readings: readonly Reading[]): SaleState {
  const facts = factsOf(readings);
  const ids = new Set(facts.map(({ saleId }) => saleId));
  if (ids.size > 1) throw new Error(`These are ${ids.size} sales: ${[...ids].join(', ')}.`);
  return facts.reduce(addFact, {});
}

/** Returns the values of a state without the times of their reports. */
export function valuesOf(state: SaleState): Readonly<Record<string, unknown>> {
  const { payments = {}, ...fields } = state;
  const last = Object.values(payments).at(-1);
  const { refund = fields.refund, dispute = fields.dispute } = last ?? {};
  const known = Object.entries({ ...fields, ...(refund && { refund }), ...(dispute && { dispute }) });
  return Object.fromEntries(known.map(([field, { value }]) => [field, value]));
}

/** An offer that sells seats, revokes for a refund and suspends a week after a missing payment. */
const seats: SoldOffer = {
  policy_id: 'policy',
  product_id: 'product',
  quantity: 'seats',
  seats_per_unit: 1,
  on_refund: 'revoke',
  suspend_after_days: 7,
};

/** Returns the licenses to which some readings entitle at `now`, if every item is sold as `seats`. */
export function licensesOf(now: Timestamp, ...readings: readonly Reading[]): readonly LicenseTerms[] {
  const state = stateOf(...readings);
  const offers = new Map(state.items?.value.map(({ externalId }) => [externalId, seats]));
  return entitledBy(state, offers, now).licenses;
}
