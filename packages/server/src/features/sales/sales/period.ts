import type { SalesTable } from '../../../db/tables/tenant/sales.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import type { SaleFields } from '../shops/sale-fact.ts';
import type { Known, KnownPayment, SaleState } from './sale.ts';

// What was paid for last decides. A refund or a dispute belongs to the period of its payment. The last payment overrides an
// end that was planned before it.

/**
 * Returns the time from which on a payment is one of the present period: its beginning, or the report of its payment if that
 * was made in advance. Null: only one period is known, so every payment belongs to it.
 */
export function presentSince({ paidSince }: SaleState): Timestamp | null {
  if (paidSince === undefined || paidSince.value === null) return null;
  return paidSince.value < paidSince.at ? paidSince.value : paidSince.at;
}

type Returned = 'refund' | 'dispute';

/**
 * Returns what the reports about payments of the present period say. A report that names no payment is about the one before
 * it, and counts until a later report names the payment.
 */
function ofPresent<Field extends Returned>(state: SaleState, field: Field): SaleFields[Field][] {
  const since = presentSince(state);
  const isPresent = (at: Timestamp) => since === null || at >= since;
  const named: Known<SaleFields[Field]>[] = Object.values(state.payments ?? {}).flatMap((payment: KnownPayment) => {
    const report = payment[field] as Known<SaleFields[Field]> | undefined;
    return report !== undefined && isPresent(payment.at ?? payment.notAfter ?? report.at) ? [report] : [];
  });
  const unnamed = state[field] as Known<SaleFields[Field]> | undefined;
  const { paymentAt = null } = (field === 'refund' && state.refund?.value) || {};
  const counts =
    unnamed !== undefined && isPresent(paymentAt ?? unnamed.at) && !named.some(({ at }) => at > unnamed.at);
  return [...named, ...(counts ? [unnamed] : [])].map(({ value }) => value);
}

/** Returns how much of the present period's payment was given back. */
export function presentRefund(state: SaleState): SaleFields['refund']['amount'] {
  const amounts = ofPresent(state, 'refund').map(({ amount }) => amount);
  return (['full', 'partial'] as const).find((amount) => amounts.includes(amount)) ?? 'none';
}

/** Returns the dispute about the present period's payment. */
export function presentDispute(state: SaleState): SaleFields['dispute'] {
  const disputes = ofPresent(state, 'dispute');
  return (['lost', 'open'] as const).find((dispute) => disputes.includes(dispute)) ?? 'none';
}

/** Returns when a sale ends or has ended; null if it does not, or if a later payment moved the end. */
export function presentEnd(state: SaleState): Timestamp | null {
  const { endsAt, paidUntil } = state;
  if (endsAt === undefined || endsAt.value === null) return null;
  const since = presentSince(state);
  const until = paidUntil?.value ?? null;
  const isMoved = since !== null && endsAt.at < since && (until === null || endsAt.value < until);
  return isMoved ? null : endsAt.value;
}

/** Returns the one state of a sale; null while the shop has not said any. What was given back is not active as well. */
export function shownState(state: SaleState): SalesTable['shown_state'] {
  const stated = state.state?.value ?? null;
  if (stated === null || stated === 'pending') return stated;
  if (presentRefund(state) === 'full') return 'refunded';
  return presentDispute(state) === 'none' ? stated : 'disputed';
}
