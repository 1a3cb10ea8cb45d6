import type { Timestamp } from '../../../lib/clock.ts';
import type { SaleFact, SaleFields } from '../shops/sale-fact.ts';

/** The latest known value of a field, with the time and the rank of the report that said it. */
interface Known<Value> {
  readonly at: Timestamp;
  readonly rank: number;
  readonly value: Value;
}

/** What is known of a sale. */
export type SaleState = { readonly [Field in keyof SaleFields]?: Known<SaleFields[Field]> };

/** Returns true if `next` replaces `present`. Total and independent of the order of arrival. */
function isLater(next: Known<unknown>, present: Known<unknown>): boolean {
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
    if (present === undefined || isLater(known, present)) next[field] = known;
  }
  return next as SaleState;
}
