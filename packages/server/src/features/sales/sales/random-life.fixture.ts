import fc from 'fast-check';
import { type Timestamp, toEpochMs, toTimestamp } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';
import type { SaleFact, SaleFields } from '../shops/sale-fact.ts';
import type { SoldOffer } from './rule.ts';

// A random life of a sale, as a shop knows it: `Truth`. The shop reports each step; reports arrive late, in another order,
// twice or not at all, and a vendor changes the licenses beside the shop. What the buyer must have in the end follows from the
// truth alone, without the rule under test.

const hourMs = 3_600_000;
const periodDays = 30;
export const bornAt: Timestamp = '2026-01-01T00:00:00.000000Z';

/** What the shop sells: two plans of one product, one of another product, and single licenses. */
export const catalogue: ReadonlyMap<string, SoldOffer> = new Map(
  Object.entries({
    small: { policy_id: 'small', product_id: 'editor', quantity: 'seats', seats_per_unit: 1, suspend_after_days: 7 },
    large: { policy_id: 'large', product_id: 'editor', quantity: 'seats', seats_per_unit: 10, suspend_after_days: 7 },
    viewer: {
      policy_id: 'viewer',
      product_id: 'viewer',
      quantity: 'seats',
      seats_per_unit: 2,
      suspend_after_days: null,
    },
    single: {
      policy_id: 'single',
      product_id: 'single',
      quantity: 'licenses',
      seats_per_unit: 1,
      suspend_after_days: 3,
    },
  } as const).map(([item, offer]) => [item, { ...offer, on_refund: 'revoke' }]),
);
const items = [...catalogue.keys()];

/** The state of a subscription in the shop. */
export interface Truth {
  readonly state: SaleFields['state'];
  readonly item: string;
  readonly quantity: number;
  readonly paidSince: Timestamp;
  readonly paidUntil: Timestamp;
  readonly endsAt: Timestamp | null;
  readonly pastDueSince: Timestamp | null;
  /** The payments, by their times. */
  readonly payments: readonly Timestamp[];
  /** The payments that were given back completely, by their times. */
  readonly refunded: readonly Timestamp[];
  readonly dispute: SaleFields['dispute'];
  /** The payment that is disputed. */
  readonly disputed: Timestamp | null;
}

const stepNames = [
  'renew',
  'seats',
  'plan',
  'fail',
  'recover',
  'refund',
  'refund-earlier',
  'refund-partly',
  'dispute',
  'win',
  'lose',
  'cancel',
  'resume',
  'end',
  'pause',
  'unpause',
  'restart',
] as const;
type StepName = (typeof stepNames)[number];

interface Step {
  readonly name: StepName;
  readonly gapHours: number;
  readonly item: string;
  readonly quantity: number;
}

/** How one report travels. */
interface Travel {
  readonly delayHours: number;
  readonly isLost: boolean;
  /** The delay of a second copy; null: there is none. */
  readonly copyDelayHours: number | null;
}

export const vendorActs = ['suspend', 'revoke', 'delete', 'extend'] as const;

/** What a vendor does to the first license beside the shop. */
export interface VendorAct {
  readonly name: (typeof vendorActs)[number];
  /** After so many reports have arrived. */
  readonly after: number;
}

/** A life: what happens in the shop, how each report travels, and what the vendor does. */
export interface Life {
  /** True if the shop has ids of payments. */
  readonly namesPayments: boolean;
  readonly vendor: readonly VendorAct[];
  readonly first: Pick<Truth, 'item' | 'quantity'>;
  readonly steps: readonly Step[];
  readonly travels: readonly Travel[];
}

const item = fc.constantFrom(...items);
const quantity = fc.integer({ min: 1, max: 3 });
const delay = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 72 }), fc.integer({ min: 0, max: 3000 }));

/** Random lives. */
export const lives: fc.Arbitrary<Life> = fc.record({
  namesPayments: fc.boolean(),
  vendor: fc.array(fc.record({ name: fc.constantFrom(...vendorActs), after: fc.nat(8) }), { maxLength: 2 }),
  first: fc.record({ item, quantity }),
  steps: fc.array(
    fc.record({
      name: fc.constantFrom(...stepNames),
      gapHours: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 24 * 40 })),
      item,
      quantity,
    }),
    { maxLength: 12 },
  ),
  travels: fc.array(
    fc.record({
      delayHours: delay,
      isLost: fc.nat(9).map((roll) => roll === 0),
      copyDelayHours: fc.option(delay, { freq: 2 }),
    }),
    { minLength: 13, maxLength: 13 },
  ),
});

/** What happened in the shop: the truth after each step, with the report about it. */
export interface Happened {
  readonly truth: Truth;
  readonly at: Timestamp;
  readonly fact: SaleFact;
}

function begin(first: Life['first'], at: Timestamp): Truth {
  return {
    ...first,
    state: 'active',
    paidSince: at,
    paidUntil: addDays(at, periodDays),
    endsAt: null,
    pastDueSince: null,
    payments: [at],
    refunded: [],
    dispute: 'none',
    disputed: null,
  };
}

function paid({ payments }: Truth, at: Timestamp): Partial<Truth> {
  const period = { paidSince: at, paidUntil: addDays(at, periodDays), payments: [...payments, at] };
  return { state: 'active', pastDueSince: null, endsAt: null, ...period };
}

type Move = (truth: Truth, step: Step, at: Timestamp) => Partial<Truth> | false;

const isRefundable = ({ refunded, paidSince }: Truth) => !refunded.includes(paidSince);

/** What each step changes; false if it cannot happen now. */
const moves: { readonly [Name in StepName]: Move } = {
  renew: (truth, _step, at) => truth.state === 'active' && at >= truth.paidUntil && paid(truth, at),
  seats: ({ state }, { quantity: count }) => state !== 'ended' && { quantity: count },
  plan: ({ state }, { item: other, quantity: count }) => state !== 'ended' && { item: other, quantity: count },
  fail: ({ state, paidUntil }, _step, at) =>
    state === 'active' && at >= paidUntil && { state: 'past_due', pastDueSince: at },
  recover: (truth, _step, at) => truth.state === 'past_due' && paid(truth, at),
  refund: (truth) => isRefundable(truth) && { refunded: [...truth.refunded, truth.paidSince] },
  'refund-earlier': ({ payments, refunded }, step) => {
    const earlier = payments.slice(0, -1).filter((payment) => !refunded.includes(payment));
    const chosen = earlier[step.quantity % earlier.length];
    return chosen !== undefined && { refunded: [...refunded, chosen] };
  },
  'refund-partly': (truth) => isRefundable(truth) && {},
  dispute: ({ dispute, paidSince }) => dispute === 'none' && { dispute: 'open', disputed: paidSince },
  win: ({ dispute }) => dispute === 'open' && { dispute: 'none' },
  lose: ({ dispute }) => dispute === 'open' && { dispute: 'lost' },
  cancel: ({ state, paidUntil }, _step, at) => state === 'active' && at < paidUntil && { endsAt: paidUntil },
  resume: ({ state, endsAt }, _step, at) => state === 'active' && endsAt !== null && at < endsAt && { endsAt: null },
  unpause: ({ state }) => state === 'paused' && { state: 'active' },
  end: ({ state }, _step, at) => state !== 'ended' && { state: 'ended', endsAt: at, pastDueSince: null },
  pause: ({ state }) => state === 'active' && { state: 'paused' },
  restart: (truth, _step, at) => truth.state === 'ended' && paid(truth, at),
};

function subscriptionFields(truth: Truth): Partial<SaleFields> {
  const { state, paidSince, paidUntil, endsAt, pastDueSince } = truth;
  return {
    kind: 'subscription',
    startedAt: bornAt,
    items: [{ externalId: truth.item, quantity: truth.quantity }],
    ...{ state, paidSince, paidUntil, endsAt, pastDueSince },
  };
}

type Said = Pick<SaleFact, 'payment' | 'fields'>;

const ofPayment = (at: Timestamp | null) => at !== null && { payment: { id: at, at } };

/** A shop that has no ids of payments says when the payment of a refund was made; disputes have an id in every life. */
function saidBy(name: StepName, truth: Truth, namesPayments: boolean): Said {
  const paymentAt = (name === 'refund-partly' ? truth.paidSince : truth.refunded.at(-1)) ?? truth.paidSince;
  if (name === 'refund' || name === 'refund-earlier' || name === 'refund-partly') {
    const amount = name === 'refund-partly' ? 'partial' : 'full';
    return { ...(namesPayments && ofPayment(paymentAt)), fields: { refund: { amount, paymentAt } } };
  }
  if (name === 'dispute' || name === 'win' || name === 'lose') {
    return { ...ofPayment(truth.disputed), fields: { dispute: truth.dispute } };
  }
  return { fields: subscriptionFields(truth) };
}

/** Returns everything that the shop's API says about a sale at a time. */
function snapshot(truth: Truth, at: Timestamp): SaleFact {
  const isRefunded = truth.refunded.includes(truth.paidSince);
  const refund = { amount: isRefunded ? 'full' : 'none', paymentAt: isRefunded ? truth.paidSince : null } as const;
  const dispute = truth.disputed === truth.paidSince ? truth.dispute : 'none';
  const fields = { ...subscriptionFields(truth), refund, dispute };
  return { type: 'subscription.changed', saleId: 'sale', at, rank: 3, ...ofPayment(truth.paidSince), fields };
}

/** Lets a life happen in the shop. Steps that cannot happen are left out. */
export function happen({ first, steps, namesPayments }: Life): readonly Happened[] {
  let truth = begin(first, bornAt);
  let at = bornAt;
  const fact = (name: StepName, rank: 0 | 1 | 2): SaleFact => {
    return { type: 'subscription.changed', saleId: 'sale', at, rank, ...saidBy(name, truth, namesPayments) };
  };
  const happened: Happened[] = [{ truth, at, fact: fact('renew', 0) }];
  for (const step of steps) {
    // A shop's clock has seconds, so several steps can have one time; an end then wins.
    const next = toTimestamp(toEpochMs(at) + step.gapHours * hourMs);
    const changes = moves[step.name](truth, step, next);
    if (changes === false || isTie(happened, step, next)) continue;
    [truth, at] = [{ ...truth, ...changes }, next];
    happened.push({ truth, at, fact: fact(step.name, step.name === 'end' ? 2 : 1) });
  }
  return happened;
}

/** Two changes of the same time and rank have no order in a shop either, so they do not happen here. */
function isTie(happened: readonly Happened[], { name }: Step, at: Timestamp): boolean {
  const last = happened.at(-1);
  const isSameTime = last !== undefined && last.at === at;
  return isSameTime && !(name === 'end' && last.fact.rank < 2) && happened.length > 0 && last.fact.rank !== 0;
}

/** A report, and when it arrives. */
export interface Delivery {
  readonly at: Timestamp;
  readonly fact: SaleFact;
}

/** Returns the reports in the order of their arrival; after a loss, a comparison reads the truth at the end. */
export function deliver(happened: readonly Happened[], { travels }: Life): readonly Delivery[] {
  const later = (at: Timestamp, hours: number) => toTimestamp(toEpochMs(at) + hours * hourMs);
  const deliveries = happened.flatMap(({ fact, at }, index) => {
    const travel = travels[index];
    if (travel === undefined || travel.isLost) return [];
    const { delayHours, copyDelayHours } = travel;
    const copy = copyDelayHours === null ? [] : [{ at: later(at, copyDelayHours), fact }];
    return [{ at: later(at, delayHours), fact }, ...copy];
  });
  const sorted = deliveries.toSorted((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0));
  const last = happened.at(-1);
  const isLost = happened.some((_, index) => travels[index]?.isLost !== false);
  if (last === undefined || !isLost) return sorted;
  const endedAt = later([...sorted.map(({ at }) => at), last.at].sort().at(-1) ?? last.at, 1);
  return [...sorted, { at: endedAt, fact: snapshot(last.truth, endedAt) }];
}

/** What a buyer has in the end: usable licenses by policy, with seats and end. */
export interface Owned {
  readonly policyId: string;
  readonly maxActivations: number | null;
  readonly expiresAt: Timestamp;
}

/** Returns what the buyer must have at `now`, from the truth alone. */
export function owed(truth: Truth, now: Timestamp): readonly Owned[] {
  const offer = catalogue.get(truth.item);
  if (offer === undefined) return [];
  const { suspend_after_days: days } = offer;
  const suspendedAt = truth.state === 'past_due' && days !== null ? addDays(truth.pastDueSince ?? now, days) : null;
  const granted = [truth.paidUntil, ...(suspendedAt === null ? [] : [suspendedAt])].sort().at(-1) ?? now;
  const end = truth.endsAt !== null && truth.endsAt < granted ? truth.endsAt : granted;
  const isGivenBack = truth.refunded.includes(truth.paidSince);
  const isDisputed = truth.dispute !== 'none' && truth.disputed === truth.paidSince;
  const isLate = suspendedAt !== null && suspendedAt <= now;
  if (end <= now || isGivenBack || isDisputed || isLate || truth.state === 'paused') return [];
  const isSeats = offer.quantity === 'seats';
  const maxActivations = isSeats ? truth.quantity * offer.seats_per_unit : null;
  const owned = { policyId: offer.policy_id, maxActivations, expiresAt: end };
  return Array.from({ length: isSeats ? 1 : truth.quantity }, () => owned);
}
