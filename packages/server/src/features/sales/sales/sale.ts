import type { Timestamp } from '../../../lib/clock.ts';
import { isObject } from '../../../lib/json-object.ts';
import type { SaleFact, SaleFields } from '../shops/sale-fact.ts';

/** The latest known value of a field, with the time and the rank of the report that said it. */
interface Known<Value> {
  readonly at: Timestamp;
  readonly rank: number;
  readonly value: Value;
}

/** What is known of a sale. */
export type SaleState = { readonly [Field in keyof SaleFields]?: Known<SaleFields[Field]> };

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

/**
 * Adds a report to what is known of a sale. Commutative, associative and idempotent: reports may come in any order and
 * more than once. Each field is a last-writer-wins register (Shapiro et al., "A comprehensive study of convergent and
 * commutative replicated data types", 2011, section 3.2.1).
 */
export function addFact(state: SaleState, { at, rank, fields }: SaleFact): SaleState {
  const next: Record<string, Known<unknown>> = { ...state };
  for (const [field, value] of Object.entries(fields)) {
    const known = { at, rank, value };
    const present = next[field];
    if (present === undefined || isLater(field, known, present)) next[field] = known;
  }
  return next as SaleState;
}

/**
 * Joins what is known of one sale under two ids, for example of a payment and of its subscription. It is what `addFact`
 * returns for the reports of both, in any order.
 */
export function mergeStates(one: SaleState, other: SaleState): SaleState {
  const merged: Record<string, Known<unknown>> = { ...one };
  for (const [field, known] of Object.entries(other)) {
    const present = merged[field];
    if (present === undefined || isLater(field, known, present)) merged[field] = known;
  }
  return merged as SaleState;
}
