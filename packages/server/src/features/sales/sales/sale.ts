import type { Timestamp } from '../../../lib/clock.ts';
import { isObject } from '../../../lib/json-object.ts';
import type { SaleFact, SaleFields } from '../shops/sale-fact.ts';

/** The latest known value of a field, with the time and the rank of the report that said it. */
export interface Known<Value> {
  readonly at: Timestamp;
  readonly rank: number;
  readonly value: Value;
}

/** What is known of one payment of a sale. */
export interface KnownPayment {
  readonly at: Timestamp | null;
  readonly notAfter: Timestamp | null;
  readonly refund?: Known<SaleFields['refund']>;
  readonly dispute?: Known<SaleFields['dispute']>;
}

type Payments = Readonly<Record<string, KnownPayment>>;

/**
 * What is known of a sale. `refund` and `dispute` are those of which the shop does not say the payment; the others are in
 * `payments`, by the shop's id of the payment.
 */
export type SaleState = { readonly [Field in keyof SaleFields]?: Known<SaleFields[Field]> } & {
  readonly payments?: Payments;
};

/**
 * Returns the time that a report is about. A refund is about its payment: the refund of the latest payment stays, also if an
 * earlier payment is given back later.
 */
function subjectOf(field: string, { at, value }: Known<unknown>): Timestamp {
  const paymentAt = field === 'refund' && isObject(value) ? value['paymentAt'] : null;
  return typeof paymentAt === 'string' ? paymentAt : at;
}

/** Returns true if `next` replaces `present`. Total and independent of the order of arrival. */
function isLater(field: string, next: Known<unknown>, present: Known<unknown>): boolean {
  const subject = subjectOf(field, next);
  const presentSubject = subjectOf(field, present);
  if (subject !== presentSubject) return subject > presentSubject;
  if (next.at !== present.at) return next.at > present.at;
  if (next.rank !== present.rank) return next.rank > present.rank;
  return JSON.stringify(next.value) > JSON.stringify(present.value);
}

type Registers = Readonly<Record<string, Known<unknown>>>;

/** Joins registers. Each field keeps its latest value. */
function joinRegisters(one: Registers, other: Registers): Registers {
  const joined: Record<string, Known<unknown>> = { ...one };
  for (const [field, known] of Object.entries(other)) {
    const present = joined[field];
    if (present === undefined || isLater(field, known, present)) joined[field] = known;
  }
  return joined;
}

/** Returns the later (`1`) or the earlier (`-1`) of two times; null counts for nothing. */
function pick(one: Timestamp | null, other: Timestamp | null, direction: 1 | -1): Timestamp | null {
  if (one === null || other === null) return one ?? other;
  return one > other === (direction === 1) ? one : other;
}

function joinPayments(one: Payments, other: Payments): Payments {
  const joined: Record<string, KnownPayment> = { ...one };
  for (const [id, { at, notAfter, ...registers }] of Object.entries(other)) {
    const present = joined[id];
    if (present === undefined) {
      joined[id] = { at, notAfter, ...registers };
      continue;
    }
    const { at: knownAt, notAfter: knownNotAfter, ...known } = present;
    const times = { at: pick(knownAt, at, 1), notAfter: pick(knownNotAfter, notAfter, -1) };
    joined[id] = { ...joinRegisters(known as Registers, registers as Registers), ...times };
  }
  return joined;
}

/** Returns what is known after a single report. */
function stateAfter({ at, rank, fields, payment }: SaleFact): SaleState {
  const { refund, dispute, ...ofSale } = fields;
  const known = (values: object): Registers =>
    Object.fromEntries(Object.entries(values).map(([field, value]) => [field, { at, rank, value }]));
  if (payment === undefined) return known(fields) as SaleState;
  const ofPayment = known({ ...(refund && { refund }), ...(dispute && { dispute }) });
  const payments = { [payment.id]: { at: payment.at, notAfter: payment.notAfter ?? null, ...ofPayment } };
  return { ...(known(ofSale) as SaleState), payments };
}

/**
 * Adds a report to what is known of a sale. Commutative, associative and idempotent: reports may come in any order and
 * more than once. Each field is a last-writer-wins register (Shapiro et al., "A comprehensive study of convergent and
 * commutative replicated data types", 2011, section 3.2.1), and so is each field of each payment.
 */
export function addFact(state: SaleState, fact: SaleFact): SaleState {
  return mergeStates(state, stateAfter(fact));
}

/**
 * Joins what is known of one sale under two ids, for example of a payment and of its subscription. It is what `addFact`
 * returns for the reports of both, in any order.
 */
export function mergeStates(one: SaleState, other: SaleState): SaleState {
  const { payments: onePayments = {}, ...oneFields } = one;
  const { payments: otherPayments = {}, ...otherFields } = other;
  const payments = joinPayments(onePayments, otherPayments);
  const fields = joinRegisters(oneFields as Registers, otherFields as Registers) as SaleState;
  return Object.keys(payments).length === 0 ? fields : { ...fields, payments };
}
